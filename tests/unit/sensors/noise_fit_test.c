#include "sensors/noise_fit.h"

#include "support/suite.h"

#include <math.h>

START_TEST(white_noise_is_measured_within_3_percent_under_drift_and_slow_motion) {
  struct random rng = random_from(test_seed());
  struct noise_fit fit = {0};
  for (int i = 0; i < 20000; i++) {
    noise_fit_add(&fit, 3.0 + 1e-4 * i + 0.05 * sin(2e-3 * i) + 0.02 * random_normal(&rng));
  }
  double deviation = 0.0;
  ck_assert_int_eq(noise_fit_deviation(&fit, &deviation), STATUS_OK);
  assert_near(deviation, 0.02, 0.03 * 0.02);
}
END_TEST

START_TEST(a_few_samples_tell_no_noise_and_nan_does_not_spoil_it) {
  struct random rng = random_from(test_seed());
  struct noise_fit fit = {0};
  double deviation = 7.0;
  for (int i = 0; i < NOISE_FIT_MIN_SAMPLES - 1; i++) {
    noise_fit_add(&fit, random_normal(&rng));
  }
  ck_assert_int_eq(noise_fit_deviation(&fit, &deviation), STATUS_TOO_FEW);
  ck_assert_double_eq(deviation, 7.0);
  for (int i = 0; i < 20000; i++) {
    noise_fit_add(&fit, i % 100 == 50 ? (double)NAN : random_normal(&rng));
  }
  ck_assert_int_eq(noise_fit_deviation(&fit, &deviation), STATUS_OK);
  assert_near(deviation, 1.0, 0.05);
}
END_TEST

/* A run behind a gap once began as if two zeros had come before it. */
START_TEST(gaps_in_a_signal_far_from_zero_are_no_noise) {
  struct random rng = random_from(test_seed());
  struct noise_fit fit = {0};
  for (int i = 0; i < 5000; i++) {
    const int lost = i % 100 == 50 || (i > 3000 && i % 2 == 0);
    noise_fit_add(&fit, lost ? (double)NAN : 1.0 + 1e-4 * random_normal(&rng));
  }
  double deviation = 0.0;
  ck_assert_int_eq(noise_fit_deviation(&fit, &deviation), STATUS_OK);
  assert_near(deviation, 1e-4, 0.05e-4);
}
END_TEST

START_TEST(a_signal_that_never_comes_three_times_in_a_row_tells_no_noise) {
  struct noise_fit fit = {0};
  double deviation = 7.0;
  for (int i = 0; i < 5000; i++) {
    noise_fit_add(&fit, i % 3 == 0 ? (double)NAN : 1.0);
  }
  ck_assert_int_eq(noise_fit_deviation(&fit, &deviation), STATUS_TOO_FEW);
  ck_assert_double_eq(deviation, 7.0);
}
END_TEST

enum { SAMPLES = 6000 };
static double q[SAMPLES];

/* A joint driven by white snap of this density, and its noisy encoder. */
static void draw(struct random *rng, double density, double noise, double dt) {
  enum { FINE = 20 };
  double x[4] = {0.0};
  const double h = dt / FINE;
  for (int i = 0; i < SAMPLES; i++) {
    q[i] = x[0] + noise * random_normal(rng);
    for (int k = 0; k < FINE; k++) {
      for (int j = 0; j < 3; j++) {
        x[j] += h * x[j + 1];
      }
      x[3] += sqrt(density * h) * random_normal(rng) - 2.0 * h * x[3]; /* kept from running away */
    }
  }
}

START_TEST(the_density_that_drove_a_joint_is_found_within_a_factor_of_two) {
  struct random rng = random_from(test_seed());
  static const double truth[] = {1e2, 1e4, 1e6};
  for (int k = 0; k < 3; k++) {
    double found = 0.0;
    draw(&rng, truth[k], 1e-3, 5e-3);
    ck_assert_int_eq(snap_density_fit(q, SAMPLES, 5e-3, 1e-3, 1e-3, 1e10, &found), STATUS_OK);
    ck_assert_double_ge(found, truth[k] / 2.0);
    ck_assert_double_le(found, truth[k] * 2.0);
    /* and it is a maximum */
    const double best = snap_log_likelihood(q, SAMPLES, 5e-3, 1e-3, found);
    ck_assert_double_gt(best, snap_log_likelihood(q, SAMPLES, 5e-3, 1e-3, 3.0 * found));
    ck_assert_double_gt(best, snap_log_likelihood(q, SAMPLES, 5e-3, 1e-3, found / 3.0));
  }
}
END_TEST

START_TEST(limits_and_steps_that_are_none_are_refused) {
  double found = 7.0;
  ck_assert_int_eq(snap_density_fit(q, SAMPLES, 0.0, 1e-3, 1.0, 2.0, &found), STATUS_OUT_OF_RANGE);
  ck_assert_int_eq(snap_density_fit(q, SAMPLES, 1e-3, 1e-3, 2.0, 1.0, &found), STATUS_OUT_OF_RANGE);
  ck_assert_int_eq(snap_density_fit(q, 10, 1e-3, 1e-3, 1.0, 2.0, &found), STATUS_TOO_FEW);
  ck_assert_double_eq(found, 7.0);
}
END_TEST

SUITE(white_noise_is_measured_within_3_percent_under_drift_and_slow_motion,
      a_few_samples_tell_no_noise_and_nan_does_not_spoil_it,
      gaps_in_a_signal_far_from_zero_are_no_noise,
      a_signal_that_never_comes_three_times_in_a_row_tells_no_noise,
      the_density_that_drove_a_joint_is_found_within_a_factor_of_two,
      limits_and_steps_that_are_none_are_refused)
