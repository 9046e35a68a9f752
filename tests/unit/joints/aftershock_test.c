/* What a blow leaves in the estimate: nothing while nothing is felt, much at once, fading as the
 * filter follows. */
#include "joints/aftershock.h"

#include "support/suite.h"
#include "support/uncertain_filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 4 };

static const double DT = 1e-3, NOISE = 2.5e-4; /* s; rad, of an encoder */
/* Standard deviations of q dq ddq jerk that a filter of this density has, rad per s^k. */
static const double DENSITY = 1e4, SD[4] = {8e-5, 8e-3, 0.5, 40.0};

/* What is added at rest, over the variance of this filter's acceleration: what may have begun. */
static const double UNFELT = 0.05;

/* Of 20 rad/s^2 for a millisecond. */
static const struct knock BLOW = {.q = 1e-10, .dq = 4e-4, .ddq = 40.0, .pulse = 400.0};

static struct uncertain_filter *still_filter(void) {
  struct random rng = random_from(test_seed());
  struct uncertain_filter *u = uncertain_filter(JOINTS, false, false, &rng);
  const struct joint_layout *l = &u->filter.layout;
  memset(u->newest.P, 0, l->size * l->stride * sizeof(double));
  for (size_t i = 0; i < l->size; i++) {
    u->newest.P[i * (l->stride + 1)] = 1e-4;
  }
  const size_t part[] = {l->q, l->dq, l->ddq, l->jerk};
  for (size_t k = 0; k < 4; k++) {
    for (size_t j = 0; j < JOINTS; j++) {
      u->newest.P[(part[k] + j) * (l->stride + 1)] = SD[k] * SD[k];
    }
  }
  u->filter.density = calloc(JOINTS, sizeof(double));
  for (size_t j = 0; j < JOINTS; j++) {
    u->filter.density[j] = DENSITY;
  }
  u->newest.pending.told = calloc(JOINTS, sizeof(double));
  u->newest.t_ns = 1000000000;
  u->filter.interval_s = DT;
  u->filter.liveliness[IMU_GYRO].density = 1e4;
  return u;
}

/* One cycle, in which each joint's innovation is `deviations` of what is expected. */
static void cycle(struct uncertain_filter *u, const double deviations[JOINTS]) {
  const double sd = hypot(NOISE, SD[0]);
  for (size_t j = 0; j < JOINTS; j++) {
    aftershock_read(&u->filter.aftershock, j, deviations[j] * sd, sd * sd);
  }
  u->newest.t_ns += 1000000;
  aftershock_step(&u->filter);
}

static void rest(struct uncertain_filter *u, int cycles) {
  static const double none[JOINTS];
  for (int k = 0; k < cycles; k++) {
    cycle(u, none);
  }
}

/* What is added to joint j's acceleration, over its own variance. */
static double added(const struct uncertain_filter *u, size_t j) {
  return aftershock_of_joint(&u->filter.aftershock, 2, j) / (SD[2] * SD[2]);
}

START_TEST(while_nothing_is_felt_hardly_anything_is_added) {
  struct uncertain_filter *u = still_filter();
  struct random rng = random_from(test_seed());
  double sum = 0.0;
  rest(u, 200);
  for (int k = 0; k < 20000; k++) {
    double noise[JOINTS];
    for (size_t j = 0; j < JOINTS; j++) {
      noise[j] = random_normal(&rng);
    }
    cycle(u, noise);
    sum += added(u, 0) / 20000.0;
    ck_assert_double_eq(aftershock_of_base(&u->filter.aftershock, 2, 0), 0.0);
  }
  ck_assert_double_lt(sum, 20.0);
  ck_assert_double_gt(sum, 0.0);
}
END_TEST

START_TEST(a_blow_is_added_at_once_and_fades_as_the_filter_follows) {
  struct uncertain_filter *u = still_filter();
  struct aftershock *shock = &u->filter.aftershock;
  rest(u, 500);
  ck_assert_double_lt(added(u, 1), UNFELT);
  aftershock_feel(shock, 4.0, 0.0);
  aftershock_knock(shock, 1, &BLOW);
  rest(u, 1);
  ck_assert_double_gt(added(u, 1), 0.99 * BLOW.pulse / (SD[2] * SD[2]));
  ck_assert_double_lt(added(u, 0), UNFELT);
  ck_assert_double_gt(aftershock_of_base(shock, 2, 0), 4.0 / 0.09 * 0.99);
  const double dq = aftershock_of_joint(shock, 1, 1);
  rest(u, 10);
  ck_assert_double_gt(aftershock_of_joint(shock, 1, 1), dq);
  rest(u, 400);
  ck_assert_double_lt(added(u, 1), 0.05 + UNFELT);
}
END_TEST

START_TEST(readings_that_stay_on_one_side_are_added_noise_that_is_usual_is_not) {
  static const double leaning[JOINTS] = {2.0, 0.0, 0.0, -2.0};
  struct uncertain_filter *u = still_filter();
  struct random rng = random_from(test_seed());
  rest(u, 500);
  for (int k = 0; k < 8; k++) {
    cycle(u, leaning);
  }
  ck_assert_double_gt(added(u, 0), 16.0);
  ck_assert_double_gt(added(u, 3), 16.0);
  ck_assert_double_lt(added(u, 1), UNFELT);
  double sum = 0.0;
  for (int k = 0; k < 6000; k++) {
    const double noise = 3.0 * random_normal(&rng), noisy[JOINTS] = {noise, noise, noise, noise};
    cycle(u, noisy);
    sum += k >= 3000 ? added(u, 1) / 3000.0 : 0.0;
  }
  ck_assert_double_lt(sum, 200.0); /* of 480 if it leant all the time */
}
END_TEST

START_TEST(a_body_that_begins_may_jump_in_all_joints) {
  struct uncertain_filter *u = still_filter();
  rest(u, 500);
  aftershock_begin(&u->filter.aftershock);
  rest(u, 1);
  for (size_t j = 0; j < JOINTS; j++) {
    ck_assert_double_gt(added(u, j), 10.0);
  }
  rest(u, 400);
  ck_assert_double_lt(added(u, 0), 1e-3 + UNFELT);
}
END_TEST

/* The law: what changes so often and is followed some time later has a variance of rate x time. */
START_TEST(what_nothing_foretold_is_added_for_as_long_as_the_filter_needs_to_follow) {
  struct uncertain_filter *u = still_filter();
  const struct joint_changes *changes = &u->filter.aftershock.changes;
  rest(u, 500);
  const double still_s = SD[2] * SD[2] * added(u, 0) / joint_changes_rate(changes, 0);
  ck_assert_double_gt(still_s, 0.01);
  ck_assert_double_lt(still_s, 0.05);
  for (int k = 0; k < 8000; k++) { /* to and fro, by 20 rad/s^2 every 50 ms */
    u->newest.x[u->filter.layout.ddq] = k / 50 % 2 == 0 ? 10.0 : -10.0;
    rest(u, 1);
  }
  ck_assert_double_gt(added(u, 0), 1000.0 * added(u, 1));
  const double lively_s = SD[2] * SD[2] * added(u, 0) / joint_changes_rate(changes, 0);
  ck_assert_double_eq_tol(lively_s, still_s, 0.05 * still_s);
}
END_TEST

START_TEST(a_filter_that_has_opened_for_a_blow_follows_it_sooner) {
  struct knock closed = BLOW;
  closed.q = closed.dq = closed.ddq = 0.0;
  struct uncertain_filter *u = still_filter();
  rest(u, 500);
  aftershock_knock(&u->filter.aftershock, 0, &BLOW);
  aftershock_knock(&u->filter.aftershock, 1, &closed);
  rest(u, 20);
  ck_assert_double_lt(added(u, 0), 0.9 * added(u, 1));
}
END_TEST

START_TEST(a_silence_ends_it) {
  struct uncertain_filter *u = still_filter();
  rest(u, 500);
  aftershock_knock(&u->filter.aftershock, 0, &BLOW);
  rest(u, 3);
  ck_assert_double_gt(added(u, 0), 1.0);
  u->newest.t_ns += 300000000;
  rest(u, 1);
  ck_assert_double_eq(added(u, 0), 0.0);
}
END_TEST

START_TEST(knocks_between_two_steps_add_up) {
  struct uncertain_filter *u = still_filter();
  const struct knock *all = &u->filter.aftershock.knock[2];
  aftershock_knock(&u->filter.aftershock, 2, &BLOW);
  aftershock_knock(&u->filter.aftershock, 2, &BLOW);
  ck_assert_double_eq(all->q, 2.0 * BLOW.q);
  ck_assert_double_eq(all->dq, 2.0 * BLOW.dq);
  ck_assert_double_eq(all->ddq, 2.0 * BLOW.ddq);
  ck_assert_double_eq(all->pulse, BLOW.pulse); /* an acceleration lasts, and does not add up */
}
END_TEST

/* What is added to the base's derivative of the rate, one step after both are felt. */
static double added_to_base(double force_before, double turn_before, double force, double turn) {
  struct uncertain_filter *u = still_filter();
  rest(u, 500);
  aftershock_feel(&u->filter.aftershock, force_before, turn_before);
  aftershock_feel(&u->filter.aftershock, force, turn);
  rest(u, 1);
  return aftershock_of_base(&u->filter.aftershock, 2, 1);
}

START_TEST(the_base_jumps_by_the_most_that_was_felt) {
  ck_assert_double_eq(added_to_base(0.0, 0.0, 0.0, 0.0), 0.0);
  ck_assert_double_gt(added_to_base(0.0, 0.0, 0.0, 5.0), 0.99 * 5.0);
  ck_assert_double_eq(added_to_base(4.0, 5.0, 1.0, 1.0), added_to_base(0.0, 0.0, 4.0, 5.0));
}
END_TEST

START_TEST(after_a_blow_the_base_rings_for_a_while) {
  struct uncertain_filter *u = still_filter();
  rest(u, 500);
  aftershock_feel(&u->filter.aftershock, 4.0, 0.0);
  rest(u, 10);
  ck_assert_double_gt(aftershock_of_base(&u->filter.aftershock, 2, 0), 1.0);
  rest(u, 300);
  ck_assert_double_lt(aftershock_of_base(&u->filter.aftershock, 2, 0), 1e-3);
}
END_TEST

START_TEST(one_reading_far_off_says_no_more_than_one_that_is_off) {
  static const double off[2][JOINTS] = {{5.0}, {500.0}};
  double of[2];
  for (int k = 0; k < 2; k++) {
    struct uncertain_filter *u = still_filter();
    rest(u, 500);
    cycle(u, off[k]);
    of[k] = added(u, 0);
  }
  ck_assert_double_gt(of[0], 0.0);
  ck_assert_double_eq(of[1], of[0]);
}
END_TEST

START_TEST(what_leans_for_long_is_bounded) {
  static const double leaning[JOINTS] = {5.0};
  struct uncertain_filter *u = still_filter();
  rest(u, 500);
  for (int k = 0; k < 50; k++) {
    cycle(u, leaning);
    ck_assert_double_lt(added(u, 0), 16.0 * 30.0);
  }
}
END_TEST

START_TEST(a_joint_that_leant_and_is_read_no_more_leans_no_more) {
  static const double leaning[JOINTS] = {4.0};
  struct uncertain_filter *u = still_filter();
  rest(u, 500);
  for (int k = 0; k < 8; k++) {
    cycle(u, leaning);
  }
  const double leant = added(u, 0);
  for (int k = 0; k < 100; k++) { /* five times as long as a lean lasts */
    u->newest.t_ns += 1000000;
    aftershock_step(&u->filter);
  }
  ck_assert_double_lt(added(u, 0), 0.02 * leant + UNFELT);
}
END_TEST

START_TEST(what_tells_of_the_acceleration_itself_ends_it_sooner) {
  double left[2];
  for (int told = 0; told < 2; told++) {
    struct uncertain_filter *u = still_filter();
    const size_t i = u->filter.layout.ddq + 1;
    u->newest.P[i * (u->filter.layout.stride + 1)] *= told ? 0.01 : 1.0;
    rest(u, 500);
    aftershock_knock(&u->filter.aftershock, 1, &BLOW);
    rest(u, 6);
    left[told] = aftershock_of_joint(&u->filter.aftershock, 2, 1);
  }
  ck_assert_double_lt(left[1], 0.8 * left[0]);
}
END_TEST

SUITE(while_nothing_is_felt_hardly_anything_is_added,
      a_blow_is_added_at_once_and_fades_as_the_filter_follows,
      readings_that_stay_on_one_side_are_added_noise_that_is_usual_is_not,
      a_body_that_begins_may_jump_in_all_joints,
      what_nothing_foretold_is_added_for_as_long_as_the_filter_needs_to_follow,
      a_filter_that_has_opened_for_a_blow_follows_it_sooner, a_silence_ends_it,
      knocks_between_two_steps_add_up, the_base_jumps_by_the_most_that_was_felt,
      after_a_blow_the_base_rings_for_a_while,
      one_reading_far_off_says_no_more_than_one_that_is_off, what_leans_for_long_is_bounded,
      a_joint_that_leant_and_is_read_no_more_leans_no_more,
      what_tells_of_the_acceleration_itself_ends_it_sooner)
