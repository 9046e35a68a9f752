#include "joints/encoder_guard.h"

#include "support/random_model.h"

#include <math.h>

static const double SD = 1e-3, DT = 1e-3; /* rad, s */

static struct encoder_guard guard_of(size_t n) {
  struct encoder_guard guard;
  struct arena count = {0};
  ck_assert_int_eq(encoder_guard_init(&guard, n, &count), STATUS_OK);
  struct arena arena = test_arena(count.used);
  ck_assert_int_eq(encoder_guard_init(&guard, n, &arena), STATUS_OK);
  return guard;
}

static struct encoder_guard new_guard(void) {
  return guard_of(2);
}

static enum encoder_verdict judge_joint(struct encoder_guard *guard, size_t j, double q,
                                        double predicted, double unseen_slip, bool doubt) {
  const struct encoder_expectation expected = {
      .q = predicted, .sd = SD, .noise = SD, .dt = DT, .unseen_slip = unseen_slip, .doubt = doubt};
  return encoder_guard_judge(guard, j, q, &expected);
}

static enum encoder_verdict judge(struct encoder_guard *guard, double q, double predicted,
                                  double unseen_slip) {
  return judge_joint(guard, 0, q, predicted, unseen_slip, false);
}

/* Joints away by a step. */
static unsigned stepped(const struct encoder_guard *guard) {
  unsigned count = 0;
  for (size_t j = 0; j < guard->n; j++) {
    count += guard->joint[j].steps.away;
  }
  return count;
}

START_TEST(noise_alone_is_believed_for_an_hour_of_samples) {
  struct random rng = random_from(test_seed());
  struct encoder_guard guard = new_guard();
  int refused = 0, kicks = 0;
  for (int k = 0; k < 3600000; k++) {
    const double innovation = SD * random_normal(&rng);
    refused += judge(&guard, 0.3 + innovation, 0.3, 1.0) != ENCODER_USE;
    kicks += encoder_guard_kicked(&guard, 0, innovation, SD);
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
      verdict = judge(&guard, 0.3 + SD * random_normal(&rng), 0.0, seen ? 0.2 : 1.0);
    }
    ck_assert_int_eq(verdict, seen ? ENCODER_REZEROED : ENCODER_SLIPPED);
    ck_assert(last > 100 && last < 300);
    assert_near(guard.joint[0].offset, seen ? 0.3 : 0.0, 2.0 * SD);
    ck_assert_uint_eq(guard.health[0], seen ? ENCODER_SHIFTED : ENCODER_OK);
  }
}
END_TEST

START_TEST(an_encoder_that_steps_back_has_its_old_zero_again) {
  struct random rng = random_from(test_seed());
  struct encoder_guard guard = new_guard();
  for (int k = 0; k < 1100; k++) { /* there for half of the time */
    const double q = (k >= 100 && k < 600 ? 0.3 : 0.0) + SD * random_normal(&rng);
    judge(&guard, q - guard.joint[0].offset, 0.0, 0.2);
  }
  ck_assert_double_eq(guard.joint[0].offset, 0.0);
  ck_assert_uint_eq(guard.health[0], ENCODER_OK);
}
END_TEST

START_TEST(equal_readings_are_stuck_only_against_the_prediction) {
  struct encoder_guard guard = new_guard();
  for (int k = 0; k < 1000; k++) {
    ck_assert_int_eq(judge(&guard, 0.1, 0.1 + (k % 2 - 0.5) * SD, 1.0), ENCODER_USE);
  }
  int used = 0, looked = 0;
  for (double away = 0.0; guard.health[0] == ENCODER_OK && away < 1.0; away += 0.1 * SD, looked++) {
    used += judge(&guard, 0.1, 0.1 + away, 1.0) == ENCODER_USE;
  }
  ck_assert_int_lt(used, looked / 2 + 30); /* so that it does not hold the prediction back */
  ck_assert_uint_eq(guard.health[0], ENCODER_STUCK);
  ck_assert_int_eq(judge(&guard, 0.1003, 0.1003, 1.0), ENCODER_USE); /* moves again: taken back */
}
END_TEST

/* As one of 19 bits is, whose joint hardly moves: left out for it, it let the estimate wander. */
START_TEST(an_encoder_that_comes_in_steps_is_believed_though_always_off_by_half_of_one) {
  const double step = sqrt(12.0) * SD; /* whose noise has the deviation SD */
  struct encoder_guard guard = new_guard();
  int left_out = 0;
  for (int k = 0; k < 20000; k++) {
    const double q = 1e-2 * step * k; /* a hundred equal readings, then the next step */
    const bool left = judge(&guard, step * floor(q / step), q, 1.0) != ENCODER_USE;
    left_out += left && k > 200; /* until it is known to come in steps */
    ck_assert_uint_eq(guard.health[0], ENCODER_OK);
  }
  ck_assert_int_lt(left_out, 20000 / 3);
  for (int k = 0; k < 100; k++) { /* stands still while the joint goes on */
    judge(&guard, 200.0 * step, 200.0 * step + 0.2 * SD * k, 1.0);
  }
  ck_assert_uint_eq(guard.health[0], ENCODER_STUCK);
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
        .q = 0.0, .sd = slipped ? 0.1 : 0.2, .dt = DT, .unseen_slip = 1.0};
    ck_assert_int_eq(encoder_guard_judge(&guard, 0, 0.3, &doubtful),
                     slipped ? ENCODER_SLIPPED : ENCODER_USE);
  }
}
END_TEST

START_TEST(a_step_of_one_reading_is_left_out_and_forgotten) {
  struct encoder_guard guard = new_guard();
  for (int k = 0; k < 1000; k++) {
    const bool spike = k % 10 == 5;
    const double q = (spike ? 0.3 : 0.0) + (k % 2 == 0 ? 0.1 : -0.1) * SD; /* repeats nothing */
    ck_assert_int_eq(judge(&guard, q, 0.0, 0.2), spike ? ENCODER_LEAVE : ENCODER_USE);
    ck_assert_uint_eq(guard.health[0], spike ? ENCODER_GATED : ENCODER_OK);
    ck_assert_uint_eq(stepped(&guard), spike ? 1 : 0);
  }
  ck_assert_double_eq(guard.joint[0].offset, 0.0);
}
END_TEST

/* As behind an accelerometer that reads 20 m/s^2 too much: it is the prediction that has strayed,
 * however sure it is. */
START_TEST(readings_that_leave_the_prediction_step_by_step_are_used_but_for_the_first) {
  for (int doubt = 0; doubt < 2; doubt++) {
    struct encoder_guard guard = new_guard();
    int left_out = 0;
    for (int k = 0; k < 2000; k++) { /* 5 rad/s, as fast joints move */
      left_out += judge_joint(&guard, 0, 5.0 * DT * k, 0.0, 0.2, doubt) != ENCODER_USE;
    }
    ck_assert_int_eq(left_out, doubt ? 0 : 1);
    ck_assert_uint_eq(guard.health[0], ENCODER_OK);
    ck_assert_double_eq(guard.joint[0].offset, 0.0);
  }
}
END_TEST

START_TEST(a_step_is_left_out_whether_the_inertial_sensors_are_in_doubt_or_not) {
  struct encoder_guard guard = new_guard();
  ck_assert_int_eq(judge_joint(&guard, 0, 0.0, 0.0, 0.2, true), ENCODER_USE);
  for (int k = 0; k < 100; k++) {
    ck_assert_int_eq(judge_joint(&guard, 0, 0.3 + 1e-6 * k, 0.0, 0.2, true), ENCODER_LEAVE);
  }
}
END_TEST

/* How long a step of 0.3 rad is left out, s, when `joints` step together. */
static double waited(int joints) {
  struct random rng = random_from(test_seed());
  struct encoder_guard guard = new_guard();
  for (int k = 0; k < 5000; k++) {
    for (size_t j = 0; j < 2; j++) {
      const double q = k > 0 && j < (size_t)joints ? 0.3 : 0.0;
      const double noisy = q + SD * random_normal(&rng);
      if (judge_joint(&guard, j, noisy, 0.0, 1.0, false) == ENCODER_SLIPPED) {
        return k * DT;
      }
    }
  }
  return HUGE_VAL;
}

START_TEST(joints_that_step_together_are_waited_for_longer_than_one_that_slips) {
  const struct encoder_guard guard = new_guard();
  assert_near(waited(1), guard.slip_after_s, 0.02);
  assert_near(waited(2), guard.group_after_s, 0.02);
}
END_TEST

START_TEST(a_joint_that_comes_back_no_longer_delays_another) {
  struct encoder_guard guard = new_guard();
  for (int k = 0; k < 60; k++) {
    judge_joint(&guard, 0, k < 10 ? 0.0 : 0.3, 0.0, 1.0, false);
    judge_joint(&guard, 1, k < 10 || k > 50 ? 0.0 : 0.3, 0.0, 1.0, false);
    ck_assert_uint_eq(stepped(&guard), k < 10 ? 0 : k > 50 ? 1 : 2);
  }
  encoder_guard_reset(&guard);
  ck_assert_uint_eq(stepped(&guard), 0);
}
END_TEST

/* As a light leg does that strikes: taken for steps, its encoder was left out for good. */
START_TEST(a_joint_that_is_thrown_about_does_not_step) {
  struct encoder_guard guard = new_guard();
  double q = 0.0, dq = 0.0;
  int left_out = 0;
  for (int k = 0; k < 2000; k++) { /* every 20 ms the other way */
    const struct encoder_expectation strayed = {
        .q = -0.5, .sd = 1e-4, .noise = 1e-4, .dt = DT, .unseen_slip = 0.2};
    left_out += encoder_guard_judge(&guard, 0, q, &strayed) != ENCODER_USE;
    dq += (k / 20 % 2 == 0 ? 400.0 : -400.0) * DT;
    q += dq * DT;
  }
  ck_assert_int_eq(left_out, 1);
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
  ck_assert_int_le(k, (int)(guard.group_after_s / DT) + 1);
}
END_TEST

/* As a light leg's knee that begins to swing: refused until it had slipped, its filter ran away. */
START_TEST(a_step_that_the_next_readings_go_on_with_is_a_joint_that_has_become_faster) {
  struct encoder_guard guard = new_guard();
  double q = 0.0;
  int left_out = 0;
  for (int k = 0; k < 100; k++) { /* -5 rad/s within one reading; the prediction stands still */
    q -= k < 50 ? 0.0 : 5.0 * DT;
    left_out += judge_joint(&guard, 0, q + 0.1 * SD * (k % 2), 0.0, 0.2, false) != ENCODER_USE;
  }
  ck_assert_int_le(left_out, 1);
  ck_assert(!guard.joint[0].steps.away);
  q += 0.3; /* and a slip while it goes on is one */
  for (int k = 0; k < 50; k++) {
    q -= 5.0 * DT;
    ck_assert_int_eq(judge_joint(&guard, 0, q, q - 0.3, 1.0, false), ENCODER_LEAVE);
  }
  ck_assert(guard.joint[0].steps.away);
}
END_TEST

/* What comes late is judged as if it came a period after the one before. */
START_TEST(readings_are_as_far_apart_as_they_were_sampled) {
  struct encoder_guard guard = new_guard();
  const int64_t t_ns[] = {1000000000, 1004000000, 1012000000, 1010000000, 1016000000};
  const double apart[] = {DT, 4e-3, 8e-3, DT, 4e-3};
  for (size_t i = 0; i < sizeof(apart) / sizeof(apart[0]); i++) {
    assert_near(encoder_guard_interval(&guard, t_ns[i], DT), apart[i], 1e-12);
  }
  encoder_guard_reset(&guard);
  assert_near(encoder_guard_interval(&guard, t_ns[0], DT), DT, 1e-12);
}
END_TEST

/* Whatever is predicted by then: it was left out for seconds when the prediction had strayed. */
START_TEST(an_encoder_that_steps_back_is_believed_at_once) {
  struct random rng = random_from(test_seed());
  struct encoder_guard guard = new_guard();
  int left_out = 0;
  for (int k = 0; k < 300; k++) { /* away for less than makes a slip; the prediction strays */
    const double q = (k >= 100 && k < 200 ? 0.2 : 0.0) + SD * random_normal(&rng);
    const double predicted = k < 100 ? 0.0 : 0.1;
    left_out += judge(&guard, q, predicted, 0.16) == ENCODER_LEAVE && k >= 200;
    if (k > 210) {
      ck_assert_uint_eq(guard.health[0], ENCODER_OK);
      break;
    }
  }
  ck_assert_int_le(left_out, 4);
  ck_assert_double_eq(guard.joint[0].offset, 0.0);
}
END_TEST

/* Joints of a limb on encoders of 19 bits that move until their `last`th reading, and may go on
 * later. */
enum { LIMB = 4 };
static const double STEP = 1.2e-5;

struct limb {
  struct encoder_guard guard;
  double sd; /* of the prediction, a large one surprises nobody */
  int k, stuck, left_out;
};

static struct limb new_limb(void) {
  return (struct limb){.guard = guard_of(LIMB), .sd = 0.1};
}

/* One reading of each at places that are `q` times 1 + j; every joint is predicted to go on. */
static void read_limb(struct limb *limb, double q, double predicted, size_t joints) {
  const double dt = encoder_guard_interval(&limb->guard, 1000000 * (int64_t)++limb->k, DT);
  encoder_guard_hold(&limb->guard, dt);
  for (size_t j = 0; j < joints; j++) {
    const double times = 1.0 + 0.5 * (double)j;
    const struct encoder_expectation expected = {
        .q = times * predicted, .sd = limb->sd, .noise = STEP, .dt = DT, .unseen_slip = 1.0};
    limb->left_out += encoder_guard_judge(&limb->guard, j, STEP * round(times * q / STEP),
                                          &expected) != ENCODER_USE;
    limb->stuck += limb->guard.health[j] == ENCODER_STUCK;
  }
}

START_TEST(encoders_that_stop_together_out_of_motion_have_frozen) {
  for (size_t joints = 2; joints <= LIMB; joints++) {
    struct limb limb = new_limb();
    for (int k = 0; k < 500; k++) { /* ever faster */
      read_limb(&limb, 2e-7 * k * k, 2e-7 * k * k, joints);
    }
    ck_assert_int_eq(limb.stuck, 0);
    for (int k = 0; k < 15; k++) {
      read_limb(&limb, 0.05, 0.05, joints);
    }
    ck_assert((limb.stuck > 0) == (joints > 2)); /* two fingers may have met what they grasp */
    limb.left_out = limb.stuck = 0;
    limb.sd = 0.01;
    for (int k = 0; k < 500; k++) { /* elsewhere, and they go on: believed at once */
      read_limb(&limb, 0.3 + 2e-4 * k, 0.1, joints);
    }
    ck_assert(joints == 2 || limb.left_out <= (int)joints);
    ck_assert(joints == 2 || limb.stuck == 0);
  }
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
      judge(&guard, (i < 20 ? 0.0 : 1.0) + SD * random_normal(&rng), 0.0, 1.0);
    }
    int left_out = 0;
    for (int i = 0; i < 20; i++) { /* not where it was expected, either */
      const double q = cases[k].end + SD * random_normal(&rng);
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
                   q = (i < 20 || i >= 700 ? 0.0 : 1.0) + SD * random_normal(&rng);
      left_out += judge(&guard, q - guard.joint[0].offset, expected, unseen_slip) == ENCODER_LEAVE;
      left_out = i < 700 ? 0 : left_out;
    }
    ck_assert_double_eq(guard.joint[0].offset, 0.0);
    ck_assert_int_le(left_out, 4);
  }
}
END_TEST

/* Brakes have closed: whoever repeats himself for ever may as well stand. */
START_TEST(what_has_stood_for_long_is_not_frozen) {
  struct limb limb = new_limb();
  for (int k = 0; k < 500; k++) {
    read_limb(&limb, 2e-7 * k * k, 2e-7 * k * k, LIMB);
  }
  for (int k = 0; k < 1900; k++) {
    read_limb(&limb, 0.05, 0.05, LIMB);
  }
  ck_assert_uint_eq(limb.guard.health[0], ENCODER_STUCK);
  for (int k = 0; k < 200; k++) {
    read_limb(&limb, 0.05, 0.05, LIMB);
  }
  ck_assert_uint_eq(limb.guard.health[0], ENCODER_OK);
}
END_TEST

/* A thump at rest ends with a large step too. */
START_TEST(encoders_at_rest_do_not_freeze) {
  struct limb limb = new_limb();
  for (int k = 0; k < 600; k++) {
    const double q = k < 500 ? STEP * (k % 2) : 4.0 * STEP;
    read_limb(&limb, q, q, LIMB);
  }
  ck_assert_int_eq(limb.stuck, 0);
}
END_TEST

/* As a bus does that fails, and a supply: they say nothing while they stay there to the bit, and
 * are believed at once when they go on, where the joints have gone meanwhile. A leg that read zero
 * for .8 s in a walk came back elsewhere than where it came from, and was refused for seconds. */
START_TEST(encoders_that_step_together_and_repeat_themselves_there_have_frozen) {
  static const double back[] = {0.05, 0.4};
  for (int i = 0; i < 2; i++) {
    struct limb limb = new_limb();
    for (int k = 0; k < 500; k++) {
      read_limb(&limb, 2e-7 * k * k, 2e-7 * k * k, LIMB);
    }
    for (int k = 0; k < 100; k++) {
      read_limb(&limb, 3.0, 0.05, LIMB);
    }
    for (size_t j = 0; j < LIMB; j++) {
      ck_assert_uint_eq(limb.guard.health[j], ENCODER_STUCK);
    }
    limb.left_out = 0;
    for (int k = 0; k < 100; k++) { /* which by now nobody expects */
      read_limb(&limb, back[i] + 2e-4 * k, 2.0, LIMB);
    }
    ck_assert_int_le(limb.left_out, LIMB);
  }
}
END_TEST

/* They come to rest with the same reading, as joints of one trajectory do. */
START_TEST(a_motion_that_ends_is_no_frozen_encoder) {
  struct limb limb = new_limb();
  double q = 0.0, dq = 0.5;
  for (int k = 0; k < 2000; k++) { /* 10 rad/s^2 */
    dq = k < 500 ? dq : fmax(dq - 10.0 * DT, 0.0);
    q += dq * DT;
    read_limb(&limb, q, q, LIMB);
  }
  ck_assert_int_eq(limb.stuck, 0);
}
END_TEST

/* ... as a slow bus is. */
START_TEST(encoders_that_are_read_more_often_than_they_measure_are_not_frozen) {
  struct limb limb = new_limb();
  for (int k = 0; k < 3000; k++) {
    const int at = k < 500 ? 0 : k / 30 * 30 - 480;
    read_limb(&limb, 1e-7 * at * at, 1e-7 * at * at, LIMB); /* ever faster */
  }
  ck_assert_int_eq(limb.stuck, 0);
}
END_TEST

/* The joint goes on without it: its deviation grew so that nothing was too far, and nothing was
 * said for as long as that went on. */
START_TEST(a_row_of_equal_readings_that_is_left_out_for_long_is_stuck) {
  struct encoder_guard guard = new_guard();
  struct random rng = random_from(test_seed());
  double q = 0.0;
  for (int k = 0; k < 400; k++) {
    q = k < 200 ? 1e-3 * k + SD * random_normal(&rng) : q;
    const struct encoder_expectation expected = {.q = 1e-3 * k,
                                                 .sd = SD + 1e-3 * fmax(k - 200, 0.0),
                                                 .noise = SD,
                                                 .dt = DT,
                                                 .unseen_slip = 1.0};
    encoder_guard_judge(&guard, 0, q, &expected);
  }
  ck_assert_uint_eq(guard.health[0], ENCODER_STUCK);
}
END_TEST

SUITE(a_step_that_the_next_readings_go_on_with_is_a_joint_that_has_become_faster,
      readings_are_as_far_apart_as_they_were_sampled,
      a_step_of_one_reading_is_left_out_and_forgotten,
      readings_that_leave_the_prediction_step_by_step_are_used_but_for_the_first,
      a_step_is_left_out_whether_the_inertial_sensors_are_in_doubt_or_not,
      joints_that_step_together_are_waited_for_longer_than_one_that_slips,
      a_joint_that_comes_back_no_longer_delays_another,
      contradictions_that_do_not_agree_with_each_other_are_no_slip,
      a_reading_that_stayed_away_until_the_doubt_had_grown_has_slipped,
      noise_alone_is_believed_for_an_hour_of_samples, what_no_encoder_can_say_is_missing,
      a_lasting_step_is_refused_then_a_slip_or_a_new_zero_when_the_skin_would_have_seen_it,
      an_encoder_that_steps_back_has_its_old_zero_again,
      equal_readings_are_stuck_only_against_the_prediction,
      an_encoder_that_comes_in_steps_is_believed_though_always_off_by_half_of_one,
      a_joint_that_is_thrown_about_does_not_step, an_encoder_is_not_left_out_for_good,
      an_encoder_that_steps_back_is_believed_at_once,
      encoders_that_stop_together_out_of_motion_have_frozen,
      encoders_that_step_together_and_repeat_themselves_there_have_frozen,
      an_encoder_that_has_stepped_back_by_part_of_it_is_not_back,
      an_encoder_that_was_believed_elsewhere_is_believed_at_once_when_it_is_back,
      what_has_stood_for_long_is_not_frozen, encoders_at_rest_do_not_freeze,
      a_motion_that_ends_is_no_frozen_encoder,
      encoders_that_are_read_more_often_than_they_measure_are_not_frozen,
      a_row_of_equal_readings_that_is_left_out_for_long_is_stuck)
