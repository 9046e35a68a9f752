#include "joints/encoder_guard.h"

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
  const double bad[] = {NAN, INFINITY, -INFINITY, 1e308, -1e5};
  struct encoder_guard guard = new_guard();
  for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
    ck_assert_int_eq(judge(&guard, bad[k], 0.0, 1.0), ENCODER_LEAVE);
    ck_assert_uint_eq(guard.health[0], ENCODER_MISSING);
    ck_assert_uint_eq(guard.health[1], ENCODER_OK);
  }
}
END_TEST

START_TEST(a_lasting_step_is_refused_then_a_slip_or_a_new_zero_when_the_skin_would_have_seen_it) {
  struct random rng = random_from(test_seed());
  for (int seen = 0; seen < 2; seen++) {
    struct encoder_guard guard = new_guard();
    int last = 0, verdict = ENCODER_LEAVE;
    ck_assert_int_eq(judge(&guard, 0.0, 0.0, 1.0), ENCODER_USE);
    for (; last < 1000 && verdict == ENCODER_LEAVE; last++) {
      verdict = judge(&guard, 0.3 + ENCODER_SD * random_normal(&rng), 0.0, seen ? 0.2 : 1.0);
    }
    ck_assert_int_eq(verdict, seen ? ENCODER_REZEROED : ENCODER_SLIPPED);
    ck_assert(last > 100 && last < 300);
    assert_near(guard.joint[0].offset, seen ? 0.3 : 0.0, 2.0 * ENCODER_SD);
    ck_assert_uint_eq(guard.health[0], seen ? ENCODER_SHIFTED : ENCODER_OK);
  }
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

START_TEST(a_reading_that_stayed_away_until_the_doubt_had_grown_has_slipped) {
  for (int slipped = 0; slipped < 2; slipped++) {
    struct encoder_guard guard = new_guard();
    ck_assert_int_eq(judge(&guard, 0.0, 0.0, 1.0), ENCODER_USE);
    for (int k = 0; k < 20; k++) {
      ck_assert_int_eq(judge(&guard, 0.3 + 1e-6 * k, 0.0, 1.0), ENCODER_LEAVE);
    }
    const struct encoder_expectation doubtful = {
        .q = 0.0, .sd = slipped ? 0.1 : 0.2, .dt = ENCODER_DT, .unseen_slip = 1.0};
    ck_assert_int_eq(encoder_guard_judge(&guard, 0, 0.3, &doubtful),
                     slipped ? ENCODER_SLIPPED : ENCODER_USE);
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
  ck_assert_int_le(k, (int)(guard.group_after_s / ENCODER_DT) + 1);
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

SUITE(noise_alone_is_believed_for_an_hour_of_samples, what_no_encoder_can_say_is_missing,
      a_lasting_step_is_refused_then_a_slip_or_a_new_zero_when_the_skin_would_have_seen_it,
      contradictions_that_do_not_agree_with_each_other_are_no_slip,
      a_reading_that_stayed_away_until_the_doubt_had_grown_has_slipped,
      readings_that_leave_the_prediction_step_by_step_are_used_but_for_the_first,
      an_encoder_is_not_left_out_for_good, readings_are_as_far_apart_as_they_were_sampled)
