/* Encoders that repeat themselves: stuck, frozen together, or of joints that stand. */
#include "sensors/encoder_repeats.h"

#include "support/encoder_guard_fixture.h"

#include <math.h>

START_TEST(equal_readings_are_stuck_only_against_the_prediction) {
  struct encoder_guard guard = new_guard();
  for (int k = 0; k < 1000; k++) {
    ck_assert_int_eq(judge(&guard, 0.1, 0.1 + (k % 2 - 0.5) * ENCODER_SD, 1.0), ENCODER_USE);
  }
  int used = 0, looked = 0;
  for (double away = 0.0; guard.health[0] == ENCODER_OK && away < 1.0;
       away += 0.1 * ENCODER_SD, looked++) {
    used += judge(&guard, 0.1, 0.1 + away, 1.0) == ENCODER_USE;
  }
  ck_assert_int_lt(used, looked / 2 + 30); /* so that it does not hold the prediction back */
  ck_assert_uint_eq(guard.health[0], ENCODER_STUCK);
  ck_assert_int_eq(judge(&guard, 0.1003, 0.1003, 1.0), ENCODER_USE); /* moves again: taken back */
}
END_TEST

/* How many readings pass before an encoder that was well is stuck. */
static int readings_until_stuck(struct encoder_guard *guard, double q) {
  int k = 0;
  while (k < 1000 && (k == 0 || guard->health[0] != ENCODER_STUCK)) {
    judge(guard, q, q + 0.1 * ENCODER_SD * ++k, 1.0);
  }
  return k;
}

/* The row of the first time passed for its steps, by half of one of which it may be off. */
START_TEST(an_encoder_that_was_stuck_is_found_as_soon_the_next_time) {
  struct encoder_guard guard = new_guard();
  int times[2];
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 1000; k++) {
      judge(&guard, i + 0.1 + (k % 2 - 0.5) * ENCODER_SD, i + 0.1, 1.0);
    }
    ck_assert_uint_eq(guard.health[0], ENCODER_OK);
    times[i] = readings_until_stuck(&guard, i + 0.1 - 0.5 * ENCODER_SD);
  }
  ck_assert_int_lt(times[0], 200);
  ck_assert_int_eq(times[1], times[0]);
}
END_TEST

/* As one of 19 bits is, whose joint hardly moves: left out for it, it let the estimate wander. */
START_TEST(an_encoder_that_comes_in_steps_is_believed_though_always_off_by_half_of_one) {
  const double step = sqrt(12.0) * ENCODER_SD; /* whose noise has the deviation ENCODER_SD */
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
    judge(&guard, 200.0 * step, 200.0 * step + 0.2 * ENCODER_SD * k, 1.0);
  }
  ck_assert_uint_eq(guard.health[0], ENCODER_STUCK);
}
END_TEST

/* The joint goes on without it: its deviation grew so that nothing was too far, and nothing was
 * said for as long as that went on. */
START_TEST(a_row_of_equal_readings_that_is_left_out_for_long_is_stuck) {
  struct encoder_guard guard = new_guard();
  struct random rng = random_from(test_seed());
  double q = 0.0;
  for (int k = 0; k < 400; k++) {
    q = k < 200 ? 1e-3 * k + ENCODER_SD * random_normal(&rng) : q;
    const struct encoder_expectation expected = {.q = 1e-3 * k,
                                                 .sd = ENCODER_SD + 1e-3 * fmax(k - 200, 0.0),
                                                 .noise = ENCODER_SD,
                                                 .dt = ENCODER_DT,
                                                 .unseen_slip = 1.0};
    encoder_guard_judge(&guard, 0, q, &expected);
  }
  ck_assert_uint_eq(guard.health[0], ENCODER_STUCK);
}
END_TEST

/* A limb of two joints that froze in a walk was believed to have stopped: half a radian off, ok. */
START_TEST(an_encoder_whose_noise_stops_has_frozen_by_itself_for_as_long_as_it_does) {
  struct encoder_guard guard = new_guard();
  struct random rng = random_from(test_seed());
  int stuck_after = -1;
  for (int k = 0; k < 9000; k++) {
    const double step = ENCODER_SD / 16.0,
                 noisy = step * round((1e-4 * k + ENCODER_SD * random_normal(&rng)) / step),
                 q = k < 3000 || k >= 8000 ? noisy : 0.3;
    judge(&guard, q, k < 3000 || k >= 8000 ? 1e-4 * k : 0.3, 1.0); /* it has been believed */
    ck_assert(k >= 3000 || guard.health[0] == ENCODER_OK);
    stuck_after = guard.health[0] == ENCODER_STUCK && stuck_after < 0 ? k - 3000 : stuck_after;
    ck_assert(k < 3020 || k >= 8000 || guard.health[0] == ENCODER_STUCK);
    ck_assert(k < 8002 || guard.health[0] == ENCODER_OK);
  }
  ck_assert_int_ge(stuck_after, 3);
  ck_assert_int_le(stuck_after, 10);
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
  const double dt = encoder_guard_interval(&limb->guard, 1000000 * (int64_t)++limb->k, ENCODER_DT);
  encoder_guard_hold(&limb->guard, dt);
  for (size_t j = 0; j < joints; j++) {
    const double times = 1.0 + 0.5 * (double)j, reading = STEP * round(times * q / STEP);
    const struct encoder_expectation expected = {
        .q = times * predicted,
        .sd = limb->sd,
        .noise = STEP,
        .dt = encoder_guard_apart(&limb->guard, j, reading, dt),
        .unseen_slip = 1.0};
    limb->left_out += expected.dt == 0.0 ||
                      encoder_guard_judge(&limb->guard, j, reading, &expected) != ENCODER_USE;
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

/* They come to rest with the same reading, as joints of one trajectory do. */
START_TEST(a_motion_that_ends_is_no_frozen_encoder) {
  struct limb limb = new_limb();
  double q = 0.0, dq = 0.5;
  for (int k = 0; k < 2000; k++) { /* 10 rad/s^2 */
    dq = k < 500 ? dq : fmax(dq - 10.0 * ENCODER_DT, 0.0);
    q += dq * ENCODER_DT;
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

/* Readings of 100 Hz that were taken for the last measurement once more, of an encoder that stands
 * still out of motion. */
static int held_after(bool wrong) {
  struct encoder_guard guard = new_guard();
  const double dt = 0.01, step = 1.5e-3;
  int held = 0;
  for (int k = 0; k < 300; k++) {
    const double q = step * (k < 50 ? k : 7.0 * fmin(k, 200.0) - 300.0),
                 said = wrong && k >= 185 && k < 197 ? 3.0 : q;
    const struct encoder_expectation expected = {.q = q,
                                                 .dq = 7.0 * step / dt,
                                                 .sd = step,
                                                 .noise = 0.3 * step,
                                                 .dt = encoder_guard_apart(&guard, 0, said, dt),
                                                 .unseen_slip = 1.0};
    held += k > 200 && expected.dt == 0.0;
    if (expected.dt > 0.0) {
      encoder_guard_judge(&guard, 0, said, &expected);
    }
  }
  return held;
}

/* It was believed to measure seldom, and went on for a quarter of a second where its joint stood.
 */
START_TEST(a_wrong_word_that_is_repeated_is_no_measurement_held) {
  ck_assert_int_le(held_after(false), 4);
  ck_assert_int_eq(held_after(true), held_after(false));
}
END_TEST

START_TEST(neither_a_step_nor_another_zero_is_motion) {
  struct encoder_repeats repeats = {.last = 0.0};
  for (int k = 0; k < 20; k++) {
    encoder_repeats_next(&repeats, 0.3, 0.0, ENCODER_SD, ENCODER_DT, k == 0);
  }
  assert_near(repeats.pace, 0.0, 1e-12);
  encoder_repeats_rezero(&repeats, 0.3);
  encoder_repeats_next(&repeats, 0.0, 0.0, ENCODER_SD, ENCODER_DT, false);
  assert_near(repeats.pace, 0.0, 1e-12);
  ck_assert_uint_eq(repeats.times, 20);
}
END_TEST

SUITE(an_encoder_whose_noise_stops_has_frozen_by_itself_for_as_long_as_it_does,
      equal_readings_are_stuck_only_against_the_prediction,
      an_encoder_that_was_stuck_is_found_as_soon_the_next_time,
      an_encoder_that_comes_in_steps_is_believed_though_always_off_by_half_of_one,
      a_row_of_equal_readings_that_is_left_out_for_long_is_stuck,
      encoders_that_stop_together_out_of_motion_have_frozen,
      encoders_that_step_together_and_repeat_themselves_there_have_frozen,
      what_has_stood_for_long_is_not_frozen, encoders_at_rest_do_not_freeze,
      a_motion_that_ends_is_no_frozen_encoder,
      encoders_that_are_read_more_often_than_they_measure_are_not_frozen,
      a_wrong_word_that_is_repeated_is_no_measurement_held,
      neither_a_step_nor_another_zero_is_motion)
