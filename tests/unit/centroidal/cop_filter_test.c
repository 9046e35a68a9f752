#include "centroidal/cop_filter.h"

#include "support/suite.h"

#include <stdio.h>

static const double DT = 0.01, HEIGHT = 0.5;

static struct cop_filter filter_with(double reach, double time_s) {
  struct cop_filter_settings settings = cop_filter_defaults();
  struct cop_filter filter;
  settings.reach = reach;
  settings.time_s = time_s;
  ck_assert_int_eq(cop_filter_init(&filter, &settings), STATUS_OK);
  return filter;
}

static struct cop_filter filter_of(double reach) {
  return filter_with(reach, cop_filter_defaults().time_s);
}

static struct cop_surroundings standing_at(vec3 com_W, double dt) {
  return (struct cop_surroundings){.com_W = com_W, .height = HEIGHT, .dt = dt};
}

/* A point that moves as the filter believes, measured with white noise of `noise` m. */
struct moving_point {
  double offset, measured;
};

static void move(struct moving_point *point, const struct cop_filter_settings *s, double dt,
                 double noise, struct random *rng) {
  const double left = exp(-dt / s->time_s);
  point->offset =
      left * point->offset + sqrt(1.0 - left * left) * s->reach * HEIGHT * random_normal(rng);
  point->measured = point->offset + noise * random_normal(rng);
}

/* Mean squares over a long run: of the error, as part of the measured one; and in deviations. */
static void follow_point(double time_s, double noise, double *part, double *normalised) {
  enum { STEPS = 20000 };
  struct random rng = random_from(test_seed());
  struct cop_filter filter = filter_with(0.2, time_s);
  struct moving_point point = {0.0, 0.0};
  double raw = 0.0, square = 0.0;
  *normalised = 0.0;
  for (int step = 0; step < STEPS; step++) {
    const vec3 com = {0.3, 1e-3 * step, 0.6};
    const struct cop_surroundings now = standing_at(com, DT);
    move(&point, &filter.settings, DT, noise, &rng);
    vec3 cop = {com.x, com.y + point.measured, 0.1};
    double sd[2] = {noise, noise};
    cop_filter_step(&filter, &now, &cop, sd);
    const double error = cop.y - com.y - point.offset;
    raw += (point.measured - point.offset) * (point.measured - point.offset);
    square += error * error;
    *normalised += error * error / (sd[1] * sd[1]) / STEPS;
    ck_assert_double_eq(cop.z, 0.1);
  }
  *part = square / raw;
}

START_TEST(a_noisy_point_comes_out_better_and_no_better_than_its_deviation_says) {
  const double noise[] = {0.03, 0.1, 0.3}, part_of[] = {0.95, 0.55, 0.12};
  for (int level = 0; level < 3; level++) {
    double part, normalised;
    follow_point(0.2, noise[level], &part, &normalised);
    ck_assert_double_lt(part, 0.65);
    ck_assert_double_lt(normalised, 1.0);
    follow_point(cop_filter_defaults().time_s, noise[level], &part, &normalised);
    ck_assert_double_lt(part, part_of[level]);
    ck_assert_double_lt(sqrt(part) * noise[level], 0.2 * HEIGHT);
    assert_near(normalised, 1.0, 0.1);
  }
}
END_TEST

START_TEST(a_point_that_is_known_to_a_millimetre_passes) {
  struct cop_filter filter = filter_of(0.2);
  for (int step = 0; step < 1000; step++) {
    const struct cop_surroundings now = standing_at((vec3){0.0, 0.0, 0.5}, 1e-3);
    const double x = step < 500 ? 0.02 : -0.1; /* another foot carries */
    vec3 cop = {x, 0.0, 0.0};
    double sd[2] = {1e-3, 1e-3};
    cop_filter_step(&filter, &now, &cop, sd);
    if (step % 500 > 5) {
      assert_near(cop.x, x, 1e-3);
    }
    ck_assert_double_le(sd[0], 1e-3);
  }
}
END_TEST

START_TEST(a_push_that_holds_it_outside_is_shown) {
  struct cop_filter filter = filter_of(0.2);
  vec3 cop;
  for (int step = 0; step < 100; step++) {
    const struct cop_surroundings now = standing_at((vec3){0.0, 0.0, 0.5}, DT);
    double sd[2] = {0.01, 0.01};
    cop = (vec3){0.4, 0.0, 0.0};
    cop_filter_step(&filter, &now, &cop, sd);
  }
  ck_assert_double_gt(cop.x, 0.38);
}
END_TEST

START_TEST(without_reach_and_after_it_was_lost_the_motion_alone_speaks) {
  struct cop_filter bare = filter_of(0.0), filter = filter_of(0.2);
  const struct cop_surroundings now = standing_at(VEC3_ZERO, DT);
  vec3 cop = {0.3, -0.2, 0.0};
  double sd[2] = {0.5, 0.6};
  cop_filter_step(&bare, &now, &cop, sd);
  ck_assert_double_eq(cop.x, 0.3);
  ck_assert_double_eq(sd[1], 0.6);
  for (int step = 0; step < 100; step++) {
    vec3 there = {0.1, 0.0, 0.0};
    double sure[2] = {1e-3, 1e-3};
    cop_filter_step(&filter, &now, &there, sure);
  }
  cop_filter_lose(&filter);
  vec3 other = {-0.1, 0.0, 0.0};
  double fair[2] = {0.1, 0.1};
  cop_filter_step(&filter, &now, &other, fair);
  assert_near(other.x, -0.05, 1e-12); /* as sure as what is ordinary: the half of it */
}
END_TEST

START_TEST(what_is_not_finite_passes_and_leaves_nothing_behind) {
  struct cop_filter filter = filter_of(0.2);
  const double wrong[] = {(double)NAN, HUGE_VAL};
  for (int i = 0; i < 6; i++) {
    struct cop_surroundings now = standing_at(VEC3_ZERO, DT);
    vec3 cop = {0.05, 0.02, 0.0};
    double sd[2] = {0.02, 0.03}, *const spoilt[] = {&cop.x, &sd[1], &now.com_W.y};
    *spoilt[i % 3] = wrong[i / 3];
    cop_filter_step(&filter, &now, &cop, sd);
    ck_assert(!(isfinite(cop.x) && isfinite(sd[1])) || i % 3 == 2);
    const struct cop_surroundings next = standing_at(VEC3_ZERO, DT);
    vec3 good = {0.05, 0.02, 0.0};
    double sure[2] = {1e-3, 1e-3};
    cop_filter_step(&filter, &next, &good, sure);
    assert_near(good.x, 0.05, 1e-4);
    assert_near(good.y, 0.02, 1e-4);
  }
}
END_TEST

START_TEST(strikes_and_what_is_hidden_widen_what_is_said_alone) {
  struct cop_filter filter = filter_of(0.2), struck = filter;
  struct cop_surroundings now = standing_at(VEC3_ZERO, DT);
  vec3 cop = {0.05, 0.02, 0.0}, same = cop;
  double sd[2] = {0.02, 0.03}, wider[2] = {0.02, 0.03};
  cop_filter_step(&filter, &now, &cop, sd);
  now.strike = true;
  now.hidden[0] = 0.01;
  now.hidden[1] = 0.07;
  cop_filter_step(&struck, &now, &same, wider);
  ck_assert_double_eq(cop.x, same.x);
  ck_assert_double_eq(filter.variance[1], struck.variance[1]);
  for (int axis = 0; axis < 2; axis++) {
    assert_near(wider[axis], hypot(hypot(sd[axis], now.hidden[axis]), filter.settings.strike_sd),
                1e-15);
  }
}
END_TEST

/* Errors that last for 5 ms are no more known when they are read five times as often. */
START_TEST(many_steps_whose_errors_are_alike_do_not_make_it_surer_than_it_is) {
  enum { STEPS = 40000, LASTS = 5 };
  const double noise = 0.05, dt = 1e-3, time_s[] = {0.01, 0.2};
  for (int k = 0; k < 2; k++) {
    struct random rng = random_from(test_seed());
    struct cop_filter filter = filter_with(0.2, time_s[k]);
    struct moving_point point = {0.0, 0.0};
    double error = 0.0, normalised = 0.0;
    for (int step = 0; step < STEPS; step++) {
      const struct cop_surroundings now = standing_at(VEC3_ZERO, dt);
      move(&point, &filter.settings, dt, 0.0, &rng);
      error = step % LASTS == 0 ? noise * random_normal(&rng) : error;
      vec3 cop = {point.offset + error, 0.0, 0.0};
      double sd[2] = {noise, noise};
      cop_filter_step(&filter, &now, &cop, sd);
      normalised += (cop.x - point.offset) * (cop.x - point.offset) / (sd[0] * sd[0]) / STEPS;
    }
    ck_assert_double_lt(normalised, 1.2);
    ck_assert_double_gt(normalised, 0.4);
  }
}
END_TEST

/* A trot throws it from foot to foot within some ms, and while feet strike the wrench's deviation
 * is three times its error: a memory of .2 s held the point where it had been, further off. */
START_TEST(a_point_that_is_thrown_from_foot_to_foot_is_followed) {
  struct random rng = random_from(test_seed());
  struct cop_filter filter = filter_of(cop_filter_defaults().reach);
  double bare = 0.0, weighed = 0.0;
  for (int step = 0; step < 4000; step++) {
    const struct cop_surroundings now = standing_at(VEC3_ZERO, 1e-3);
    const double truth = step / 200 % 2 == 0 ? 0.05 : -0.05, told = step % 200 < 40 ? 0.1 : 0.02;
    vec3 cop = {truth + told / 3.0 * random_normal(&rng), 0.0, 0.0};
    double sd[2] = {told, told};
    bare += fabs(cop.x - truth);
    cop_filter_step(&filter, &now, &cop, sd);
    weighed += fabs(cop.x - truth);
  }
  printf("%.2f of the wrench's error\n", weighed / bare);
  ck_assert_double_lt(weighed, bare);
}
END_TEST

SUITE(a_noisy_point_comes_out_better_and_no_better_than_its_deviation_says,
      a_point_that_is_known_to_a_millimetre_passes, a_push_that_holds_it_outside_is_shown,
      without_reach_and_after_it_was_lost_the_motion_alone_speaks,
      what_is_not_finite_passes_and_leaves_nothing_behind,
      strikes_and_what_is_hidden_widen_what_is_said_alone,
      many_steps_whose_errors_are_alike_do_not_make_it_surer_than_it_is,
      a_point_that_is_thrown_from_foot_to_foot_is_followed)
