/* Sensors that repeat themselves: frozen, of few bits, read too often, or without noise. */
#include "robot/repeats.h"

#include "support/suite.h"

#include <math.h>

/* Readings until it is called frozen when it repeats itself from now on; most + 1: never. */
static int freezes_after(struct repeats *r, bool moving, int most) {
  for (int k = 0; k < most; k++) {
    repeats_watch(r, true, moving);
    if (r->frozen) {
      return k + 1;
    }
  }
  return most + 1;
}

/* n readings of noise in steps of `step` deviations; true when it was never called frozen. */
static bool reads_noise(struct repeats *r, struct random *rng, double step, bool moving, int n) {
  double last = HUGE_VAL;
  bool well = true;
  for (int k = 0; k < n; k++) {
    const double z = step * floor(random_normal(rng) / step);
    repeats_watch(r, z == last, moving);
    well = well && !r->frozen;
    last = z;
  }
  return well;
}

/* An IMU that froze while the robot stood was listened to: each of its readings was taken for
 * another. */
START_TEST(a_noisy_sensor_that_freezes_is_found_at_once_at_rest_as_in_motion) {
  for (int moving = 0; moving < 2; moving++) {
    struct random rng = random_from(test_seed());
    struct repeats r = repeats_unknown();
    ck_assert(reads_noise(&r, &rng, 1e-3, moving, 1000));
    ck_assert_int_le(freezes_after(&r, moving, 100), 10);
    repeats_watch(&r, false, moving);
    ck_assert(!r.frozen);
  }
}
END_TEST

START_TEST(one_that_is_only_known_in_motion_is_not_frozen_at_rest) {
  struct random rng = random_from(test_seed());
  struct repeats r = repeats_unknown(); /* without noise: at rest it says the same for ever */
  for (int stop = 0; stop < 5; stop++) {
    ck_assert(reads_noise(&r, &rng, 1e-3, true, 2000));
    ck_assert_int_gt(freezes_after(&r, false, 2000), 2000);
  }
  ck_assert_int_le(freezes_after(&r, true, 100), 10);
}
END_TEST

START_TEST(one_of_few_bits_repeats_itself_and_is_well) {
  static const double steps[] = {0.5, 1.0, 3.0, 6.0}; /* deviations of its noise */
  for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
    struct random rng = random_from(test_seed() + i);
    struct repeats r = repeats_unknown();
    ck_assert(reads_noise(&r, &rng, steps[i], false, 20000));
    ck_assert(reads_noise(&r, &rng, steps[i], true, 20000));
  }
}
END_TEST

START_TEST(one_that_is_read_more_often_than_it_measures_is_well) {
  struct repeats r = repeats_unknown();
  for (int k = 0; k < 20000; k++) {
    repeats_watch(&r, k % 5 != 0, k % 4000 < 2000);
    ck_assert(!r.frozen);
  }
  ck_assert_int_le(freezes_after(&r, false, 1000), 150); /* log 1e-9 over log .8 is 93 */
}
END_TEST

SUITE(a_noisy_sensor_that_freezes_is_found_at_once_at_rest_as_in_motion,
      one_that_is_only_known_in_motion_is_not_frozen_at_rest,
      one_of_few_bits_repeats_itself_and_is_well,
      one_that_is_read_more_often_than_it_measures_is_well)
