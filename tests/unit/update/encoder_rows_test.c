/* Encoders whose covariance waits: the estimate is at every reading, and the covariance at the end,
 * that of readings which are taken one after the other. */
#include "support/joint_update_fixture.h"
#include "update/encoder_rows.h"

enum { JOINTS = 13, READINGS = 4, UNREAD = 5 };

struct rig {
  struct fixture f;
  struct row_update rows;
  struct instant now;
  double *P, *x; /* the other road's */
  double q[READINGS][JOINTS], sd[JOINTS];
  bool used[JOINTS];
};

static double *copy_of(const double *from, size_t count) {
  double *to = aligned_alloc(64, (count + 7) / 8 * 8 * sizeof(double));
  return memcpy(to, from, count * sizeof(double));
}

/* Joint UNREAD has no encoder; the others are as noisy as `told` says. */
static struct rig *new_rig(double told) {
  struct rig *r = calloc(1, sizeof(*r));
  r->f = fixture(JOINTS, true, false, 6, 1.0);
  const struct joint_layout *l = r->f.fast.layout = r->f.fast.points.layout = &r->f.layout;
  struct arena arena = {0};
  for (int pass = 0; pass < 2; pass++) {
    arena = pass == 0 ? arena : arena_of(arena.used);
    ck_assert_int_eq(row_update_init(&r->rows, l, JOINTS, &arena), STATUS_OK);
  }
  r->P = copy_of(r->f.P, l->size * l->stride);
  r->x = copy_of(r->f.x, l->numbers);
  r->now.q_used = r->used;
  r->now.pending.told = calloc(JOINTS, sizeof(double));
  for (size_t j = 0; j < JOINTS; j++) {
    const double variance = r->P[(l->q + j) * (l->stride + 1)];
    r->used[j] = j != UNREAD;
    r->sd[j] = sqrt(variance / told);
    for (size_t k = 0; k < READINGS; k++) {
      r->q[k][j] = j == UNREAD ? (double)NAN : r->x[l->q + j] + r->sd[j] * random_normal(&r->f.rng);
    }
  }
  return r;
}

/* One reading's rows, expected. */
static void expect_reading(struct rig *r, size_t k, bool wait, const double *x, const double *P) {
  r->now.q = r->q[k];
  row_update_begin(&r->rows);
  if (wait) {
    row_update_wait(&r->rows);
  }
  encoder_rows_add(&r->rows, &r->now, r->sd, x, P);
  row_update_expect(&r->rows, P);
}

/* The reading alone, as if none were pending. */
static void take_at_once(struct rig *r, size_t k) {
  double *const told = r->now.pending.told;
  static double none[JOINTS];
  r->now.pending.told = none;
  expect_reading(r, k, false, r->x, r->P);
  ck_assert_int_eq(row_update_apply(&r->rows, r->x, r->P), STATUS_OK);
  r->now.pending.told = told;
}

static void assert_same_estimate(const struct rig *r) {
  const struct joint_layout *l = &r->f.layout;
  for (size_t i = 0; i < l->size; i++) {
    assert_near(r->f.x[i], r->x[i], 1e-9 * sqrt(r->P[i * (l->stride + 1)]));
  }
}

static void assert_same_covariance(const struct rig *r) {
  const struct joint_layout *l = &r->f.layout;
  for (size_t i = 0; i < l->size; i++) {
    for (size_t j = i; j < l->size; j++) {
      const double scale = sqrt(r->P[i * (l->stride + 1)] * r->P[j * (l->stride + 1)]);
      assert_near(r->f.P[i * l->stride + j], r->P[i * l->stride + j], 1e-9 * scale);
    }
  }
}

/* All but the last reading wait; each leads to the estimate that taking it at once would have. */
static void let_wait(struct rig *r) {
  for (size_t k = 0; k + 1 < READINGS; k++) {
    ck_assert(encoder_rows_may_wait(&r->f.layout, &r->now, r->sd, r->f.P));
    expect_reading(r, k, true, r->f.x, r->f.P);
    ck_assert_int_eq(row_update_apply(&r->rows, r->f.x, r->f.P), STATUS_OK);
    ck_assert_int_eq(row_update_apply_waiting(&r->rows, r->f.x, r->f.P), STATUS_OK);
    encoder_rows_wait(&r->f.layout, &r->now, r->sd, r->f.P);
    take_at_once(r, k);
    assert_same_estimate(r);
  }
  ck_assert_double_eq(r->now.pending.told[UNREAD], 0.0);
}

/* @eq Leboutet22 143 */
START_TEST(readings_that_wait_lead_where_readings_taken_at_once_do) {
  struct rig *r = new_rig(0.08);
  let_wait(r);
  expect_reading(r, READINGS - 1, false, r->f.x, r->f.P);
  ck_assert_int_eq(row_update_apply(&r->rows, r->f.x, r->f.P), STATUS_OK);
  take_at_once(r, READINGS - 1);
  assert_same_estimate(r);
  assert_same_covariance(r);
}
END_TEST

START_TEST(they_may_be_taken_with_the_skins_update) {
  struct rig *r = new_rig(0.08);
  let_wait(r);
  const struct joint_measurement z = {
      .q = r->q[READINGS - 1], .q_used = r->used, .q_sd = r->sd, .q_told = r->now.pending.told};
  ck_assert_int_eq(joint_update_step(&r->f.fast, &z, r->f.x, r->f.P), STATUS_OK);
  take_at_once(r, READINGS - 1);
  assert_same_estimate(r);
  assert_same_covariance(r);
}
END_TEST

START_TEST(or_alone_before_a_joint_is_opened) {
  struct rig *r = new_rig(0.08);
  let_wait(r);
  row_update_begin(&r->rows);
  encoder_rows_add_pending(&r->rows, &r->now.pending, r->f.P);
  row_update_expect(&r->rows, r->f.P);
  ck_assert_int_eq(row_update_apply(&r->rows, r->f.x, r->f.P), STATUS_OK);
  assert_same_estimate(r);
  assert_same_covariance(r);
}
END_TEST

START_TEST(what_is_pending_is_said_of_a_position_to_first_order) {
  struct rig *r = new_rig(0.02);
  const struct joint_layout *l = &r->f.layout;
  let_wait(r);
  for (size_t j = 0; j < JOINTS; j++) {
    const double known = encoder_rows_covariance(l, l->q + j, j, &r->now.pending, r->f.P);
    const double prior = r->f.P[(l->q + j) * (l->stride + 1)];
    if (j == UNREAD) {
      ck_assert_double_eq(known, prior);
    } else { /* what other joints' encoders tell of it comes on top */
      assert_near(known, prior / 1.06, 1e-12 * prior);
      ck_assert_double_ge(known, r->P[(l->q + j) * (l->stride + 1)] * (1.0 - 1e-12));
    }
  }
}
END_TEST

/* How many readings wait that say little. */
static size_t count_waiting(int64_t period_ns) {
  struct rig *r = new_rig(1e-4);
  size_t waited = 0;
  r->now.t_ns = 1000000000;
  while (waited < 100 && encoder_rows_may_wait(&r->f.layout, &r->now, r->sd, r->f.P)) {
    encoder_rows_wait(&r->f.layout, &r->now, r->sd, r->f.P);
    r->now.t_ns += period_ns;
    waited++;
  }
  return waited;
}

START_TEST(readings_that_say_much_and_those_of_long_ago_do_not_wait) {
  struct rig *much = new_rig(0.4);
  ck_assert(!encoder_rows_may_wait(&much->f.layout, &much->now, much->sd, much->f.P));
  ck_assert_uint_eq(count_waiting(1000000), 6);
  ck_assert_uint_eq(count_waiting(500000), 11);
  /* one joint that was opened is enough */
  struct rig *opened = new_rig(0.08);
  const struct joint_layout *l = &opened->f.layout;
  opened->f.P[(l->q + 2) * (l->stride + 1)] *= 10.0;
  ck_assert(!encoder_rows_may_wait(l, &opened->now, opened->sd, opened->f.P));
}
END_TEST

/* A joint in the middle of nowhere, within or without limits, faster than any. */
START_TEST(a_joint_of_which_nothing_is_told_is_as_slow_and_as_near_as_joints_are) {
  struct rig *r = new_rig(0.01);
  const struct joint_layout *l = &r->f.layout;
  const struct joint bounded = {.q_min = -1.0, .q_max = 2.0, .dq_max = 4.0},
                     free = {.q_min = -HUGE_VAL, .q_max = HUGE_VAL, .dq_max = HUGE_VAL};
  r->x[l->q + 3] = 5.0;
  r->x[l->dq + 3] = 2.0;
  row_update_begin(&r->rows);
  encoder_rows_unheard(&r->rows, &bounded, 3, 1e-3, r->x);
  ck_assert_uint_eq(r->rows.rows, 2);
  assert_near(r->rows.nu[0], -2.0 / 12.0, 1e-12); /* .3 of 4 rad/s, ten times for each sample */
  assert_near(r->rows.nu[1], -4.5 / 9.0, 1e-12);  /* .3 of 3 rad, about .5 */
  assert_near(r->rows.h[0], 1.0 / 12.0, 1e-12);
  ck_assert_uint_eq(r->rows.state[0], l->dq + 3);
  ck_assert_uint_eq(r->rows.state[r->rows.terms_max], l->q + 3);
  row_update_begin(&r->rows);
  encoder_rows_unheard(&r->rows, &free, 3, 1e-3, r->x);
  ck_assert_uint_eq(r->rows.rows, 1);
  assert_near(r->rows.nu[0], -2.0 / 30.0, 1e-12);
}
END_TEST

SUITE(readings_that_wait_lead_where_readings_taken_at_once_do,
      they_may_be_taken_with_the_skins_update, or_alone_before_a_joint_is_opened,
      what_is_pending_is_said_of_a_position_to_first_order,
      readings_that_say_much_and_those_of_long_ago_do_not_wait,
      a_joint_of_which_nothing_is_told_is_as_slow_and_as_near_as_joints_are)
