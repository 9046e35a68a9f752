/* A blow that the base has felt: what it opens, and what joints that stand apart are handed. */
#include "joints/joint_knock.h"

#include "support/random_model.h"
#include "support/uncertain_filter.h"

#include <stdlib.h>

enum { JOINTS = 3 };

static const struct blow BLOW = {.square = 900.0, .lasts = 1e-3};

/* Joints at rest, another of the body apart. */
static struct uncertain_filter *two_filters(void) {
  struct random rng = random_from(test_seed());
  struct uncertain_filter *u = uncertain_filter(JOINTS, false, false, &rng);
  u->newest.t_ns = 1000000000;
  u->newest.x = calloc(u->filter.layout.numbers, sizeof(double));
  u->newest.kick_q = calloc(JOINTS, sizeof(double));
  u->newest.kick = calloc(JOINTS, sizeof(double));
  u->newest.kick_ddq = calloc(JOINTS, sizeof(double));
  struct arena arena = {0};
  ck_assert_int_eq(blows_init(&u->filter.blows, JOINTS, &arena), STATUS_OK);
  arena = test_arena(arena.used);
  ck_assert_int_eq(blows_init(&u->filter.blows, JOINTS, &arena), STATUS_OK);
  blows_reset(&u->filter.blows);
  u->filter.apart[u->filter.n_apart++] = calloc(1, sizeof(struct joint_filter));
  return u;
}

START_TEST(all_joints_open_by_what_they_gain) {
  struct uncertain_filter *u = two_filters();
  joint_knock(&u->filter, &u->newest, BLOW);
  for (size_t j = 0; j < JOINTS; j++) {
    const struct knock knock = blows_knock(&u->filter.blows, j, BLOW);
    ck_assert_double_gt(knock.ddq, 0.0);
    ck_assert_double_eq(u->newest.kick_q[j], knock.q);
    ck_assert_double_eq(u->newest.kick[j], knock.dq);
    ck_assert_double_eq(u->newest.kick_ddq[j], knock.ddq);
    ck_assert_double_eq(u->filter.aftershock.knock[j].pulse, knock.pulse);
  }
  ck_assert_double_eq(u->newest.blow.square, BLOW.square);
  joint_knock(&u->filter, &u->newest, BLOW); /* on top of what has opened them before */
  ck_assert_double_eq(u->newest.kick[0], 2.0 * blows_knock(&u->filter.blows, 0, BLOW).dq);
}
END_TEST

START_TEST(velocities_before_and_after_a_blow_are_learned_from) {
  struct uncertain_filter *u = two_filters();
  const size_t dq = u->filter.layout.dq;
  const double before = u->filter.blows.gained[1];
  joint_knock(&u->filter, &u->newest, BLOW);
  u->newest.x[dq + 1] += 10.0;
  u->newest.t_ns += 20000000;
  joint_knock(&u->filter, &u->newest, (struct blow){.square = 0.0, .lasts = 1e-3});
  ck_assert_double_gt(u->filter.blows.gained[1], before);
}
END_TEST

START_TEST(readings_far_apart_tell_of_no_blow) {
  struct uncertain_filter *u = two_filters();
  const double far[] = {0.0, 0.05, 1.0};
  for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
    joint_knock(&u->filter, &u->newest, (struct blow){.square = 900.0, .lasts = far[i]});
    ck_assert_double_eq(u->newest.kick[0], 0.0);
    ck_assert_double_eq(u->newest.blow.square, 0.0);
    ck_assert_double_eq(u->filter.apart[0]->handed.square, 0.0);
  }
}
END_TEST

/* The second replaced the first where encoders are read less often than the IMU. */
START_TEST(what_is_felt_until_the_next_encoders_is_handed_on_together) {
  static const struct blow none = {.square = 0.0, .lasts = 1e-3};
  const struct blow second = {.square = 100.0, .lasts = 2e-3};
  struct uncertain_filter *u = two_filters();
  const struct blow *handed = &u->filter.apart[0]->handed;
  joint_knock(&u->filter, &u->newest, BLOW);
  ck_assert_double_eq(handed->square, BLOW.square);
  ck_assert_double_eq(handed->lasts, BLOW.lasts);
  joint_knock(&u->filter, &u->newest, second);
  joint_knock(&u->filter, &u->newest, none);
  assert_near(blows_knock(&u->filter.blows, 0, *handed).dq,
              blows_knock(&u->filter.blows, 0, BLOW).dq +
                  blows_knock(&u->filter.blows, 0, second).dq,
              1e-9);
}
END_TEST

/* An error that is considered: the filter itself opens for nothing. */
START_TEST(blows_that_noise_hides_are_considered_as_often_as_they_come) {
  struct uncertain_filter *u = two_filters();
  struct aftershock *shock = &u->filter.aftershock;
  u->filter.n_apart = 0;
  joint_knock_unfelt(&u->filter, BLOW.square, BLOW.lasts);
  const double felt = shock->felt,
               chance = shock->knock[0].pulse / blows_knock(&u->filter.blows, 0, BLOW).pulse;
  ck_assert_double_gt(chance, 0.0);
  ck_assert_double_lt(chance, 0.01); /* some in a second of a thousand readings */
  ck_assert_double_gt(felt, 0.0);
  for (size_t j = 0; j < JOINTS; j++) {
    const struct knock knock = blows_knock(&u->filter.blows, j, BLOW);
    assert_near(shock->knock[j].pulse, chance * knock.pulse, 1e-12);
    ck_assert_double_eq(shock->knock[j].ddq, 0.0);
    ck_assert_double_eq(u->newest.kick_q[j] + u->newest.kick[j] + u->newest.kick_ddq[j], 0.0);
  }
  joint_knock_unfelt(&u->filter, BLOW.square, 2.0 * BLOW.lasts);
  assert_near(shock->felt, 2.0 * felt, 1e-12);
}
END_TEST

SUITE(blows_that_noise_hides_are_considered_as_often_as_they_come,
      all_joints_open_by_what_they_gain, velocities_before_and_after_a_blow_are_learned_from,
      readings_far_apart_tell_of_no_blow,
      what_is_felt_until_the_next_encoders_is_handed_on_together)
