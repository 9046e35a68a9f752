/* Encoders that step, stay there, and step back. */
#include "sensors/encoder_steps.h"

#include "support/encoder_guard_fixture.h"

#include <math.h>

/* Joints away by a step. */
static unsigned stepped(const struct encoder_guard *guard) {
  unsigned count = 0;
  for (size_t j = 0; j < guard->n; j++) {
    count += guard->joint[j].steps.away;
  }
  return count;
}

START_TEST(a_step_of_one_reading_is_left_out_and_forgotten) {
  struct encoder_guard guard = new_guard();
  for (int k = 0; k < 1000; k++) {
    const bool spike = k % 10 == 5;
    const double q =
        (spike ? 0.3 : 0.0) + (k % 2 == 0 ? 0.1 : -0.1) * ENCODER_SD; /* repeats nothing */
    ck_assert_int_eq(judge(&guard, q, 0.0, 0.2), spike ? ENCODER_LEAVE : ENCODER_USE);
    ck_assert_uint_eq(guard.health[0], spike ? ENCODER_GATED : ENCODER_OK);
    ck_assert_uint_eq(stepped(&guard), spike ? 1 : 0);
  }
  ck_assert_double_eq(guard.joint[0].offset, 0.0);
}
END_TEST

START_TEST(a_step_is_left_out_whether_the_inertial_sensors_are_in_doubt_or_not) {
  struct encoder_guard guard = new_guard();
  ck_assert_int_eq(judge_joint(&guard, 0, 0.0, 0.0, 0.2, true), ENCODER_USE);
  for (int k = 0; k < 90; k++) {
    ck_assert_int_eq(judge_joint(&guard, 0, 0.3 + 1e-6 * k, 0.0, 0.2, true), ENCODER_LEAVE);
  }
}
END_TEST

/* As a light leg's knee that begins to swing: refused until it had slipped, its filter ran away. */
START_TEST(a_step_that_the_next_readings_go_on_with_is_a_joint_that_has_become_faster) {
  struct encoder_guard guard = new_guard();
  double q = 0.0;
  int left_out = 0;
  for (int k = 0; k < 100; k++) { /* -5 rad/s within one reading; the prediction stands still */
    q -= k < 50 ? 0.0 : 5.0 * ENCODER_DT;
    left_out +=
        judge_joint(&guard, 0, q + 0.1 * ENCODER_SD * (k % 2), 0.0, 0.2, false) != ENCODER_USE;
  }
  ck_assert_int_le(left_out, 1);
  ck_assert(!guard.joint[0].steps.away);
  q += 0.3; /* and a slip while it goes on is one */
  for (int k = 0; k < 50; k++) {
    q -= 5.0 * ENCODER_DT;
    ck_assert_int_eq(judge_joint(&guard, 0, q, q - 0.3, 1.0, false), ENCODER_LEAVE);
  }
  ck_assert(guard.joint[0].steps.away);
}
END_TEST

/* As a light leg does that strikes: taken for steps, its encoder was left out for good. */
START_TEST(a_joint_that_is_thrown_about_does_not_step) {
  struct encoder_guard guard = new_guard();
  double q = 0.0, dq = 0.0;
  int left_out = 0;
  for (int k = 0; k < 2000; k++) { /* every 20 ms the other way */
    const struct encoder_expectation strayed = {
        .q = -0.5, .sd = 1e-4, .noise = 1e-4, .dt = ENCODER_DT, .unseen_slip = 0.2};
    left_out += encoder_guard_judge(&guard, 0, q, &strayed) != ENCODER_USE;
    dq += (k / 20 % 2 == 0 ? 400.0 : -400.0) * ENCODER_DT;
    q += dq * ENCODER_DT;
  }
  ck_assert_int_eq(left_out, 1);
}
END_TEST

/* What is predicted after a burst of noise rests on readings of it that were believed. */
START_TEST(an_encoder_that_was_noisy_is_believed_where_it_goes_on) {
  struct random rng = random_from(test_seed());
  for (int run = 0; run < 50; run++) {
    struct encoder_guard guard = new_guard();
    int left_out = 0;
    for (int k = 0; k < 200; k++) { /* for ten readings, and nearly ten deviations off after it */
      const bool noisy = k >= 100 && k < 110;
      const double q = 1e-3 * k + (noisy ? 30.0 : 1.0) * ENCODER_SD * random_normal(&rng);
      const double predicted = 1e-3 * k + (k < 110 ? 0.0 : 1e-3 * (k - 100));
      left_out += judge(&guard, q - guard.joint[0].offset, predicted, HUGE_VAL) == ENCODER_LEAVE &&
                  k >= 110;
      if (k > 135) {
        ck_assert_uint_eq(guard.health[0], ENCODER_OK);
        break;
      }
    }
    ck_assert_int_le(left_out, TRIAL_READINGS + 5);
    ck_assert_double_eq(guard.joint[0].offset, 0.0);
  }
}
END_TEST

START_TEST(an_encoder_that_steps_back_has_its_old_zero_again) {
  struct random rng = random_from(test_seed());
  struct encoder_guard guard = new_guard();
  for (int k = 0; k < 1100; k++) { /* there for half of the time */
    const double q = (k >= 100 && k < 600 ? 0.3 : 0.0) + ENCODER_SD * random_normal(&rng);
    judge(&guard, q - guard.joint[0].offset, 0.0, 0.2);
  }
  ck_assert_double_eq(guard.joint[0].offset, 0.0);
  ck_assert_uint_eq(guard.health[0], ENCODER_OK);
}
END_TEST

/* Whatever is predicted by then: it was left out for seconds when the prediction had strayed. */
START_TEST(an_encoder_that_steps_back_is_believed_at_once) {
  struct random rng = random_from(test_seed());
  struct encoder_guard guard = new_guard();
  int left_out = 0;
  for (int k = 0; k < 300; k++) { /* away for less than makes a slip; the prediction strays */
    const double q = (k >= 100 && k < 200 ? 0.2 : 0.0) + ENCODER_SD * random_normal(&rng);
    const double predicted = k < 100 ? 0.0 : 0.1;
    left_out +=
        judge(&guard, q - guard.joint[0].offset, predicted, 0.16) == ENCODER_LEAVE && k >= 200;
    if (k > 210) {
      ck_assert_uint_eq(guard.health[0], ENCODER_OK);
      break;
    }
  }
  ck_assert_int_le(left_out, 4);
  ck_assert_double_eq(guard.joint[0].offset, 0.0);
}
END_TEST

/* Half the way is not the way. */
START_TEST(an_encoder_that_has_stepped_back_by_part_of_it_is_not_back) {
  static const struct {
    double end;
    int left_out; /* of 20 readings: all; three after the step, and that which begins anew */
  } cases[] = {{0.05, 20}, {0.0, 4}};
  struct random rng = random_from(test_seed());
  for (size_t k = 0; k < 2; k++) {
    struct encoder_guard guard = new_guard();
    for (int i = 0; i < 40; i++) {
      judge(&guard, (i < 20 ? 0.0 : 1.0) + ENCODER_SD * random_normal(&rng), 0.0, 1.0);
    }
    int left_out = 0;
    for (int i = 0; i < 20; i++) { /* not where it was expected, either */
      const double q = cases[k].end + ENCODER_SD * random_normal(&rng);
      left_out += judge(&guard, q, 0.5, 1.0) == ENCODER_LEAVE;
    }
    ck_assert_int_eq(left_out, cases[k].left_out);
  }
}
END_TEST

START_TEST(an_encoder_that_was_believed_elsewhere_is_believed_at_once_when_it_is_back) {
  struct random rng = random_from(test_seed());
  for (int seen = 0; seen < 2; seen++) {
    const double unseen_slip = seen ? 0.2 : 2.0;
    struct encoder_guard guard = new_guard();
    int left_out = 0;
    for (int i = 0; i < 1000; i++) {
      const double expected = i < 220 || i >= 700 || seen ? 0.0 : 1.0,
                   q = (i < 20 || i >= 700 ? 0.0 : 1.0) + ENCODER_SD * random_normal(&rng);
      left_out += judge(&guard, q - guard.joint[0].offset, expected, unseen_slip) == ENCODER_LEAVE;
      left_out = i < 700 ? 0 : left_out;
    }
    ck_assert_double_eq(guard.joint[0].offset, 0.0);
    ck_assert_int_le(left_out, 4);
  }
}
END_TEST

/* Noise for some readings, of which two agreed and were believed: the prediction flies off with
 * the velocity that they told. A slip of the zero is another thing: the joint's pace is as
 * predicted. */
START_TEST(a_prediction_that_rests_on_noise_is_given_up_when_the_encoder_is_well_again) {
  for (int slip = 0; slip < 2; slip++) {
    struct encoder_guard guard = new_guard();
    int believed = -1;
    for (int k = 0; k < 100; k++) {
      const bool noise = k == 50 || k == 51;
      const double pace = slip || k < 52 ? 0.0 : 40.0,
                   predicted = slip && k >= 52 ? 0.4 : pace * ENCODER_DT * (k - 51);
      const struct encoder_expectation expected = {.q = predicted,
                                                   .dq = pace,
                                                   .sd = ENCODER_SD,
                                                   .noise = ENCODER_SD,
                                                   .dt = ENCODER_DT,
                                                   .unseen_slip = 0.2};
      const double q = noise ? 0.011 * (k - 49) : 0.1 * ENCODER_SD * (k % 2);
      const enum encoder_verdict verdict = encoder_guard_judge(&guard, 0, q, &expected);
      believed = k > 56 && believed < 0 && verdict != ENCODER_LEAVE ? k : believed;
      ck_assert_int_ne(verdict, ENCODER_REZEROED);
    }
    ck_assert(slip ? believed < 0 : believed > 0 && believed < 65);
  }
}
END_TEST

/* Two readings of noise agreed that it had become faster; each after them stood where it stood, and
 * was a step from where that would have led, for ever. */
START_TEST(steps_find_the_pace_that_readings_keep) {
  struct encoder_steps steps = {.heard = false};
  for (int k = 0; k < 60; k++) {
    const double q = k == 20 ? 0.006 : k == 21 ? 0.012 : 2e-4 * (k % 2);
    encoder_steps_next(&steps, q, 2e-4, 0.0, ENCODER_DT);
    ck_assert(k != 21 || (!steps.away && steps.velocity > 5.0));
  }
  ck_assert(steps.away); /* from where the two had led it */
  ck_assert_uint_gt(steps.settled, 30);
  ck_assert_double_lt(fabs(steps.velocity), 0.3);
}
END_TEST

/* 8 rad/s within 10 ms was an acceleration: a leg that read .08 rad too much was believed. */
START_TEST(readings_of_100_hz_step_as_well) {
  static const double jumps[] = {0.08, 0.03}; /* rad: no drive does that; one that is quick */
  for (int i = 0; i < 2; i++) {
    struct encoder_steps steps = {.heard = false};
    for (int k = 0; k < 20; k++) {
      encoder_steps_next(&steps, 1e-4 * k + (k > 10 ? jumps[i] : 0.0), 1e-4, 0.0, 0.01);
    }
    ck_assert(steps.away == (i == 0));
  }
}
END_TEST

SUITE(steps_find_the_pace_that_readings_keep,
      a_prediction_that_rests_on_noise_is_given_up_when_the_encoder_is_well_again,
      a_step_of_one_reading_is_left_out_and_forgotten,
      a_step_is_left_out_whether_the_inertial_sensors_are_in_doubt_or_not,
      a_step_that_the_next_readings_go_on_with_is_a_joint_that_has_become_faster,
      a_joint_that_is_thrown_about_does_not_step,
      an_encoder_that_was_noisy_is_believed_where_it_goes_on,
      an_encoder_that_steps_back_has_its_old_zero_again,
      an_encoder_that_steps_back_is_believed_at_once,
      an_encoder_that_has_stepped_back_by_part_of_it_is_not_back,
      an_encoder_that_was_believed_elsewhere_is_believed_at_once_when_it_is_back,
      readings_of_100_hz_step_as_well)
