#include "encoder_guard.h"

#include "random_model.h"

#include <math.h>

static const double SD = 1e-3, DT = 1e-3; /* rad, s */

static struct encoder_guard new_guard(void) {
  struct encoder_guard guard;
  struct arena count = {0};
  ck_assert_int_eq(encoder_guard_init(&guard, 2, &count), STATUS_OK);
  struct arena arena = test_arena(count.used);
  ck_assert_int_eq(encoder_guard_init(&guard, 2, &arena), STATUS_OK);
  return guard;
}

static enum encoder_verdict judge(struct encoder_guard *guard, double q, double predicted,
                                  double largest_slip) {
  const struct encoder_expectation expected = {
      .q = predicted, .sd = SD, .dt = DT, .largest_slip = largest_slip};
  return encoder_guard_judge(guard, 0, q, &expected);
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

START_TEST(a_lasting_step_is_refused_then_a_slip_unless_it_is_too_large_to_believe) {
  struct random rng = random_from(test_seed());
  for (int believed = 0; believed < 2; believed++) {
    struct encoder_guard guard = new_guard();
    int slips = 0, first = 0;
    for (int k = 1; k <= 1000 && slips == 0; k++) {
      const double q = 0.3 + SD * random_normal(&rng);
      slips += judge(&guard, q, 0.0, believed ? 1.0 : 0.2) == ENCODER_SLIPPED;
      first = k;
    }
    ck_assert_int_eq(slips, believed);
    ck_assert(!believed || (first > 100 && first < 300));
  }
}
END_TEST

START_TEST(equal_readings_are_stuck_only_against_the_prediction) {
  struct encoder_guard guard = new_guard();
  for (int k = 0; k < 1000; k++) {
    ck_assert_int_eq(judge(&guard, 0.1, 0.1, 1.0), ENCODER_USE);
  }
  int k = 0;
  while (judge(&guard, 0.1, 0.1 + 2.5 * SD, 1.0) == ENCODER_USE && k < 100000) {
    k++;
  }
  ck_assert_uint_eq(guard.health[0], ENCODER_STUCK);
  ck_assert_int_eq(judge(&guard, 0.1003, 0.1003, 1.0), ENCODER_USE); /* moves again: taken back */
}
END_TEST

SUITE(noise_alone_is_believed_for_an_hour_of_samples, what_no_encoder_can_say_is_missing,
      a_lasting_step_is_refused_then_a_slip_unless_it_is_too_large_to_believe,
      equal_readings_are_stuck_only_against_the_prediction)
