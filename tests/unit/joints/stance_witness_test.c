/* Soles as witnesses about an IMU on trial: what they say when it is wrong, when it is right, and
 * when they know nothing. */
#include "joints/stance_witness.h"

#include "support/suite.h"

#include <math.h>

static const int64_t MS = 1000000;

/* A trial of one triad whose readings have been off by `excess` since it began, and two soles. */
struct fixture {
  struct stance_witness witness;
  struct triad_judge judge;
  enum imu_triad triad;
  struct stance_foot foot[2];
  mat3 R_WB;
  int64_t t_ns;
};

static struct fixture trial_of(enum imu_triad triad, vec3 excess) {
  struct fixture f = {.triad = triad,
                      .judge = {.first_ns = MS, .excess = excess},
                      .R_WB = mat3_from_rpy((vec3){0.2, -0.1, 1.0}),
                      .t_ns = MS};
  for (int i = 0; i < 2; i++) {
    f.foot[i] = (struct stance_foot){.r = {0.1, i == 0 ? 0.1 : -0.1, -0.8}, .stays = true};
  }
  return f;
}

/* After so many ms in which the feet do as they do now: whether they have spoken against it. */
static bool denied_after(struct fixture *f, int ms) {
  bool denied = false;
  for (int k = 0; k < ms; k++) {
    denied = stance_hear(&f->witness, f->triad, &f->judge, f->foot, 2, &f->R_WB, f->t_ns);
    f->t_ns += MS;
  }
  return denied;
}

static enum stance_says said(const struct fixture *f) {
  return f->witness.of[f->triad].says;
}

/* What the feet of a base do that turns about its own origin. */
static void turn_base(struct fixture *f, vec3 turn) {
  for (int i = 0; i < 2; i++) {
    f->foot[i].turn = turn;
    f->foot[i].speed = vec3_cross(turn, f->foot[i].r);
  }
}

START_TEST(soles_that_turn_as_the_gyro_says_speak_against_it_and_soles_that_lie_speak_for_it) {
  const vec3 turn = {0.1, 0.5, 0.0};
  struct fixture wrong = trial_of(IMU_GYRO, turn), right = wrong;
  turn_base(&wrong, turn);
  ck_assert(!denied_after(&wrong, 2));
  ck_assert_int_eq(said(&wrong), STANCE_WAITS); /* nobody would see it yet */
  ck_assert(denied_after(&wrong, 10));
  ck_assert(!denied_after(&right, 100));
  ck_assert_int_eq(said(&right), STANCE_FOR);
}
END_TEST

/* A robot that was pushed so hard that it falls. */
START_TEST(soles_that_tip_over_their_edge_say_nothing_against_the_gyro) {
  const vec3 turn = {0.0, 0.8, 0.0};
  struct fixture f = trial_of(IMU_GYRO, turn);
  for (int i = 0; i < 2; i++) {
    f.foot[i].turn = turn;
    f.foot[i].speed = vec3_cross(turn, (vec3){-0.1, 0.0, 0.0}); /* about its toe */
  }
  ck_assert(!denied_after(&f, 100));
  ck_assert_int_eq(said(&f), STANCE_FOR);
}
END_TEST

/* The base's velocity follows the readings, and the feet it. */
static bool pushed(struct fixture *f, int ms) {
  bool denied = false;
  vec3 speed = VEC3_ZERO;
  for (int k = 0; k < ms; k++) {
    f->foot[0].speed = f->foot[1].speed = speed;
    denied = denied_after(f, 1);
    speed = vec3_axpy(speed, 1e-3, f->judge.excess);
  }
  return denied;
}

START_TEST(feet_that_slide_as_the_accelerometer_says_speak_against_it_after_its_readings_are_well) {
  struct fixture f = trial_of(IMU_ACCELEROMETER, (vec3){0.0, 0.0, -9.8});
  ck_assert(!pushed(&f, 10));
  const vec3 speed = f.foot[0].speed;
  f.judge.excess = VEC3_ZERO;
  for (int i = 0; i < 2; i++) {
    f.foot[i].speed = speed;
  }
  ck_assert(!denied_after(&f, 60)); /* legs of wrong lengths have feet go so far */
  ck_assert_int_eq(said(&f), STANCE_AGAINST);
  ck_assert(denied_after(&f, 80));
  assert_near(vec3_norm(f.witness.of[IMU_ACCELEROMETER].gained), 0.098, 0.011);
  f = trial_of(IMU_ACCELEROMETER, (vec3){0.0, 0.0, -9.8});
  ck_assert(!denied_after(&f, 140));
  ck_assert_int_eq(said(&f), STANCE_FOR);
}
END_TEST

/* Whether feet that go so far, times as told, and that way speak against the accelerometer. */
static bool slid(double times, vec3 way) {
  struct fixture f = trial_of(IMU_ACCELEROMETER, (vec3){6.0, 0.0, 0.0});
  const vec3 goes = vec3_scale(6.0, way);
  bool denied = false;
  for (int k = 0; k < 140; k++) {
    f.foot[0].speed = f.foot[1].speed = vec3_scale(1e-3 * times * k, goes);
    denied = denied_after(&f, 1) || denied;
  }
  return denied;
}

START_TEST(feet_that_go_elsewhere_or_not_as_far_or_further_do_so_for_other_reasons) {
  const vec3 ahead = {1.0, 0.0, 0.0}, aside = {0.0, 0.9, 0.4};
  ck_assert(slid(1.0, ahead) && slid(0.6, ahead) && slid(1.8, ahead));
  ck_assert(!slid(0.4, ahead) && !slid(2.2, ahead) && !slid(1.0, aside));
}
END_TEST

/* A base that turns a quarter during the trial: the way is summed where it does not turn along. */
START_TEST(ways_are_told_and_gone_in_axes_that_do_not_turn_along) {
  struct fixture f = trial_of(IMU_ACCELEROMETER, (vec3){10.0, 0.0, 0.0});
  f.R_WB = mat3_from_rpy((vec3){0.0, 0.0, 0.5 * M_PI});
  pushed(&f, 40);
  const struct stance_testimony *s = &f.witness.of[IMU_ACCELEROMETER];
  assert_near(s->told.y, 8e-3, 1e-3);
  assert_near(s->gone[0].y, 8e-3, 1e-3);
  assert_near(s->told.x, 0.0, 1e-9);
  assert_near(s->gone[0].x, 0.0, 1e-9);
}
END_TEST

START_TEST(one_that_stays_is_enough_whoever_is_asked_first) {
  const vec3 turn = {0.1, 0.5, 0.0};
  for (int stays = 0; stays < 2; stays++) {
    struct fixture f = trial_of(IMU_GYRO, turn);
    turn_base(&f, turn);
    f.foot[stays].turn = f.foot[stays].speed = VEC3_ZERO;
    ck_assert(!denied_after(&f, 100));
    ck_assert_int_eq(said(&f), STANCE_FOR);
  }
}
END_TEST

START_TEST(who_lifts_meanwhile_is_not_heard_any_more_and_a_new_trial_begins_anew) {
  const vec3 turn = {0.0, 0.5, 0.0};
  struct fixture f = trial_of(IMU_GYRO, turn);
  turn_base(&f, turn);
  denied_after(&f, 5);
  f.foot[0].stays = f.foot[1].stays = false;
  ck_assert(!denied_after(&f, 50));
  ck_assert_int_eq(said(&f), STANCE_SILENT);
  f.foot[0].stays = true;
  ck_assert(!denied_after(&f, 50));
  f.judge.first_ns = f.t_ns;
  ck_assert(!denied_after(&f, 2));
  ck_assert(denied_after(&f, 20));
}
END_TEST

SUITE(soles_that_turn_as_the_gyro_says_speak_against_it_and_soles_that_lie_speak_for_it,
      soles_that_tip_over_their_edge_say_nothing_against_the_gyro,
      feet_that_slide_as_the_accelerometer_says_speak_against_it_after_its_readings_are_well,
      feet_that_go_elsewhere_or_not_as_far_or_further_do_so_for_other_reasons,
      ways_are_told_and_gone_in_axes_that_do_not_turn_along,
      one_that_stays_is_enough_whoever_is_asked_first,
      who_lifts_meanwhile_is_not_heard_any_more_and_a_new_trial_begins_anew)
