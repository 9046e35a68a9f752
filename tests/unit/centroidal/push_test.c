#include "centroidal/push.h"

#include "support/suite.h"

#include <math.h>

static const double WEIGHT = 650.0, DT = 1e-3;
static struct random rng;

static vec3 noise(double sd) {
  return (vec3){sd * random_normal(&rng), sd * random_normal(&rng), sd * random_normal(&rng)};
}

static struct push begin(void) {
  struct push push;
  const struct push_settings settings = push_defaults();
  ck_assert_int_eq(push_init(&push, &settings), STATUS_OK);
  rng = random_from(test_seed());
  return push;
}

/* A half-sine of 60 N along x over 0.2 s. The feet take `ground` of it. Answers when it was
 * seen. */
static double shove(struct push *push, bool feet_known, double ground, vec3 offset) {
  double seen = -1.0;
  for (int i = 0; i < 3500; i++) {
    const double t = DT * i - 2.0;
    const double f = t >= 0.0 && t < 0.2 ? 60.0 * sin(M_PI * t / 0.2) : 0.0;
    const vec3 feet = vec3_add(vec3_add((vec3){-ground * f, 0.0, WEIGHT}, offset), noise(0.5));
    const vec3 net = vec3_add((vec3){(1.0 - ground) * f, 0.0, WEIGHT}, noise(0.5));
    push_step(push, net, feet_known ? &feet : NULL, VEC3_ZERO, WEIGHT, DT);
    if (t < 0.0) {
      ck_assert_msg(!push->active, "a push %.3f s before there was one", -t);
    }
    seen = push->active && seen < 0.0 ? t : seen;
  }
  return seen;
}

START_TEST(with_the_feet_known_onset_and_impulse_are_those_of_the_push_whatever_the_ground_takes) {
  for (int k = 0; k < 3; k++) {
    struct push push = begin();
    const double seen = shove(&push, true, 0.4 * k, (vec3){5.0, -8.0, 12.0});
    ck_assert_double_ge(seen, 0.0);
    ck_assert_double_le(seen, 0.02);
    ck_assert(push.observable);
    ck_assert(!push.active); /* over by now */
    assert_near(push.impulse_W.x, 60.0 * 0.2 * 2.0 / M_PI, 0.8);
    assert_near(push.impulse_W.y, 0.0, 0.8);
    ck_assert_uint_eq(push.count, 1);
    ck_assert_double_eq(vec3_norm(push.force_W), 0.0);
  }
}
END_TEST

START_TEST(without_the_feet_the_impulse_is_a_lower_bound_and_says_so) {
  struct push push = begin();
  const double seen = shove(&push, false, 0.7, VEC3_ZERO);
  ck_assert_double_ge(seen, 0.0);
  ck_assert_double_le(seen, 0.04);
  ck_assert(!push.observable);
  ck_assert_double_gt(push.impulse_W.x, 0.0);
  ck_assert_double_lt(push.impulse_W.x, 60.0 * 0.2 * 2.0 / M_PI);
}
END_TEST

START_TEST(a_gait_whose_net_force_swings_is_no_push) {
  struct push push = begin();
  for (int i = 0; i < 20000; i++) {
    const double t = DT * i;
    const vec3 net =
        vec3_add((vec3){60.0 * sin(8.0 * t), 90.0 * sin(4.0 * t), WEIGHT + 80.0 * sin(16.0 * t)},
                 noise(3.0));
    push_step(&push, net, NULL, VEC3_ZERO, WEIGHT, DT);
    ck_assert(!push.active);
  }
}
END_TEST

START_TEST(a_force_within_what_it_is_known_to_be_wrong_by_is_no_push) {
  const vec3 rest = {0.0, 0.0, WEIGHT}, strike = {0.0, 40.0, WEIGHT};
  const vec3 doubtful[2] = {{1.0, 10.0, 1.0}, {10.0, 1.0, 10.0}};
  for (int axis = 0; axis < 2; axis++) {
    struct push push = begin();
    for (int i = 0; i < 2000; i++) {
      push_step(&push, vec3_add(rest, noise(0.1)), &rest, VEC3_ZERO, WEIGHT, DT);
    }
    for (int i = 0; i < 20; i++) {
      push_step(&push, strike, &rest, doubtful[axis], WEIGHT, DT);
    }
    ck_assert_int_eq(push.active, axis == 1); /* doubt along another axis excuses nothing */
  }
}
END_TEST

START_TEST(a_load_that_stays_is_learned_and_ceases_to_be_a_push_but_never_to_be_strange) {
  struct push push = begin();
  for (int i = 0; i < 12000; i++) {
    const vec3 feet = {0.0, 0.0, WEIGHT + (i > 2000 ? 80.0 : 0.0)};
    push_step(&push, (vec3){0.0, 0.0, WEIGHT}, &feet, VEC3_ZERO, WEIGHT, DT);
    if (i == 2200) {
      ck_assert(push.active);
    }
    assert_near(push_strange_weight(&push), i > 2000 ? 80.0 : 0.0,
                i > 2000 && i < 2400 ? 80.0 : 2.0);
  }
  ck_assert(!push.active);
  assert_near(push.mean_W.z, -80.0, 1.0);
  push_step(&push, (vec3){0.0, 0.0, WEIGHT}, NULL, VEC3_ZERO, WEIGHT, DT);
  ck_assert_double_eq(push_strange_weight(&push), 0.0); /* nobody feels it any more */
}
END_TEST

/* Hung from a crane, the whole robot was a load that its model did not have. */
START_TEST(what_else_carries_the_robot_is_no_load) {
  struct push push = begin();
  for (int i = 0; i < 8000; i++) {
    const vec3 feet = {0.0, 0.0, i > 2000 ? 0.2 * WEIGHT : WEIGHT};
    push_step(&push, (vec3){0.0, 0.0, WEIGHT}, &feet, VEC3_ZERO, WEIGHT, DT);
    ck_assert_double_eq(push_strange_weight(&push), 0.0);
  }
}
END_TEST

START_TEST(numbers_that_are_none_and_settings_that_make_no_sense_are_refused) {
  struct push push = begin();
  struct push_settings settings = push_defaults();
  push_step(&push, (vec3){(double)NAN, 0.0, 0.0}, NULL, VEC3_ZERO, WEIGHT, DT);
  ck_assert(isfinite(push.mean_W.x));
  settings.memory_s = 0.0;
  ck_assert_int_eq(push_init(&push, &settings), STATUS_OUT_OF_RANGE);
}
END_TEST

START_TEST(what_is_over_before_it_is_confirmed_is_no_part_of_a_later_push) {
  struct push push = begin();
  const double confirm_s = push.settings.confirm_s;
  const vec3 rest = {0.0, 0.0, WEIGHT}, hit = {400.0, 0.0, WEIGHT}, later = {60.0, 0.0, WEIGHT};
  for (int i = 0; i < 2000; i++) {
    push_step(&push, vec3_add(rest, noise(0.1)), &rest, VEC3_ZERO, WEIGHT, DT);
  }
  for (int i = 0; i < (int)(confirm_s / DT) - 2; i++) {
    push_step(&push, hit, &rest, VEC3_ZERO, WEIGHT, DT);
    ck_assert(!push.active);
  }
  for (int i = 0; i < 100; i++) {
    push_step(&push, rest, &rest, VEC3_ZERO, WEIGHT, DT);
  }
  for (int i = 0; i < 100; i++) {
    push_step(&push, later, &rest, VEC3_ZERO, WEIGHT, DT);
  }
  ck_assert(push.active);
  assert_near(push.impulse_W.x, 60.0 * 0.1, 0.2);
}
END_TEST

/* A strike at 100 and 200 Hz: one reading lasts longer than the time that confirms. A humanoid that
 * walked was pushed ten times in 18 s. */
START_TEST(one_reading_is_no_push_however_long_until_the_next_and_two_are) {
  const double rate_hz[] = {100.0, 200.0, 1000.0};
  for (size_t k = 0; k < 3; k++) {
    struct push push = begin();
    const double dt = 1.0 / rate_hz[k];
    const int begins = (int)lround(2.0 * rate_hz[k]);
    const int lasts = (int)fmax(2.0, ceil(push.settings.confirm_s / dt));
    for (int i = 0; i < 2 * begins + lasts; i++) {
      const bool struck = i == begins || i >= 2 * begins;
      const vec3 net = vec3_add((vec3){struck ? 80.0 : 0.0, 0.0, WEIGHT}, noise(0.5));
      push_step(&push, net, NULL, VEC3_ZERO, WEIGHT, dt);
      ck_assert_msg(i == 2 * begins + lasts - 1 || !push.active, "%g Hz", rate_hz[k]);
    }
    ck_assert(push.active);
  }
}
END_TEST

SUITE(one_reading_is_no_push_however_long_until_the_next_and_two_are,
      what_is_over_before_it_is_confirmed_is_no_part_of_a_later_push,
      with_the_feet_known_onset_and_impulse_are_those_of_the_push_whatever_the_ground_takes,
      without_the_feet_the_impulse_is_a_lower_bound_and_says_so,
      a_gait_whose_net_force_swings_is_no_push,
      a_force_within_what_it_is_known_to_be_wrong_by_is_no_push,
      a_load_that_stays_is_learned_and_ceases_to_be_a_push_but_never_to_be_strange,
      what_else_carries_the_robot_is_no_load,
      numbers_that_are_none_and_settings_that_make_no_sense_are_refused)
