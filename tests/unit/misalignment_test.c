#include "misalignment.h"
#include "suite.h"

#include <math.h>

static const double DT = 0.02;

enum { LOAD_EVERY = 125, LOAD_FOR = 5 };

/* Forces of a swaying robot, in units of their noise; residuals of a sensor that is `late`. Now and
 * then the last force grows by `load`, which is a residual until the load is known. */
static void sway_loaded(struct misalignment *misalignment, double late, double noise, double load,
                        int samples) {
  struct random random = random_from(test_seed());
  double carried = 0.0;
  for (int k = 0; k < samples; k++) {
    double force[6], residual[6];
    carried += k % LOAD_EVERY == LOAD_EVERY - 1 ? load : 0.0;
    for (int i = 0; i < 6; i++) {
      const double w = 3.0 + i, t = k * DT, n = noise * random_normal(&random);
      force[i] = 20.0 * sin(w * (t - late)) + n;
      residual[i] = 20.0 * (sin(w * (t - late)) - sin(w * t)) + n;
    }
    force[5] += carried;
    residual[5] += k % LOAD_EVERY < LOAD_FOR && k > LOAD_FOR ? load : 0.0;
    misalignment_step(misalignment, DT, force, residual, 6);
  }
}

static void sway(struct misalignment *misalignment, double late, double noise, int samples) {
  sway_loaded(misalignment, late, noise, 0.0, samples);
}

START_TEST(the_delay_is_found_with_its_sign) {
  const double lates[3] = {4e-3, -3e-3, 0.0};
  for (int i = 0; i < 3; i++) {
    struct misalignment misalignment;
    misalignment_init(&misalignment, 5.0, 20e-3);
    double delay, deviation;
    sway(&misalignment, lates[i], 1.0, 500);
    ck_assert(misalignment_delay(&misalignment, 2e-3, &delay, &deviation));
    assert_near(delay, lates[i], 1e-3);
    ck_assert_double_lt(deviation, 1e-3);
  }
}
END_TEST

START_TEST(a_load_that_is_taken_up_is_no_delay) {
  struct misalignment misalignment;
  misalignment_init(&misalignment, 5.0, 20e-3);
  double delay, deviation;
  sway_loaded(&misalignment, 0.0, 1.0, 60.0, 500);
  ck_assert(misalignment_delay(&misalignment, 2e-3, &delay, &deviation));
  assert_near(delay, 0.0, 0.5e-3);
}
END_TEST

START_TEST(a_constant_residual_is_no_delay) {
  struct misalignment misalignment;
  misalignment_init(&misalignment, 5.0, 20e-3);
  double delay, deviation;
  for (int k = 0; k < 500; k++) { /* rises fast, falls slowly: slopes have a mean */
    double force[6] = {0}, residual[6] = {0};
    force[2] = 30.0 * fmod(0.13 * k, 1.0) * (k % 3);
    residual[2] = 2.5;
    misalignment_step(&misalignment, DT, force, residual, 6);
  }
  ck_assert(misalignment_delay(&misalignment, 2e-3, &delay, &deviation));
  assert_near(delay, 0.0, 1e-9);
}
END_TEST

START_TEST(slopes_are_not_taken_across_a_break) {
  struct misalignment misalignment;
  misalignment_init(&misalignment, 5.0, 20e-3);
  double delay = 7.0, deviation = 7.0;
  for (int k = 0; k < 200; k++) {
    const double value = (double)(k / 4); /* jumps during the breaks */
    const double force[6] = {value, value, value, value, value, value}, residual[6] = {0.1};
    misalignment_step(&misalignment, DT, force, residual, 6);
    if (k % 4 == 3) {
      misalignment_break(&misalignment);
    }
  }
  ck_assert(!misalignment_delay(&misalignment, 2e-3, &delay, &deviation));
}
END_TEST

START_TEST(forces_that_do_not_move_tell_nothing) {
  struct misalignment misalignment;
  misalignment_init(&misalignment, 5.0, 20e-3);
  const double force[6] = {1, 2, 3, 4, 5, 600}, residual[6] = {1, 1, 1, 1, 1, 1};
  double delay = 7.0, deviation = 7.0;
  for (int k = 0; k < 100; k++) {
    misalignment_step(&misalignment, DT, force, residual, 6);
  }
  ck_assert(!misalignment_delay(&misalignment, 2e-3, &delay, &deviation));
  ck_assert(delay == 7.0 && deviation == 7.0);
}
END_TEST

SUITE(the_delay_is_found_with_its_sign, a_load_that_is_taken_up_is_no_delay,
      a_constant_residual_is_no_delay, slopes_are_not_taken_across_a_break,
      forces_that_do_not_move_tell_nothing)
