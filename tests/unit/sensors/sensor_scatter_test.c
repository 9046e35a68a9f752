#include "sensors/sensor_scatter.h"

#include "support/random_model.h"

#include <math.h>

static const double TOLD = 2e-4, DT = 1e-3; /* rad, s */
static const double MOST = 6.0, SOONER = 9.0;

/* A leg's motion: up to 7 rad/s and 150 rad/s^2. */
static double walking(double t) {
  return 0.35 * sin(20.0 * t);
}

START_TEST(readings_as_noisy_as_told_are_taken_as_told) {
  struct random rng = random_from(test_seed());
  struct sensor_scatter scatter = {0};
  for (int k = 0; k < 3600000; k++) {
    const double q = walking(DT * k) + TOLD * random_normal(&rng);
    must(sensor_scatter_next(&scatter, q, DT, TOLD, MOST) == TOLD);
  }
}
END_TEST

/* Within `latest` readings in every one of a hundred runs. */
static void find_noise(double most, int latest) {
  struct random rng = random_from(test_seed());
  double mean = 0.0;
  for (int run = 0; run < 100; run++) {
    struct sensor_scatter scatter = {0};
    int found = -1, over = -1;
    for (int k = 0; k < 1000; k++) {
      const double noise = (k >= 100 && k < 600 ? 30.0 : 1.0) * TOLD;
      const double sd = sensor_scatter_next(&scatter, walking(DT * k) + noise * random_normal(&rng),
                                            DT, TOLD, most);
      found = found < 0 && sd > TOLD ? k : found;
      over = k >= 600 && over < 0 && sd == TOLD ? k : over;
      mean += k >= 200 && k < 600 ? sd / (400.0 * 100.0) : 0.0;
    }
    ck_assert_int_ge(found, 100);
    ck_assert_int_lt(found, 100 + latest);
    ck_assert_int_ge(over, 600);
    ck_assert_int_lt(over, 650);
  }
  ck_assert_double_gt(mean, 20.0 * TOLD);
  ck_assert_double_lt(mean, 40.0 * TOLD);
}

START_TEST(thirty_times_the_noise_is_found_soon_and_over_in_fifty_readings) {
  find_noise(MOST, 30);
  find_noise(SOONER, 20);
}
END_TEST

/* Wrong words, a slip, a knock that changes the velocity, a silence. */
START_TEST(what_is_no_noise_is_not_taken_for_it) {
  struct random rng = random_from(test_seed());
  struct sensor_scatter scatter = {0};
  double q = 0.0, dq = 0.0, t = 0.0;
  for (int k = 0; k < 20000; k++) {
    const double dt = k % 1700 == 800 ? 0.3 : k % 97 == 5 ? 2.0 * DT : DT;
    dq = k % 500 == 100 ? random_uniform(&rng, -8.0, 8.0) : dq;
    q += dq * dt;
    t += dt;
    const double jump = k % 1000 < 500 ? 0.0 : 0.7, wrong = k % 250 == 20 ? 3.0 : 0.0;
    const double reading =
        k % 333 == 7 ? (double)NAN : q + jump + wrong + TOLD * random_normal(&rng);
    ck_assert_double_eq(sensor_scatter_next(&scatter, reading, dt, TOLD, MOST), TOLD);
  }
}
END_TEST

/* However coarse: half a step is what it is told. */
START_TEST(steps_of_a_coarse_encoder_are_no_noise) {
  const double step = 1.5e-3, told = step / sqrt(12.0);
  struct sensor_scatter scatter = {0};
  for (int k = 0; k < 100000; k++) {
    const double q = step * round(walking(1e-5 * DT * k * k) / step);
    ck_assert_double_eq(sensor_scatter_next(&scatter, q, DT, told, MOST), told);
  }
}
END_TEST

/* Between two readings a leg turns by far more than the noise; a shank rings at nine hertz. */
START_TEST(slow_encoders_tell_motion_from_noise_or_nothing) {
  struct random rng = random_from(test_seed());
  struct sensor_scatter walks = {0}, rings = {0};
  for (int k = 0; k < 100000; k++) {
    const double t = 0.01 * k, u = k / 30.0, noise = TOLD * random_normal(&rng);
    ck_assert_double_eq(sensor_scatter_next(&walks, walking(t) + noise, 0.01, TOLD, MOST), TOLD);
    const double q = 0.02 * sin(2.0 * M_PI * 9.0 * u) + noise;
    ck_assert_double_eq(sensor_scatter_next(&rings, q, 1.0 / 30.0, TOLD, MOST), TOLD);
  }
}
END_TEST

SUITE(readings_as_noisy_as_told_are_taken_as_told,
      thirty_times_the_noise_is_found_soon_and_over_in_fifty_readings,
      what_is_no_noise_is_not_taken_for_it, steps_of_a_coarse_encoder_are_no_noise,
      slow_encoders_tell_motion_from_noise_or_nothing)
