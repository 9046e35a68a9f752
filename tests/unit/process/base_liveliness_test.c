#include "process/base_liveliness.h"

#include "support/suite.h"

#include <math.h>

static const double LEAST = 1e4;

static struct base_liveliness quiet(void) {
  struct base_liveliness liveliness;
  ck_assert_int_eq(base_liveliness_init(&liveliness, LEAST), STATUS_OK);
  return liveliness;
}

/* The innovation of a signal of density `truth` that is read with noise of variance `noise`. */
static double innovation_of(double density, double truth, double noise, double dt,
                            struct random *rng) {
  const double gained = dt * dt * dt / 3.0, nu = random_normal(rng);
  return nu * nu * (truth * gained + noise) / (density * gained + noise);
}

START_TEST(a_slow_and_a_fast_imu_find_how_lively_the_base_is_within_a_few_tenths_of_a_second) {
  const double rates[] = {100.0, 1000.0}, truth = 1e8, noise = 1e-6;
  struct random rng = random_from(test_seed());
  for (int k = 0; k < 2; k++) {
    struct base_liveliness l = quiet();
    const double dt = 1.0 / rates[k];
    for (double t = 0.0; t < 0.4; t += dt) {
      base_liveliness_step(&l, innovation_of(l.density, truth, noise, dt, &rng), dt);
    }
    double mean = 0.0;
    for (int i = 0; i < 1000; i++) {
      base_liveliness_step(&l, innovation_of(l.density, truth, noise, dt, &rng), dt);
      mean += log(l.density / truth) / 1000.0;
    }
    ck_assert_double_lt(fabs(mean), log(3.0));
  }
}
END_TEST

START_TEST(it_is_as_at_rest_again_half_a_second_after_the_base_came_to_rest) {
  struct base_liveliness l = quiet();
  struct random rng = random_from(test_seed());
  l.density = 1e9;
  for (double t = 0.0; t < 0.5; t += 1e-3) {
    base_liveliness_step(&l, innovation_of(l.density, 1.0, 1e-6, 1e-3, &rng), 1e-3);
  }
  ck_assert_double_eq(l.density, LEAST);
}
END_TEST

START_TEST(a_blow_of_ten_samples_is_no_liveliness) {
  struct base_liveliness l = quiet();
  for (int i = 0; i < 10; i++) {
    base_liveliness_step(&l, 1e9, 1e-3);
  }
  ck_assert_double_lt(l.density, 2.0 * LEAST);
  ck_assert_double_ge(l.density, LEAST);
}
END_TEST

START_TEST(what_is_no_number_and_time_that_does_not_pass_change_nothing) {
  struct base_liveliness l = quiet();
  base_liveliness_step(&l, (double)NAN, 1e-3);
  base_liveliness_step(&l, 1e3, 0.0);
  base_liveliness_step(&l, 1e3, -1.0);
  ck_assert_double_eq(l.density, LEAST);
  ck_assert_double_eq(l.nis, 1.0);
  ck_assert_int_eq(base_liveliness_init(&l, 0.0), STATUS_OUT_OF_RANGE);
  ck_assert_int_eq(base_liveliness_init(&l, (double)NAN), STATUS_OUT_OF_RANGE);
}
END_TEST

SUITE(a_slow_and_a_fast_imu_find_how_lively_the_base_is_within_a_few_tenths_of_a_second,
      it_is_as_at_rest_again_half_a_second_after_the_base_came_to_rest,
      a_blow_of_ten_samples_is_no_liveliness,
      what_is_no_number_and_time_that_does_not_pass_change_nothing)
