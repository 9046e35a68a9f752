#include "joints/joint_history.h"
#include "support/random_model.h"
#include "support/suite.h"

#include <math.h>

static const int64_t MS = 1000000;

static struct joint_history new_history(void) {
  const struct joint_layout layout = joint_layout_of(2, false, false, 2);
  struct joint_history history;
  struct arena count = {0};
  ck_assert_int_eq(joint_history_init(&history, &layout, &count), STATUS_OK);
  struct arena arena = test_arena(count.used);
  ck_assert_int_eq(joint_history_init(&history, &layout, &arena), STATUS_OK);
  ck_assert_uint_eq(arena.used, count.used);
  return history;
}

/* Everything grows in proportion to time. */
static void put(struct joint_history *history, int64_t t_ns) {
  const double t = 1e-9 * (double)t_ns;
  double q[2] = {t, -t}, dq[2] = {2.0 * t, 0.0}, ddq[2] = {0.0, 3.0 * t};
  const struct past_motion motion = {
      t_ns,
      q,
      dq,
      ddq,
      {POSE_IDENTITY, {{t, 0.0, 0.0}, VEC3_ZERO}, {{0.0, t, 0.0}, {0.0, 0.0, t}}}};
  joint_history_put(history, &motion);
}

static void is_of(const struct past_motion *motion, int64_t t_ns) {
  const double t = 1e-9 * (double)t_ns;
  ck_assert_int_eq(motion->t_ns, t_ns);
  assert_near(motion->q[0], t, 1e-12);
  assert_near(motion->q[1], -t, 1e-12);
  assert_near(motion->dq[0], 2.0 * t, 1e-12);
  assert_near(motion->ddq[1], 3.0 * t, 1e-12);
  assert_near(motion->base.v_B.ang.x, t, 1e-12);
  assert_near(motion->base.a_B.ang.y, t, 1e-12);
  assert_near(motion->base.a_B.lin.z, t, 1e-12);
}

START_TEST(what_is_not_known_yet_differs_from_what_never_will_be) {
  struct joint_history history = new_history();
  const struct past_motion *motion = NULL;
  ck_assert_int_eq(joint_history_at(&history, 8 * MS, MS / 2, &motion), STATUS_TOO_FEW);
  ck_assert_int_eq(joint_history_between(&history, 8 * MS, 20 * MS, &motion), STATUS_TOO_FEW);
  put(&history, 4 * MS);
  put(&history, 8 * MS);
  ck_assert_int_eq(joint_history_at(&history, 9 * MS, MS / 2, &motion), STATUS_TOO_FEW);
  ck_assert_int_eq(joint_history_at(&history, 6 * MS, MS / 2, &motion), STATUS_STALE);
  ck_assert_int_eq(joint_history_at(&history, 3 * MS, MS / 2, &motion), STATUS_STALE);
  ck_assert_int_eq(joint_history_between(&history, 3 * MS, 20 * MS, &motion), STATUS_STALE);
  ck_assert_int_eq(joint_history_between(&history, 6 * MS, 3 * MS, &motion), STATUS_STALE);
  ck_assert_ptr_null(motion);
}
END_TEST

START_TEST(the_nearest_motion_is_found_and_in_between_it_is_linear) {
  struct joint_history history = new_history();
  const struct past_motion *motion;
  for (int64_t t = 4 * MS; t <= 40 * MS; t += 4 * MS) {
    put(&history, t);
  }
  ck_assert_int_eq(joint_history_at(&history, 8 * MS + 300000, MS / 2, &motion), STATUS_OK);
  is_of(motion, 8 * MS);
  ck_assert_int_eq(joint_history_at(&history, 11 * MS, 3 * MS, &motion), STATUS_OK);
  is_of(motion, 12 * MS); /* 8 ms is within reach, too */
  ck_assert_int_eq(joint_history_between(&history, 13 * MS, 20 * MS, &motion), STATUS_OK);
  is_of(motion, 13 * MS);
  ck_assert_int_eq(joint_history_between(&history, 4 * MS, 20 * MS, &motion), STATUS_OK);
  is_of(motion, 4 * MS);
}
END_TEST

START_TEST(only_the_newest_are_kept_and_older_ones_do_not_enter) {
  struct joint_history history = new_history();
  const struct past_motion *motion;
  const int64_t last = 3 * JOINT_HISTORY_KEPT / 2;
  for (int64_t t = 1; t <= last; t++) {
    put(&history, t * MS);
  }
  put(&history, last * MS / 2); /* again, too late */
  ck_assert_uint_eq(history.taken, (uint64_t)last);
  const int64_t first = last - JOINT_HISTORY_KEPT + 1;
  ck_assert_int_eq(joint_history_at(&history, (first - 1) * MS, MS / 2, &motion), STATUS_STALE);
  ck_assert_int_eq(joint_history_between(&history, first * MS - 1, MS, &motion), STATUS_STALE);
  for (int64_t t = first; t <= last; t++) {
    ck_assert_int_eq(joint_history_at(&history, t * MS, MS / 2, &motion), STATUS_OK);
    is_of(motion, t * MS);
  }
}
END_TEST

SUITE(what_is_not_known_yet_differs_from_what_never_will_be,
      the_nearest_motion_is_found_and_in_between_it_is_linear,
      only_the_newest_are_kept_and_older_ones_do_not_enter)
