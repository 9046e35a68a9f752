#include "sensors/encoder_guard.h"

#include "support/encoder_guard_fixture.h"

#include <math.h>

START_TEST(noise_alone_is_believed_for_an_hour_of_samples) {
  struct random rng = random_from(test_seed());
  struct encoder_guard guard = new_guard();
  int refused = 0, kicks = 0;
  for (int k = 0; k < 3600000; k++) {
    const double innovation = ENCODER_SD * random_normal(&rng);
    refused += judge(&guard, 0.3 + innovation, 0.3, 1.0) != ENCODER_USE;
    kicks += encoder_guard_kicked(&guard, 0, innovation, ENCODER_SD);
  }
  ck_assert_int_eq(refused, 0);
  ck_assert_int_le(kicks, 6);
}
END_TEST

START_TEST(what_no_encoder_can_say_is_missing) {
  const double bad[] = {INFINITY, -INFINITY, 1e308, -1e5};
  struct encoder_guard guard = new_guard();
  for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
    ck_assert_int_eq(judge(&guard, bad[k], 0.0, 1.0), ENCODER_LEAVE);
    ck_assert_uint_eq(guard.health[0], ENCODER_MISSING);
    ck_assert_uint_eq(guard.health[1], ENCODER_OK);
  }
}
END_TEST

/* A step on trial, and nothing heard for long: it is believed where it is then. */
START_TEST(what_was_before_a_long_silence_does_not_count) {
  struct encoder_guard guard = new_guard();
  for (int k = 0; k < 100; k++) {
    judge(&guard, 1e-3 * k, 1e-3 * k, 1.0);
  }
  for (int k = 0; k < 20; k++) {
    ck_assert_int_eq(judge(&guard, 0.9 + 1e-4 * (k % 2), 0.1, 1.0), ENCODER_LEAVE);
  }
  const struct encoder_expectation late = {.q = 0.31, .sd = 0.02, .noise = ENCODER_SD, .dt = 0.8};
  ck_assert_int_eq(encoder_guard_judge(&guard, 0, 0.3, &late), ENCODER_USE);
  ck_assert_int_eq(judge(&guard, 0.301, 0.301, 1.0), ENCODER_USE);
  ck_assert_uint_eq(guard.health[0], ENCODER_OK);
}
END_TEST

/* A bus that polls its encoders in turn has not been answered by all of them. */
START_TEST(an_encoder_that_does_not_answer_is_missing_after_a_while) {
  struct encoder_guard guard = new_guard();
  for (int k = 0; k < 1000; k++) {
    ck_assert(judge(&guard, k % 5 == 0 ? 1e-3 * k : (double)NAN, 1e-3 * k, 1.0) ==
              (k % 5 == 0 ? ENCODER_USE : ENCODER_LEAVE));
    ck_assert_uint_eq(guard.health[0], ENCODER_OK);
  }
  for (int k = 0; k < 60; k++) {
    judge(&guard, (double)NAN, 0.0, 1.0);
  }
  ck_assert_uint_eq(guard.health[0], ENCODER_MISSING);
}
END_TEST

/* How a step of .3 rad is taken: readings until its trial is over, and by how much all that were
 * used until then were off. */
struct trial {
  int last;
  enum encoder_verdict verdict;
  double worst;
  int used;
};

static struct trial try_step(struct encoder_guard *guard, double unseen_slip) {
  struct random rng = random_from(test_seed());
  struct trial trial = {.verdict = ENCODER_LEAVE};
  must(judge(guard, 0.0, 0.0, unseen_slip) == ENCODER_USE);
  const struct encoder_record *joint = &guard->joint[0];
  for (; trial.last < 2000 && (trial.last == 0 || joint->trial.since > 0.0); trial.last++) {
    const double q = 0.3 + ENCODER_SD * random_normal(&rng) - joint->offset;
    trial.verdict = judge(guard, q, 0.0, unseen_slip);
    if (trial.verdict == ENCODER_USE) {
      trial.used++;
      trial.worst = fmax(trial.worst, fabs(q));
    }
  }
  return trial;
}

START_TEST(a_step_that_stays_is_a_slip_or_a_new_zero_when_the_skin_would_have_seen_it) {
  for (int seen = 0; seen < 2; seen++) {
    struct encoder_guard guard = new_guard();
    const struct trial trial = try_step(&guard, seen ? 0.2 : 1.0);
    ck_assert_int_eq(trial.verdict, seen ? ENCODER_USE : ENCODER_SLIPPED);
    assert_near(trial.last * ENCODER_DT, guard.step_stays_s, 0.01);
    ck_assert_int_gt(trial.used, 700); /* once the skin agrees that it goes along with its joint */
    ck_assert_double_lt(trial.worst, 6.0 * ENCODER_SD);
    assert_near(guard.joint[0].offset, seen ? 0.3 : 0.0, 2.0 * ENCODER_SD);
    ck_assert_uint_eq(guard.health[0], seen ? ENCODER_SHIFTED : ENCODER_OK);
  }
}
END_TEST

/* No skin sees the joint. */
START_TEST(an_encoder_whose_step_is_on_trial_tells_its_joints_pace_and_is_named) {
  struct encoder_guard guard = new_guard();
  const struct trial trial = try_step(&guard, HUGE_VAL);
  ck_assert_int_eq(trial.verdict, ENCODER_SLIPPED);
  assert_near(trial.last * ENCODER_DT, guard.step_stays_s, 0.01);
  ck_assert_int_gt(trial.used, trial.last - 30);
  ck_assert_double_lt(trial.worst, 6.0 * ENCODER_SD);
  ck_assert_double_eq(guard.joint[0].offset, 0.0);
  ck_assert_uint_eq(guard.health[0], ENCODER_OK);
  for (int k = 0; k < 100; k++) {
    judge(&guard, (k % 2 - 0.5) * ENCODER_SD - guard.joint[0].offset, 0.0, HUGE_VAL);
  }
  ck_assert_uint_eq(guard.health[0], ENCODER_OK); /* back at once, however long it was away */
}
END_TEST

START_TEST(a_step_on_trial_is_named_and_forgotten_when_it_is_taken_back) {
  struct encoder_guard guard = new_guard();
  int told = 0;
  for (int k = 0; k < 800; k++) {
    const double q = (k >= 100 && k < 700 ? 0.2 : 0.0) + (k % 2 - 0.5) * ENCODER_SD;
    const enum encoder_verdict verdict = judge(&guard, q - guard.joint[0].offset, 0.0, HUGE_VAL);
    told += guard.health[0] == ENCODER_STEPPED;
    ck_assert_int_ne(verdict, ENCODER_SLIPPED);
    ck_assert(k < 100 || k >= 700 || guard.health[0] != ENCODER_OK);
    ck_assert(k < 710 || guard.health[0] == ENCODER_OK);
  }
  ck_assert_int_gt(told, 570);
}
END_TEST

START_TEST(contradictions_that_do_not_agree_with_each_other_are_no_slip) {
  struct encoder_guard guard = new_guard();
  for (int k = 0; k < 1000; k++) {
    ck_assert_int_eq(judge(&guard, k % 2 == 0 ? 0.3 : -0.3, 0.0, 1.0), ENCODER_LEAVE);
    ck_assert_uint_eq(guard.health[0], ENCODER_GATED);
  }
}
END_TEST

/* It was believed where it had stepped to as soon as nobody knew better. */
START_TEST(a_step_stays_on_trial_however_little_is_known_by_then) {
  struct encoder_guard guard = new_guard();
  ck_assert_int_eq(judge(&guard, 0.0, 0.0, 1.0), ENCODER_USE);
  for (int k = 0; k < 500; k++) {
    const struct encoder_expectation doubtful = {.q = 0.0,
                                                 .sd = ENCODER_SD * (1.0 + k),
                                                 .noise = ENCODER_SD,
                                                 .dt = ENCODER_DT,
                                                 .unseen_slip = 1.0};
    ck_assert_int_eq(encoder_guard_judge(&guard, 0, 0.3 + 2e-3 * k, &doubtful), ENCODER_LEAVE);
    ck_assert_uint_eq(guard.health[0], ENCODER_GATED);
  }
}
END_TEST

/* Readings that are negated pass by where the joint is, and were believed from there on. */
START_TEST(joints_that_step_together_come_back_together) {
  for (int both = 0; both < 2; both++) {
    struct encoder_guard guard = new_guard();
    bool believed = false;
    for (int k = 0; k < 200; k++) {
      const bool away = k >= 10 && k < 100;
      const double noise = (k % 2 - 0.5) * ENCODER_SD,
                   first = away && k < 50 ? 0.3 - 0.3 * (k - 10) / 40.0 : 0.0,
                   second = (both ? k >= 10 && k < 50 : away) ? 0.5 : 0.0;
      believed =
          believed || (k >= 50 && k < 90 &&
                       judge_joint(&guard, 0, first + noise, 0.0, 1.0, false) == ENCODER_USE);
      if (k < 50 || k >= 90) {
        judge_joint(&guard, 0, first + noise, 0.0, 1.0, false);
      }
      judge_joint(&guard, 1, second + noise, 0.0, 1.0, false);
    }
    ck_assert(believed == both);
    ck_assert_uint_eq(guard.health[0], ENCODER_OK);
    ck_assert_uint_eq(guard.health[1], ENCODER_OK);
  }
}
END_TEST

/* Negated, it goes the other way meanwhile, and its steps do not add up to nothing. */
START_TEST(an_encoder_that_steps_back_to_where_its_joint_is_needs_no_more_proof) {
  struct encoder_guard guard = new_guard();
  for (int k = 0; k < 60; k++) {
    const bool negated = k >= 10 && k < 40;
    const double at = 0.8 + 1e-3 * k, noise = (k % 2 - 0.5) * ENCODER_SD;
    const enum encoder_verdict verdict = judge(&guard, (negated ? -at : at) + noise, at, 1.0);
    if (negated || k < 10 || k > 43) {
      ck_assert_int_eq(verdict, negated ? ENCODER_LEAVE : ENCODER_USE);
    }
  }
}
END_TEST

/* True when joint 0, whose encoder has stepped and stands still as predicted, is taken to have
 * another zero: its pace is known to dq_sd; joint 1 steps with it and goes elsewhere, or not. */
static bool is_rezeroed(double dq_sd, bool other) {
  struct encoder_guard guard = new_guard();
  bool rezeroed = false;
  for (int k = 0; k < 100; k++) {
    const double noise = (k % 2 - 0.5) * ENCODER_SD;
    const struct encoder_expectation still = {.sd = ENCODER_SD,
                                              .dq_sd = dq_sd,
                                              .noise = ENCODER_SD,
                                              .dt = ENCODER_DT,
                                              .unseen_slip = HUGE_VAL},
                                     moves = {.q = 6e-3 * k,
                                              .dq = 6.0,
                                              .sd = ENCODER_SD,
                                              .dq_sd = 0.1,
                                              .noise = ENCODER_SD,
                                              .dt = ENCODER_DT,
                                              .unseen_slip = HUGE_VAL};
    const double first = noise + (k < 10 ? 0.0 : 0.3),
                 second = noise + (k < 10 || !other ? moves.q : 0.5 - moves.q);
    rezeroed = encoder_guard_judge(&guard, 0, first, &still) == ENCODER_REZEROED || rezeroed;
    encoder_guard_judge(&guard, 1, second, &moves);
  }
  return rezeroed;
}

/* Legs whose encoders read the negative were believed where one of them passed by. */
START_TEST(a_step_is_a_new_zero_where_the_pace_is_known_and_all_that_stepped_go_along) {
  ck_assert(is_rezeroed(0.1, false));
  ck_assert(!is_rezeroed(20.0, false));
  ck_assert(!is_rezeroed(0.1, true));
}
END_TEST

/* The joint has moved meanwhile; nobody knows where it is but its encoder. */
START_TEST(a_step_that_follows_another_ends_the_fault_wherever_it_leads) {
  static const int ends[] = {200, 20}; /* after .19 s and after ten readings */
  for (int i = 0; i < 2; i++) {
    struct encoder_guard guard = new_guard();
    int left_out = 0;
    for (int k = 0; k < 400; k++) {
      const double q = (k < 10 ? 0.0 : k < ends[i] ? 0.3 : 0.1) + (k % 2 - 0.5) * ENCODER_SD;
      encoder_guard_hold(&guard, ENCODER_DT);
      const enum encoder_verdict verdict = judge(&guard, q, 0.0, 1.0);
      left_out += k >= ends[i] && verdict == ENCODER_LEAVE;
      if (guard.health[0] == ENCODER_OK && k >= ends[i]) {
        break;
      }
    }
    ck_assert_int_gt(left_out, 10);
    ck_assert_int_lt(left_out, 25);
  }
}
END_TEST

/* Where its readings of the wrong sign pass by zero as they end, it does not step back itself. */
START_TEST(what_has_stepped_with_one_that_is_back_is_believed_wherever_it_is) {
  for (int together = 0; together < 2; together++) {
    struct encoder_guard guard = new_guard();
    int left_out = 0;
    for (int k = 0; k < 400 && (k < 101 || guard.health[0] != ENCODER_OK); k++) {
      const int steps_at = together ? 10 : 40;
      const double noise = (k % 2 - 0.5) * ENCODER_SD;
      encoder_guard_hold(&guard, ENCODER_DT);
      const struct encoder_expectation faster = {.dq = k < 10 ? 0.0 : 5.0,
                                                 .sd = ENCODER_SD,
                                                 .noise = ENCODER_SD,
                                                 .dt = ENCODER_DT,
                                                 .unseen_slip = HUGE_VAL};
      const enum encoder_verdict verdict =
          encoder_guard_judge(&guard, 0, noise + (k < 10 ? 0.0 : 0.05), &faster);
      judge_joint(&guard, 1, noise + (k >= steps_at && k < 100 ? 0.5 : 0.0), 0.0, 1.0, false);
      left_out += k >= 100 && verdict == ENCODER_LEAVE;
    }
    ck_assert(together ? left_out < 20 : left_out > 100);
  }
}
END_TEST

/* As behind an accelerometer that reads 20 m/s^2 too much: it is the prediction that has strayed,
 * however sure it is. */
START_TEST(readings_that_leave_the_prediction_step_by_step_are_used_but_for_the_first) {
  for (int doubt = 0; doubt < 2; doubt++) {
    struct encoder_guard guard = new_guard();
    int left_out = 0;
    for (int k = 0; k < 2000; k++) { /* 5 rad/s, as fast joints move */
      left_out += judge_joint(&guard, 0, 5.0 * ENCODER_DT * k, 0.0, 0.2, doubt) != ENCODER_USE;
    }
    ck_assert_int_eq(left_out, doubt ? 0 : 1);
    ck_assert_uint_eq(guard.health[0], ENCODER_OK);
    ck_assert_double_eq(guard.joint[0].offset, 0.0);
  }
}
END_TEST

/* What is predicted runs away meanwhile: the contradiction never stays the same. */
START_TEST(an_encoder_is_not_left_out_for_good) {
  struct encoder_guard guard = new_guard();
  int k = 0;
  ck_assert_int_eq(judge(&guard, 0.0, 0.0, 1.0), ENCODER_USE);
  while (k < 5000 && judge(&guard, 0.1 + 1e-4 * (k % 2), -1e-4 * k * k, 1.0) == ENCODER_LEAVE) {
    k++;
  }
  ck_assert_int_gt(k, 100);
  ck_assert_int_le(k, (int)(guard.step_stays_s / ENCODER_DT) + 1);
}
END_TEST

/* What comes late is judged as if it came a period after the one before. */
START_TEST(readings_are_as_far_apart_as_they_were_sampled) {
  struct encoder_guard guard = new_guard();
  const int64_t t_ns[] = {1000000000, 1004000000, 1012000000, 1010000000, 1016000000};
  const double apart[] = {ENCODER_DT, 4e-3, 8e-3, ENCODER_DT, 4e-3};
  for (size_t i = 0; i < sizeof(apart) / sizeof(apart[0]); i++) {
    assert_near(encoder_guard_interval(&guard, t_ns[i], ENCODER_DT), apart[i], 1e-12);
  }
  encoder_guard_reset(&guard);
  assert_near(encoder_guard_interval(&guard, t_ns[0], ENCODER_DT), ENCODER_DT, 1e-12);
}
END_TEST

/* Taken for one, what it repeated afterwards was no measurement any more. */
START_TEST(another_zero_is_no_motion) {
  struct encoder_guard guard = new_guard();
  bool moved = false;
  for (int k = 0; k < 300; k++) {
    const double noise = (k % 2 - 0.5) * ENCODER_SD, off = k < 100 ? 0.0 : 0.3;
    judge(&guard, off + noise - guard.joint[0].offset, 0.0, HUGE_VAL);
    moved = moved || fabs(guard.joint[0].repeats.pace) > 1.0;
  }
  assert_near(guard.joint[0].offset, 0.3, 2.0 * ENCODER_SD);
  ck_assert(!moved);
}
END_TEST

/* What the encoders of a limb said for .1 s was believed as soon as it had repeated itself for so
 * long that they counted as silent. */
START_TEST(a_wrong_word_that_stays_is_no_news) {
  struct encoder_guard guard = new_guard();
  for (int k = 0; k < 100; k++) {
    judge(&guard, 1e-3 * k, 1e-3 * k, 1.0);
  }
  ck_assert_int_eq(judge(&guard, 3.0, 0.1, 1.0), ENCODER_LEAVE);
  const struct encoder_expectation late = {
      .q = 0.15, .sd = 0.05, .noise = ENCODER_SD, .dt = 0.06, .unseen_slip = HUGE_VAL};
  for (int k = 0; k < 5; k++) {
    ck_assert_int_eq(encoder_guard_judge(&guard, 0, 3.0, &late), ENCODER_LEAVE);
  }
  ck_assert_int_eq(encoder_guard_judge(&guard, 0, 0.16, &late), ENCODER_USE);
}
END_TEST

/* Ten readings of 100 Hz had to be left out first. */
START_TEST(a_step_of_an_encoder_that_is_read_seldom_stays_on_trial) {
  struct encoder_guard guard = new_guard();
  const double dt = 0.01;
  for (int k = 0; k < 120; k++) {
    const double noise = (k % 2 - 0.5) * ENCODER_SD, off = k >= 100 && k < 106 ? 0.3 : 0.0;
    const struct encoder_expectation expected = {.sd = k < 100 ? ENCODER_SD : 0.02 * (k - 99),
                                                 .dq_sd = 20.0,
                                                 .noise = ENCODER_SD,
                                                 .dt = dt,
                                                 .unseen_slip = HUGE_VAL};
    const enum encoder_verdict verdict = encoder_guard_judge(&guard, 0, off + noise, &expected);
    ck_assert(off == 0.0 || verdict == ENCODER_LEAVE);
    ck_assert(k < 110 || verdict == ENCODER_USE);
  }
}
END_TEST

SUITE(what_was_before_a_long_silence_does_not_count,
      an_encoder_that_does_not_answer_is_missing_after_a_while,
      noise_alone_is_believed_for_an_hour_of_samples, what_no_encoder_can_say_is_missing,
      a_step_that_stays_is_a_slip_or_a_new_zero_when_the_skin_would_have_seen_it,
      an_encoder_whose_step_is_on_trial_tells_its_joints_pace_and_is_named,
      a_step_on_trial_is_named_and_forgotten_when_it_is_taken_back,
      contradictions_that_do_not_agree_with_each_other_are_no_slip,
      a_step_stays_on_trial_however_little_is_known_by_then,
      joints_that_step_together_come_back_together,
      an_encoder_that_steps_back_to_where_its_joint_is_needs_no_more_proof,
      a_step_is_a_new_zero_where_the_pace_is_known_and_all_that_stepped_go_along,
      a_step_that_follows_another_ends_the_fault_wherever_it_leads,
      what_has_stepped_with_one_that_is_back_is_believed_wherever_it_is,
      readings_that_leave_the_prediction_step_by_step_are_used_but_for_the_first,
      an_encoder_is_not_left_out_for_good, readings_are_as_far_apart_as_they_were_sampled,
      a_wrong_word_that_stays_is_no_news, a_step_of_an_encoder_that_is_read_seldom_stays_on_trial,
      another_zero_is_no_motion)
