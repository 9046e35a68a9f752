#include "body/regressor.h"
#include "inertia/log_cholesky.h"
#include "inertia/pseudo_inertia.h"
#include "inertial/inertial_prior.h"
#include "support/core_rows.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

/* @eq Foster24 15, @eq Foster24 11 12 */
START_TEST(the_linear_form_is_least_squares_with_a_prior) {
  struct random random = random_from(test_seed());
  struct inertial_core_settings settings = CORE_SETTINGS;
  settings.form = INERTIAL_LINEAR;
  settings.iterations = 1;
  const struct inertia mean = core_nominal(), truth = core_drawn_from_prior(&random, &mean);
  struct inertial_core *core = core_new(&settings, &mean);

  /* the same by elimination on [P0^-1 + sum Y^T R^-1 Y | P0^-1 pi0 + sum Y^T R^-1 z] */
  double M[TEN][TEN + 1] = {{0}}, P0[TEN][2 * TEN] = {{0}}, pi0[TEN];
  inertia_to(&mean, pi0);
  for (int i = 0; i < TEN; i++) {
    for (int j = 0; j < TEN; j++) {
      P0[i][j] = core->P[i * TEN + j];
    }
    P0[i][TEN + i] = 1.0;
  }
  for (int p = 0; p < TEN; p++) { /* Gauss-Jordan: P0 becomes its inverse */
    for (int i = 0; i < TEN; i++) {
      const double factor = i == p ? 0.0 : P0[i][p] / P0[p][p];
      for (int j = 0; j < 2 * TEN; j++) {
        P0[i][j] -= factor * P0[p][j];
      }
    }
  }
  for (int i = 0; i < TEN; i++) {
    for (int j = 0; j < TEN; j++) {
      const double inverse = P0[i][TEN + j] / P0[i][i];
      M[i][j] += inverse;
      M[i][TEN] += inverse * pi0[j];
    }
  }
  for (int k = 0; k < 20; k++) {
    struct core_sample sample;
    const struct inertial_rows rows = core_measure(&random, &truth, 1.0, &sample);
    ck_assert_int_eq(inertial_core_update(core, &rows, 1.0), STATUS_OK);
    for (int r = 0; r < ROWS; r++) {
      for (int i = 0; i < TEN; i++) {
        for (int j = 0; j < TEN; j++) {
          M[i][j] += sample.Y[r][i] * sample.Y[r][j] / sample.R[r];
        }
        M[i][TEN] += sample.Y[r][i] * sample.z[r] / sample.R[r];
      }
    }
  }
  for (int p = 0; p < TEN; p++) {
    for (int i = 0; i < TEN; i++) {
      const double factor = i == p ? 0.0 : M[i][p] / M[p][p];
      for (int j = 0; j <= TEN; j++) {
        M[i][j] -= factor * M[p][j];
      }
    }
  }
  for (int i = 0; i < TEN; i++) {
    assert_near(core->x[i], M[i][TEN] / M[i][i], 1e-7);
  }
}
END_TEST

/* 200 bodies drawn from the prior: the squared errors in units of the claimed covariance add up to
 * ten each. The band is that of 200 x 10 degrees of freedom at 99.9 %, widened by 15 % for the
 * linearisation. @eq Foster24 18 19 20 21 */
START_TEST(errors_are_as_large_as_the_covariance_says) {
  enum { SEEDS = 200 };
  struct random random = random_from(test_seed());
  const struct inertia mean = core_nominal();
  double nees = 0.0, nis_sum = 0.0;
  int judged = 0;
  struct inertial_core *core = core_new(&CORE_SETTINGS, &mean);
  for (int seed = 0; seed < SEEDS; seed++) {
    const struct inertia truth = core_drawn_from_prior(&random, &mean);
    ck_assert_int_eq(inertial_core_reset(core, &mean), STATUS_OK);
    for (int k = 0; k < 30; k++) {
      struct core_sample sample;
      double nis, gain;
      const struct inertial_rows rows = core_measure(&random, &truth, 1.0, &sample);
      ck_assert_int_eq(inertial_core_innovation(core, &rows, &nis, &gain), STATUS_OK);
      ck_assert(gain > 0.0);
      if (k > 5) {
        nis_sum += nis;
        judged++;
      }
      ck_assert_int_eq(inertial_core_update(core, &rows, 1.0), STATUS_OK);
    }
    double theta[TEN], error[TEN], P[TEN * TEN];
    log_cholesky_from_inertia(LOG_CHOLESKY_RUCKER, &truth, theta);
    memcpy(P, core->P, sizeof(P));
    for (int i = 0; i < TEN; i++) {
      error[i] = core->x[i] - theta[i];
    }
    for (int p = 0; p < TEN; p++) { /* e^T P^-1 e by elimination */
      nees += error[p] * error[p] / P[p * TEN + p];
      for (int i = p + 1; i < TEN; i++) {
        const double factor = P[i * TEN + p] / P[p * TEN + p];
        error[i] -= factor * error[p];
        for (int j = p; j < TEN; j++) {
          P[i * TEN + j] -= factor * P[p * TEN + j];
        }
      }
    }
  }
  const double band = 3.3 * sqrt(2.0 / (SEEDS * TEN));
  assert_near(nees / (SEEDS * TEN), 1.0, band + 0.15);
  assert_near(nis_sum / (ROWS * judged), 1.0, 3.3 * sqrt(2.0 / (ROWS * judged)) + 0.02);
}
END_TEST

/* The first step of a walk leaves a force to the side; a load's lies along gravity. */
START_TEST(a_load_explains_its_innovation_and_not_one_across_gravity) {
  const struct inertial_spread change = {.mass = 8.0, .com = 0.15, .shape = 0.6};
  const struct inertia known = core_nominal(),
                       load = inertia_of_body(5.0, (vec3){0.1, 0.0, 0.2}, &CORE_SHAPE);
  struct inertial_core_settings settings = CORE_SETTINGS;
  settings.prior = (struct inertial_spread){0.05, 1e-3, 0.01};
  struct inertial_core *core = core_new(&settings, &known);
  double Y[ROWS][TEN], R[ROWS], z[2][ROWS], pi[TEN], nis, gain, left[2];
  const struct inertia laden = inertia_add(&known, &load);
  link_regressor(VEC3_ZERO, VEC3_ZERO, (vec3){0.0, 0.0, 9.81}, Y);
  inertia_to(&laden, pi);
  for (int r = 0; r < ROWS; r++) {
    R[r] = CORE_NOISE[r] * CORE_NOISE[r];
    z[0][r] = z[1][r] = 0.0;
    for (int i = 0; i < TEN; i++) {
      z[0][r] += Y[r][i] * pi[i];
    }
    z[1][r] = z[0][r];
  }
  z[1][3] += 5.0 * 9.81;
  for (int across = 0; across < 2; across++) {
    const struct inertial_rows rows = {.n = ROWS, .Y = &Y[0][0], .z = z[across], .R = R};
    ck_assert_int_eq(inertial_core_innovation(core, &rows, &nis, &gain), STATUS_OK);
    left[across] = inertial_core_explained(core, &rows, &change) / nis;
  }
  ck_assert_double_lt(left[0], 0.02);
  ck_assert_double_gt(left[1], 0.2);
}
END_TEST

static int inconsistent_estimates(enum inertial_form form, double noise, unsigned long seed) {
  struct random random = random_from(seed);
  struct inertial_core_settings settings = CORE_SETTINGS;
  settings.form = form;
  const struct inertia mean = core_nominal(), truth = core_drawn_from_prior(&random, &mean);
  struct inertial_core *core = core_new(&settings, &mean);
  int inconsistent = 0;
  for (int k = 0; k < 100; k++) {
    struct core_sample sample;
    struct inertial_rows rows = core_measure(&random, &truth, noise, &sample);
    for (int r = 0; r < ROWS; r++) {
      sample.R[r] = CORE_NOISE[r] * CORE_NOISE[r]; /* believed far too good when noise is above 1 */
    }
    inertial_core_update(core, &rows, 1.0);
    inertial_core_predict(core, 0.02);
    inconsistent += inertia_consistency(&core->pi[0], 0.0, NULL) != STATUS_OK;
  }
  return inconsistent;
}

START_TEST(the_logarithmic_forms_are_physical_whatever_they_are_fed_and_the_linear_one_is_not) {
  static const double LEVELS[5] = {0.1, 1.0, 5.0, 20.0, 100.0};
  int linear = 0;
  for (unsigned long seed = 0; seed < 200; seed++) {
    const double noise = LEVELS[seed % 5];
    ck_assert_int_eq(inconsistent_estimates(INERTIAL_RUCKER, noise, seed), 0);
    linear += inconsistent_estimates(INERTIAL_LINEAR, noise, seed);
  }
  for (unsigned long seed = 0; seed < 20; seed++) {
    ck_assert_int_eq(inconsistent_estimates(INERTIAL_FOSTER, LEVELS[seed % 5], seed), 0);
  }
  ck_assert_int_gt(linear, 1000);
}
END_TEST

/* Largest excess of the estimate while a 0.8 kg forearm takes up 5 kg, mean of many runs, kg. */
static double overshoot(int iterations) {
  enum { RUNS = 20 };
  struct inertial_core_settings settings = CORE_SETTINGS;
  settings.iterations = iterations;
  settings.memory = false;
  settings.prior = (struct inertial_spread){0.2, 0.02, 0.1};
  const mat3 slim = {{{4e-3, 0, 0}, {0, 4e-3, 0}, {0, 0, 1e-3}}};
  const struct inertia mean = inertia_of_body(0.8, (vec3){0.0, 0.0, -0.03}, &slim),
                       load = inertia_of_body(5.0, (vec3){0.0, 0.0, -0.2}, &slim),
                       truth = inertia_add(&mean, &load);
  double sum = 0.0;
  for (unsigned long run = 0; run < RUNS; run++) {
    struct random random = random_from(test_seed() + run);
    struct inertial_core *core = core_new(&settings, &mean);
    inertial_core_reopen(core, &(struct inertial_spread){8.0, 0.15, 0.3});
    double largest = truth.m;
    for (int k = 0; k < 50; k++) {
      struct core_sample sample;
      const struct inertial_rows rows = core_measure(&random, &truth, 1.0, &sample);
      inertial_core_update(core, &rows, 1.0);
      largest = fmax(largest, core->pi[0].m);
    }
    sum += largest - truth.m;
  }
  return sum / RUNS;
}

START_TEST(a_load_of_six_times_the_link_is_taken_up_with_less_than_a_fifth_of_overshoot) {
  ck_assert_double_lt(overshoot(8), 0.2 * 5.0);
}
END_TEST

/* Noisy accelerations make Y noisy, and least squares then shrinks what is weakly excited. */
static vec3 com_error(bool corrected, unsigned long seed) {
  enum { BLOCKS = 400 };
  struct random random = random_from(seed);
  const struct inertia truth = core_nominal();
  struct inertial_core_settings settings = CORE_SETTINGS;
  settings.prior = (struct inertial_spread){2.0, 0.3, 0.3};
  struct inertial_core *core = core_new(&settings, &truth);
  double pi[TEN], Y[ROWS][TEN], z[ROWS], R[ROWS], M[TEN][TEN] = {{0}};
  inertia_to(&truth, pi);
  const double sd_alpha = 1.0, sd_a = 0.15; /* rad/s^2, m/s^2 */
  for (int r = 0; r < ROWS; r++) {
    R[r] = CORE_NOISE[r] * CORE_NOISE[r];
  }
  for (int k = 0; k < 4000; k++) { /* E[dY^T R^-1 dY], as it would be learned at rest */
    double dY[ROWS][TEN];
    link_regressor(VEC3_ZERO, core_random_vector(&random, sd_alpha),
                   core_random_vector(&random, sd_a), dY);
    for (int e = 0; e < TEN * TEN * ROWS; e++) {
      const int r = e / (TEN * TEN), i = e / TEN % TEN, j = e % TEN;
      M[i][j] += dY[r][i] * dY[r][j] / R[r] / 4000.0;
    }
  }
  for (int k = 0; k < BLOCKS; k++) {
    const double tilt = 0.04 * sin(0.1 * k); /* little excitation: a slow nod */
    const vec3 a = {9.81 * sin(tilt), 0.0, 9.81 * cos(tilt)};
    double clean[ROWS][TEN];
    link_regressor(VEC3_ZERO, VEC3_ZERO, a, clean);
    link_regressor(VEC3_ZERO, core_random_vector(&random, sd_alpha),
                   vec3_add(a, core_random_vector(&random, sd_a)), Y);
    for (int r = 0; r < ROWS; r++) {
      z[r] = CORE_NOISE[r] * random_normal(&random);
      for (int i = 0; i < TEN; i++) {
        z[r] += clean[r][i] * pi[i];
      }
    }
    const struct inertial_rows rows = {
        .n = ROWS, .Y = &Y[0][0], .z = z, .R = R, .YtWY = corrected ? &M[0][0] : NULL};
    ck_assert_int_eq(inertial_core_update(core, &rows, 1.0), STATUS_OK);
  }
  return vec3_sub(inertia_com(&core->pi[0]), inertia_com(&truth));
}

static vec3 mean_com_error(bool corrected) {
  enum { RUNS = 8 };
  vec3 sum = VEC3_ZERO;
  for (unsigned long run = 0; run < RUNS; run++) {
    sum = vec3_add(sum, com_error(corrected, test_seed() + run));
  }
  return vec3_scale(1.0 / RUNS, sum);
}

START_TEST(taking_the_regressors_noise_away_removes_most_of_the_bias_it_causes) {
  const vec3 plain = mean_com_error(false), corrected = mean_com_error(true);
  ck_assert_double_gt(fabs(plain.z), 0.03);
  ck_assert_double_lt(fabs(corrected.z), 0.4 * fabs(plain.z));
}
END_TEST

START_TEST(an_update_spread_over_cycles_is_the_update_at_once) {
  struct random random = random_from(test_seed());
  const struct inertia mean = core_nominal(), truth = core_drawn_from_prior(&random, &mean);
  struct inertial_core *at_once = core_new(&CORE_SETTINGS, &mean),
                       *spread = core_new(&CORE_SETTINGS, &mean);
  struct core_sample sample;
  const struct inertial_rows rows = core_measure(&random, &truth, 1.0, &sample);
  ck_assert_int_eq(inertial_core_update(at_once, &rows, 0.5), STATUS_OK);
  ck_assert_int_eq(inertial_core_begin(spread, &rows, 0.5), STATUS_OK);
  memset(&sample, 0xff, sizeof(sample)); /* the rows are not needed any more */
  while (inertial_core_iterate(spread)) {
  }
  ck_assert_int_eq(inertial_core_finish(spread), STATUS_OK);
  ck_assert_int_eq(memcmp(at_once->x, spread->x, TEN * sizeof(double)), 0);
  ck_assert_int_eq(memcmp(at_once->P, spread->P, TEN * TEN * sizeof(double)), 0);
}
END_TEST

START_TEST(a_weight_is_a_larger_variance) {
  struct random random = random_from(test_seed());
  const struct inertia mean = core_nominal(), truth = core_drawn_from_prior(&random, &mean);
  struct inertial_core *weighed = core_new(&CORE_SETTINGS, &mean),
                       *noisier = core_new(&CORE_SETTINGS, &mean);
  struct core_sample sample;
  const struct inertial_rows rows = core_measure(&random, &truth, 1.0, &sample);
  ck_assert_int_eq(inertial_core_update(weighed, &rows, 0.25), STATUS_OK);
  for (int r = 0; r < ROWS; r++) {
    sample.R[r] *= 4.0;
  }
  ck_assert_int_eq(inertial_core_update(noisier, &rows, 1.0), STATUS_OK);
  for (int i = 0; i < TEN; i++) {
    assert_near(weighed->x[i], noisier->x[i], 1e-10);
  }
}
END_TEST

START_TEST(numbers_that_are_none_and_rows_without_noise_leave_the_estimate_untouched) {
  struct random random = random_from(test_seed());
  const struct inertia mean = core_nominal();
  struct inertial_core *core = core_new(&CORE_SETTINGS, &mean);
  double x[TEN], nis = 7.0, gain = 7.0;
  memcpy(x, core->x, sizeof(x));
  struct core_sample sample;
  const struct inertial_rows rows = core_measure(&random, &mean, 1.0, &sample);
  double *const places[3] = {&sample.Y[3][4], &sample.z[1], &sample.R[5]};
  for (int p = 0; p < 3; p++) {
    const double good = *places[p];
    *places[p] = p == 1 ? (double)INFINITY : (double)NAN;
    ck_assert_int_eq(inertial_core_innovation(core, &rows, &nis, &gain), STATUS_NOT_FINITE);
    *places[p] = good;
  }
  sample.R[0] = 0.0;
  ck_assert_int_eq(inertial_core_innovation(core, &rows, &nis, &gain), STATUS_NOT_FINITE);
  ck_assert_int_eq(memcmp(x, core->x, sizeof(x)), 0);
  ck_assert(nis == 7.0 && gain == 7.0);
}
END_TEST

START_TEST(absurd_measurements_are_rejected_or_survived_and_never_inconsistent) {
  struct random random = random_from(test_seed());
  const struct inertia mean = core_nominal();
  struct inertial_core *core = core_new(&CORE_SETTINGS, &mean);
  for (int k = 0; k < 300; k++) {
    struct core_sample sample;
    const struct inertial_rows rows = core_measure(&random, &mean, 1.0, &sample);
    for (int r = 0; r < ROWS; r++) {
      sample.z[r] *= pow(10.0, random_uniform(&random, -3.0, 9.0)) * random_normal(&random);
    }
    inertial_core_update(core, &rows, 1.0);
    inertial_core_predict(core, 0.02);
    ck_assert_int_eq(inertia_consistency(&core->pi[0], 0.0, NULL), STATUS_OK);
  }
}
END_TEST

START_TEST(bad_settings_and_bodies_are_refused_at_the_start) {
  struct inertial_core core;
  struct arena count = {0};
  struct inertia mean = core_nominal();
  struct inertial_core_settings settings = CORE_SETTINGS;
  settings.iterations = 0;
  ck_assert_int_eq(inertial_core_init(&core, &settings, &mean, 1, &count), STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(inertial_core_init(&core, &CORE_SETTINGS, &mean, 9, &count),
                   STATUS_BAD_ARGUMENT);
  struct arena arena = test_arena(1 << 20);
  mean.m = -1.0;
  ck_assert_int_eq(inertial_core_init(&core, &CORE_SETTINGS, &mean, 1, &arena),
                   STATUS_NOT_CONSISTENT);
  struct arena small = test_arena(1024);
  ck_assert_int_eq(inertial_core_init(&core, &CORE_SETTINGS, &mean, 1, &small), STATUS_NO_MEMORY);
}
END_TEST

SUITE(the_linear_form_is_least_squares_with_a_prior, errors_are_as_large_as_the_covariance_says,
      a_load_explains_its_innovation_and_not_one_across_gravity,
      the_logarithmic_forms_are_physical_whatever_they_are_fed_and_the_linear_one_is_not,
      a_load_of_six_times_the_link_is_taken_up_with_less_than_a_fifth_of_overshoot,
      taking_the_regressors_noise_away_removes_most_of_the_bias_it_causes,
      an_update_spread_over_cycles_is_the_update_at_once, a_weight_is_a_larger_variance,
      numbers_that_are_none_and_rows_without_noise_leave_the_estimate_untouched,
      absurd_measurements_are_rejected_or_survived_and_never_inconsistent,
      bad_settings_and_bodies_are_refused_at_the_start)
