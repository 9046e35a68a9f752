/* What joints gain in blows: learned from the velocities before and after, opened as it was. */
#include "process/blows.h"

#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 3 };

static const double DT = 1e-3; /* s */

/* A body whose joints gain `of[j]` of what its base does. */
struct struck_body {
  struct blows blows;
  struct joint_layout layout;
  double x[200];
  int64_t t_ns;
};

static struct struck_body biased_body(bool biases) {
  struct struck_body body = {.layout = joint_layout_of(JOINTS, false, biases, 2), .t_ns = 1};
  struct arena arena = {0};
  ck_assert_uint_le(body.layout.numbers, 200);
  ck_assert_int_eq(blows_init(&body.blows, JOINTS, &arena), STATUS_OK);
  arena = arena_over(aligned_alloc(ARENA_ALIGN, arena.used), arena.used);
  ck_assert_int_eq(blows_init(&body.blows, JOINTS, &arena), STATUS_OK);
  blows_reset(&body.blows);
  return body;
}

static struct struck_body body_of(void) {
  return biased_body(false);
}

/* One IMU reading, while the joints' accelerations are `ddq`. */
static void read_imu(struct struck_body *body, double felt, const double ddq[JOINTS]) {
  const struct joint_layout *l = &body->layout;
  const struct blow blow = {.square = felt * felt, .lasts = DT};
  body->t_ns += (int64_t)(1e9 * DT);
  blows_step(&body->blows, l, body->t_ns, blow, body->x);
  for (size_t j = 0; j < JOINTS; j++) {
    body->x[l->dq + j] += ddq[j] * DT;
    body->x[l->ddq + j] = ddq[j];
  }
}

static void go_on(struct struck_body *body, int readings, const double ddq[JOINTS]) {
  for (int k = 0; k < readings; k++) {
    read_imu(body, 0.0, ddq);
  }
}

static const double calm[JOINTS] = {0};

/* The base feels 30 m/s^2 for a millisecond: 0.03 m/s. The filter follows no pulse. */
static void strike(struct struck_body *body, const double gains[JOINTS], const double *ddq) {
  read_imu(body, 30.0, ddq);
  for (size_t j = 0; j < JOINTS; j++) {
    body->x[body->layout.dq + j] += gains[j] * 30.0 * DT;
  }
}

static double gain_of(const struct struck_body *body, size_t j) {
  const struct blow blow = {.square = 1.0, .lasts = 1.0};
  return sqrt(blows_knock(&body->blows, j, blow).dq);
}

START_TEST(what_a_joint_gains_is_learned_from_its_velocities) {
  static const double gains[JOINTS] = {12.0, 0.3, 0.0};
  struct struck_body body = body_of();
  for (int k = 0; k < 150; k++) {
    strike(&body, gains, calm);
    go_on(&body, 200, calm);
  }
  assert_near(gain_of(&body, 0), 12.0, 0.5);
  assert_near(gain_of(&body, 1), 0.3, 0.1);
  ck_assert_double_lt(gain_of(&body, 2), 0.1);
}
END_TEST

START_TEST(the_newer_blows_count_more) {
  static const double before[JOINTS] = {12.0, 12.0, 12.0}, now[JOINTS] = {3.0, 3.0, 3.0};
  struct struck_body body = body_of();
  for (int k = 0; k < 300; k++) {
    strike(&body, k < 150 ? before : now, calm);
    go_on(&body, 200, calm);
  }
  assert_near(gain_of(&body, 0), 3.0, 0.3);
}
END_TEST

START_TEST(what_the_acceleration_explains_is_no_gain) {
  static const double none[JOINTS] = {0}, lively[JOINTS] = {40.0, -40.0, 0.0};
  struct struck_body body = body_of();
  for (int k = 0; k < 150; k++) {
    strike(&body, none, lively);
    go_on(&body, 200, lively);
  }
  ck_assert_double_lt(gain_of(&body, 0), 1.0); /* it changes by 0.5 rad/s over each of them */
}
END_TEST

START_TEST(what_an_acceleration_that_ends_in_the_blow_would_have_made_is_no_gain) {
  static const double none[JOINTS] = {0}, lively[JOINTS] = {40.0, -40.0, 0.0};
  struct struck_body body = body_of();
  for (int k = 0; k < 150; k++) {
    go_on(&body, 10, lively);
    strike(&body, none, calm);
    go_on(&body, 200, calm);
  }
  ck_assert_double_lt(gain_of(&body, 0), 1.0);
}
END_TEST

START_TEST(an_acceleration_that_is_the_skins_error_explains_nothing) {
  static const double gains[JOINTS] = {12.0, 12.0, 12.0};
  struct struck_body body = biased_body(true);
  const struct joint_layout *l = &body.layout;
  for (int k = 0; k < 150; k++) {
    body.x[l->ddq] = body.x[l->bias] = 40.0;
    strike(&body, gains, calm);
    go_on(&body, 200, calm);
  }
  assert_near(gain_of(&body, 0), 12.0, 0.5);
}
END_TEST

START_TEST(what_encoders_show_late_is_a_gain_too) {
  static const double none[JOINTS] = {0}, gains[JOINTS] = {12.0, 12.0, 12.0};
  struct struck_body body = body_of();
  for (int k = 0; k < 150; k++) {
    strike(&body, none, calm);
    go_on(&body, 8, calm);
    body.x[body.layout.dq] += gains[0] * 30.0 * DT;
    go_on(&body, 200, calm);
  }
  assert_near(gain_of(&body, 0), 12.0, 0.5);
}
END_TEST

START_TEST(readings_of_one_blow_add_up) {
  static const double gains[JOINTS] = {12.0, 0.3, 0.0};
  struct struck_body body = body_of();
  for (int k = 0; k < 150; k++) {
    strike(&body, gains, calm);
    strike(&body, gains, calm);
    go_on(&body, 200, calm);
  }
  assert_near(gain_of(&body, 0), 12.0 * sqrt(2.0), 0.5); /* of squares: nobody knows their signs */
}
END_TEST

START_TEST(an_accelerometer_that_is_noisier_than_told_opens_hardly_anything) {
  struct struck_body body = body_of();
  struct random rng = random_from(test_seed());
  for (int k = 0; k < 9000; k++) {
    read_imu(&body, 2.0 * random_normal(&rng), calm);
  }
  const struct blow blow = {.square = 4.0, .lasts = DT};
  ck_assert_double_lt(sqrt(blows_knock(&body.blows, 0, blow).dq), 1e-5);
}
END_TEST

START_TEST(a_blow_that_a_silence_follows_teaches_nothing) {
  static const double gains[JOINTS] = {5.0, 5.0, 5.0};
  struct struck_body body = body_of();
  const double before = gain_of(&body, 0);
  strike(&body, gains, calm);
  body.t_ns += 300000000;
  go_on(&body, 10, calm);
  ck_assert_double_eq(gain_of(&body, 0), before);
}
END_TEST

START_TEST(positions_velocities_and_accelerations_open_by_one_blow) {
  const struct struck_body body = body_of();
  const struct blow blow = {.square = 900.0, .lasts = 2e-3}, none = {.square = 0.0, .lasts = 2e-3};
  const struct knock knock = blows_knock(&body.blows, 1, blow);
  assert_near(knock.pulse, 900.0, 1e-9); /* a radian for each metre, to begin with */
  assert_near(sqrt(knock.dq), 30.0 * 2e-3, 1e-12);
  assert_near(sqrt(knock.q), sqrt(knock.dq) * 1e-3, 1e-12); /* from the middle of the interval on */
  ck_assert_double_lt(knock.ddq, knock.pulse);
  ck_assert_double_eq(blows_knock(&body.blows, 1, none).dq, 0.0);
}
END_TEST

START_TEST(what_was_learned_is_adopted) {
  static const double gains[JOINTS] = {12.0, 0.3, 0.0};
  struct struck_body body = body_of(), next = body_of();
  for (int k = 0; k < 150; k++) {
    strike(&body, gains, calm);
    go_on(&body, 200, calm);
  }
  blows_adopt(&next.blows, &body.blows);
  for (size_t j = 0; j < JOINTS; j++) {
    ck_assert_double_eq(gain_of(&next, j), gain_of(&body, j));
  }
}
END_TEST

START_TEST(a_blow_before_all_was_forgotten_or_adopted_teaches_nothing) {
  static const double gains[JOINTS] = {12.0, 0.3, 0.0};
  const struct struck_body fresh = body_of();
  for (int adopts = 0; adopts < 2; adopts++) {
    struct struck_body body = body_of();
    strike(&body, gains, calm);
    if (adopts) {
      blows_adopt(&body.blows, &fresh.blows);
    } else {
      blows_reset(&body.blows);
    }
    go_on(&body, 30, calm);
    for (size_t j = 0; j < JOINTS; j++) {
      ck_assert_double_eq(gain_of(&body, j), gain_of(&fresh, j));
    }
  }
}
END_TEST

START_TEST(two_blows_joined_do_to_velocities_what_both_do) {
  const struct struck_body body = body_of();
  const struct blow first = {.square = 900.0, .lasts = 1e-3},
                    next = {.square = 50.0, .lasts = 2e-3}, none = {.square = 0.0, .lasts = 5e-3};
  const struct blow both = blow_joined(first, next);
  assert_near(blows_knock(&body.blows, 0, both).dq,
              blows_knock(&body.blows, 0, first).dq + blows_knock(&body.blows, 0, next).dq, 1e-12);
  ck_assert_double_eq(both.lasts, next.lasts);
  ck_assert_double_eq(blow_joined(none, first).lasts, first.lasts);
  ck_assert_double_eq(blow_joined(first, none).lasts, first.lasts);
}
END_TEST

SUITE(what_a_joint_gains_is_learned_from_its_velocities, the_newer_blows_count_more,
      what_the_acceleration_explains_is_no_gain,
      an_accelerometer_that_is_noisier_than_told_opens_hardly_anything,
      a_blow_that_a_silence_follows_teaches_nothing,
      positions_velocities_and_accelerations_open_by_one_blow, what_was_learned_is_adopted,
      what_an_acceleration_that_ends_in_the_blow_would_have_made_is_no_gain,
      an_acceleration_that_is_the_skins_error_explains_nothing,
      what_encoders_show_late_is_a_gain_too, readings_of_one_blow_add_up,
      a_blow_before_all_was_forgotten_or_adopted_teaches_nothing,
      two_blows_joined_do_to_velocities_what_both_do)
