#include "inertial/misalignment.h"
#include "support/suite.h"

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
    struct misalignment_sample sample = {.rate = {0.0}};
    double *force = sample.force, *residual = sample.residual;
    carried += k % LOAD_EVERY == LOAD_EVERY - 1 ? load : 0.0;
    for (int i = 0; i < 6; i++) {
      const double w = 3.0 + i, t = k * DT, n = noise * random_normal(&random);
      force[i] = 20.0 * sin(w * (t - late)) + n;
      residual[i] = 20.0 * (sin(w * (t - late)) - sin(w * t)) + n;
    }
    force[5] += carried;
    residual[5] += k % LOAD_EVERY < LOAD_FOR && k > LOAD_FOR ? load : 0.0;
    misalignment_step(misalignment, DT, &sample, 6);
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
    sway(&misalignment, lates[i], 1.0, 500);
    const struct inertial_delay delay = misalignment_delay(&misalignment, 0, 6, 2e-3);
    ck_assert(delay.known);
    assert_near(delay.s, lates[i], 1e-3);
    ck_assert_double_lt(delay.sd_s, 1e-3);
  }
}
END_TEST

START_TEST(a_load_that_is_taken_up_is_no_delay) {
  struct misalignment misalignment;
  misalignment_init(&misalignment, 5.0, 20e-3);
  sway_loaded(&misalignment, 0.0, 1.0, 60.0, 500);
  const struct inertial_delay delay = misalignment_delay(&misalignment, 0, 6, 2e-3);
  ck_assert(delay.known);
  assert_near(delay.s, 0.0, 0.5e-3);
}
END_TEST

START_TEST(a_constant_residual_is_no_delay) {
  struct misalignment misalignment;
  misalignment_init(&misalignment, 5.0, 20e-3);
  for (int k = 0; k < 500; k++) { /* rises fast, falls slowly: slopes have a mean */
    struct misalignment_sample sample = {.rate = {0.0}};
    sample.force[2] = 60.0 * fmod(0.03 * k, 1.0) + 10.0 * sin(0.2 * k);
    sample.residual[2] = 2.5;
    misalignment_step(&misalignment, DT, &sample, 6);
  }
  const struct inertial_delay delay = misalignment_delay(&misalignment, 0, 6, 2e-3);
  ck_assert(delay.known);
  assert_near(delay.s, 0.0, 1e-9);
}
END_TEST

START_TEST(slopes_are_not_taken_across_a_break) {
  struct misalignment misalignment;
  misalignment_init(&misalignment, 5.0, 20e-3);
  for (int broken = 1; broken >= 0; broken--) {
    for (int k = 0; k < 200; k++) {
      const double value = 100.0 * sin(0.3 * k);
      const struct misalignment_sample sample = {
          .force = {value, value, value, value, value, value}, .residual = {0.1}};
      misalignment_step(&misalignment, DT, &sample, 6);
      if (broken && k % 4 == 3) {
        misalignment_break(&misalignment);
      }
    }
    ck_assert(misalignment_delay(&misalignment, 0, 6, 2e-3).known == !broken);
  }
}
END_TEST

START_TEST(forces_that_do_not_move_tell_nothing) {
  struct misalignment misalignment;
  misalignment_init(&misalignment, 5.0, 20e-3);
  const struct misalignment_sample sample = {.force = {1, 2, 3, 4, 5, 600},
                                             .residual = {1, 1, 1, 1, 1, 1}};
  for (int k = 0; k < 100; k++) {
    misalignment_step(&misalignment, DT, &sample, 6);
  }
  ck_assert(!misalignment_delay(&misalignment, 0, 6, 2e-3).known);
}
END_TEST

/* Torques of a joint that carries others, which move at another frequency; friction that the model
 * does not know, of 2 with the rate and `dry` with its sense. */
static void rub(struct misalignment *misalignment, double late, double others, double dry,
                int samples) {
  struct random random = random_from(test_seed());
  for (int k = 0; k < samples; k++) {
    struct misalignment_sample sample;
    const double t = k * DT, w = 3.0, v = 7.0, n = random_normal(&random);
    sample.rate[0] = cos(w * t);
    sample.force[0] = 40.0 * sin(w * (t - late)) + others * sin(v * (t - late)) + n;
    sample.residual[0] = sample.force[0] - 40.0 * sin(w * t) - others * sin(v * t) +
                         2.0 * sample.rate[0] + copysign(dry, sample.rate[0]);
    misalignment_step(misalignment, DT, &sample, 1);
  }
}

/* Much of it was not counted, being more than a delay leaves, and the rest told of a delay. */
START_TEST(friction_that_the_model_does_not_know_is_no_delay) {
  const double lates[3] = {4e-3, -3e-3, 0.0}, dry[2] = {1.0, 15.0};
  for (int i = 0; i < 6; i++) {
    struct misalignment misalignment;
    misalignment_init(&misalignment, 5.0, 12e-3);
    rub(&misalignment, lates[i % 3], 25.0, dry[i / 3], 1000);
    const struct inertial_delay delay = misalignment_delay(&misalignment, 0, 6, 2e-3);
    ck_assert(delay.known);
    assert_near(delay.s, lates[i % 3], 1e-3);
  }
}
END_TEST

START_TEST(what_may_be_friction_or_delay_is_told_as_neither) {
  struct misalignment misalignment;
  misalignment_init(&misalignment, 5.0, 20e-3);
  rub(&misalignment, 0.0, 0.0, 1.0, 1000);
  ck_assert(!misalignment_delay(&misalignment, 0, 6, 2e-3).known);
}
END_TEST

/* Of a foot that stands for .4 of every .7 s, and sways. */
static double step_force(double t) {
  const double since = fmod(t, 0.7) - 0.1;
  return 60.0 * sin(4.0 * t) + 75.0 * (tanh(since / 3e-3) - tanh((since - 0.4) / 3e-3));
}

/* Means over 10 ms of such forces, each in units of its noise. */
static void walk(struct misalignment *misalignment, double late, int samples) {
  enum { TOGETHER = 10 };
  struct random random = random_from(test_seed());
  const double dt = 0.01;
  for (int k = 0; k < samples; k++) {
    struct misalignment_sample sample = {.rate = {0.0}};
    for (int i = 0; i < TOGETHER; i++) {
      const double t = (k + (double)i / TOGETHER) * dt, force = step_force(t - late);
      sample.force[0] += force / TOGETHER;
      sample.residual[0] += (force - step_force(t)) / TOGETHER;
    }
    sample.force[0] += random_normal(&random);
    misalignment_step(misalignment, dt, &sample, 1);
  }
}

START_TEST(strikes_do_not_make_a_delay_smaller) {
  const double lates[3] = {4e-3, -4e-3, 0.0};
  for (int i = 0; i < 3; i++) {
    struct misalignment misalignment;
    misalignment_init(&misalignment, 5.0, 12e-3);
    walk(&misalignment, lates[i], 1000);
    const struct inertial_delay delay = misalignment_delay(&misalignment, 0, 6, 1e-3);
    ck_assert(delay.known);
    assert_near(delay.s, lates[i], 0.5e-3);
  }
}
END_TEST

START_TEST(a_few_samples_and_delays_longer_than_looked_for_tell_nothing) {
  struct misalignment misalignment;
  misalignment_init(&misalignment, 5.0, 20e-3);
  sway(&misalignment, 4e-3, 0.01, 10);
  ck_assert(!misalignment_delay(&misalignment, 0, 6, 1e-3).known);
  misalignment_init(&misalignment, 5.0, 2e-3);
  sway(&misalignment, 3e-3, 0.01, 500);
  ck_assert(!misalignment_delay(&misalignment, 0, 6, 1e-3).known);
}
END_TEST

START_TEST(a_row_that_is_not_there_now_and_then_spoils_nothing) {
  struct misalignment misalignment;
  misalignment_init(&misalignment, 5.0, 20e-3);
  for (int k = 0; k < 1000; k++) {
    const double t = k * DT;
    struct misalignment_sample sample = {.force = {30.0 * sin(5.0 * (t - 3e-3))}};
    sample.residual[0] = sample.force[0] - 30.0 * sin(5.0 * t);
    sample.force[1] = (double)NAN;
    sample.residual[1] = (double)NAN;
    if (k % 50 == 0) {
      sample.force[0] = sample.residual[0] = (double)NAN;
    }
    misalignment_step(&misalignment, DT, &sample, 2);
  }
  const struct inertial_delay delay = misalignment_delay(&misalignment, 0, 6, 2e-3);
  ck_assert(delay.known);
  assert_near(delay.s, 3e-3, 1e-3);
}
END_TEST

SUITE(the_delay_is_found_with_its_sign, a_load_that_is_taken_up_is_no_delay,
      a_constant_residual_is_no_delay, slopes_are_not_taken_across_a_break,
      forces_that_do_not_move_tell_nothing, friction_that_the_model_does_not_know_is_no_delay,
      what_may_be_friction_or_delay_is_told_as_neither, strikes_do_not_make_a_delay_smaller,
      a_few_samples_and_delays_longer_than_looked_for_tell_nothing,
      a_row_that_is_not_there_now_and_then_spoils_nothing)
