#include "misalignment.h"
#include "suite.h"

#include <math.h>

static const double DT = 0.02;

/* Forces of a swaying robot, in units of their noise; residuals of a sensor that is `late`. */
static void sway(struct misalignment *misalignment, double late, double noise, int samples) {
  struct random random = random_from(test_seed());
  for (int k = 0; k < samples; k++) {
    double force[6], residual[6];
    for (int i = 0; i < 6; i++) {
      const double w = 3.0 + i, t = k * DT, n = noise * random_normal(&random);
      force[i] = 20.0 * sin(w * (t - late)) + n;
      residual[i] = 20.0 * (sin(w * (t - late)) - sin(w * t)) + n;
    }
    misalignment_step(misalignment, DT, force, residual, 6);
  }
}

START_TEST(the_delay_is_found_with_its_sign) {
  const double lates[3] = {4e-3, -3e-3, 0.0};
  for (int i = 0; i < 3; i++) {
    struct misalignment misalignment;
    misalignment_init(&misalignment, 5.0);
    double delay, deviation;
    sway(&misalignment, lates[i], 1.0, 500);
    ck_assert(misalignment_delay(&misalignment, 2e-3, &delay, &deviation));
    assert_near(delay, lates[i], 1e-3);
    ck_assert_double_lt(deviation, 1e-3);
  }
}
END_TEST

START_TEST(forces_that_do_not_move_tell_nothing) {
  struct misalignment misalignment;
  misalignment_init(&misalignment, 5.0);
  const double force[6] = {1, 2, 3, 4, 5, 600}, residual[6] = {1, 1, 1, 1, 1, 1};
  double delay = 7.0, deviation = 7.0;
  for (int k = 0; k < 100; k++) {
    misalignment_step(&misalignment, DT, force, residual, 6);
  }
  ck_assert(!misalignment_delay(&misalignment, 2e-3, &delay, &deviation));
  ck_assert(delay == 7.0 && deviation == 7.0);
}
END_TEST

SUITE(the_delay_is_found_with_its_sign, forces_that_do_not_move_tell_nothing)
