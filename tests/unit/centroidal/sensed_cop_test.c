/* The motion's centre of pressure is off by an error that wanders; feet tell of it now and then. */
#include "centroidal/sensed_cop.h"

#include "support/random_model.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>

#define DT    1e-3 /* s */
#define FELT  2e-3 /* m: noise of what is felt */
#define WRONG 2e-2 /* m: one deviation of the motion's error */

/* How sure and how right the weighed point is: every `every` ms the feet measure, and the error
 * lasts for `lasts` s. */
struct outcome {
  double nees, rms; /* per axis; m */
};

static struct outcome walk(int every, double lasts, int seconds) {
  struct random rng = random_from(test_seed());
  struct sensed_cop sensed = {.t_ns = 0};
  struct outcome outcome = {0.0, 0.0};
  const double left = exp(-DT / lasts);
  double error[2] = {0.0, 0.0};
  vec3 apart_W = VEC3_ZERO;
  int n = 0;
  for (int k = 1; k < 1000 * seconds; k++) {
    for (int i = 0; i < 2; i++) {
      error[i] = left * error[i] + WRONG * sqrt(1.0 - left * left) * random_normal(&rng);
    }
    const vec3 motion_W = {error[0], error[1], 0.0}; /* the truth is at the origin */
    if (k % every == 0) {
      const vec3 felt_W = {FELT * random_normal(&rng), FELT * random_normal(&rng), 0.0};
      apart_W = vec3_sub(felt_W, motion_W);
      sensed_cop_take(&sensed, 1000000LL * k, felt_W, motion_W, FELT);
    }
    vec3 cop_W = motion_W, sd = {WRONG, WRONG, 0.0};
    sensed_cop_weigh(&sensed, 1000000LL * k, apart_W, &cop_W, &sd);
    if (k > 2000) {
      outcome.nees += 0.5 * (cop_W.x * cop_W.x / (sd.x * sd.x) + cop_W.y * cop_W.y / (sd.y * sd.y));
      outcome.rms += 0.5 * (cop_W.x * cop_W.x + cop_W.y * cop_W.y);
      n++;
    }
  }
  return (struct outcome){outcome.nees / n, sqrt(outcome.rms / n)};
}

START_TEST(between_its_measurements_the_point_is_as_sure_as_it_is_right) {
  static const struct {
    int every;
    double lasts;
  } cases[] = {{1, 0.01}, {5, 0.01}, {10, 0.01}, {10, 0.05}, {2, 0.002}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    const struct outcome of = walk(cases[i].every, cases[i].lasts, 20);
    printf("measured every %d ms, lasts %.3f s: NEES %.2f, rms %.2f mm\n", cases[i].every,
           cases[i].lasts, of.nees, 1e3 * of.rms);
    ck_assert_double_gt(of.nees, 0.6);
    ck_assert_double_lt(of.nees, 1.5);
  }
}
END_TEST

START_TEST(it_is_never_worse_than_the_motion_alone_and_as_good_as_the_feet_when_they_measure) {
  ck_assert_double_lt(walk(10, 0.003, 20).rms, WRONG);
  ck_assert_double_lt(walk(1, 0.003, 20).rms, 1.05 * FELT);
}
END_TEST

START_TEST(the_same_measurement_again_teaches_nothing) {
  struct sensed_cop once = {.t_ns = 0}, again = {.t_ns = 0};
  for (int k = 1; k < 100; k++) {
    const vec3 motion_W = {0.01 * sin(k), 0.01 * cos(k), 0.0};
    sensed_cop_take(&once, 1000000LL * k, VEC3_ZERO, motion_W, FELT);
    for (int times = 0; times < 3; times++) {
      sensed_cop_take(&again, 1000000LL * k, VEC3_ZERO, motion_W, FELT);
    }
  }
  ck_assert_double_eq(once.axis[0].product, again.axis[0].product);
  ck_assert_double_eq(once.axis[1].square, again.axis[1].square);
}
END_TEST

START_TEST(points_that_contradict_each_other_are_both_within_the_deviation) {
  struct sensed_cop sensed = {.t_ns = 0};
  const vec3 apart_W = {0.3, 0.0, 0.0};
  vec3 cop_W = VEC3_ZERO, sd = {1e-3, 1e-3, 0.0};
  sensed_cop_take(&sensed, 1000000, apart_W, VEC3_ZERO, 1e-3);
  sensed_cop_weigh(&sensed, 1000000, apart_W, &cop_W, &sd);
  ck_assert_double_ge(sd.x, 0.15);
  ck_assert_double_lt(sd.y, 1e-3);
}
END_TEST

SUITE(between_its_measurements_the_point_is_as_sure_as_it_is_right,
      it_is_never_worse_than_the_motion_alone_and_as_good_as_the_feet_when_they_measure,
      the_same_measurement_again_teaches_nothing,
      points_that_contradict_each_other_are_both_within_the_deviation)
