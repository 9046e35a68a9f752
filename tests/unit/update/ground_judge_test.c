/* Which ground is the known one (update/ground_judge.h). */
#include "update/ground_judge.h"

#include "numerics/dense_matrix.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEET = 4 };

/* How high feet stand beside what is known, m, whose heights err by the base's pitch and by what
 * all have in common; the first two stand before the others. */
struct stance {
  double above[FEET], pitch_sd, common_sd;
};

static const double AHEAD[FEET] = {0.2, 0.2, -0.2, -0.2}; /* m, of the base's origin */
static const double HEIGHT_SD = 5e-3;

/* Judges it; writes whether the ground under each foot is heard. */
static struct ground_heard judge(const struct stance *stance, double other, bool heard[FEET]) {
  const size_t stride = matrix_stride(FEET);
  double nu[FEET], noise[FEET];
  double *Pyy = aligned_alloc(64, FEET * stride * sizeof(double));
  struct row_update rows = {
      .rows_max = FEET, .rows = FEET, .taken = FEET, .nu = nu, .noise = noise, .Pyy = Pyy};
  struct foot_rows feet[ROBOT_MAX_FEET];
  const double pitch = stance->pitch_sd * stance->pitch_sd,
               common = stance->common_sd * stance->common_sd;
  memset(feet, 0, sizeof(feet));
  for (size_t i = 0; i < FEET; i++) {
    nu[i] = -stance->above[i] / HEIGHT_SD;
    noise[i] = 1.0;
    feet[i].height = (struct row_group){i, 1};
    for (size_t k = 0; k < FEET; k++) {
      const double both = pitch * AHEAD[i] * AHEAD[k] + common;
      Pyy[i * stride + k] = /* its upper triangle */
          k < i ? (double)NAN : both / (HEIGHT_SD * HEIGHT_SD) + (i == k);
    }
  }
  const struct ground_heard all = ground_judge(&rows, feet, FEET, GROUND_HEIGHT, other);
  for (size_t i = 0; i < FEET; i++) {
    heard[i] = noise[i] == 1.0;
  }
  free(Pyy);
  return all;
}

START_TEST(level_ground_is_heard_however_high_and_pitched_the_base_was_thought) {
  const struct stance stance = {
      .above = {0.035, 0.03, 0.015, 0.02}, .pitch_sd = 0.037, .common_sd = 0.02};
  bool heard[FEET];
  judge(&stance, 3.0, heard);
  for (size_t i = 0; i < FEET; i++) {
    ck_assert(heard[i]);
  }
}
END_TEST

/* Each of its feet alone might stand so by what the base's height may be off by. The lower feet
 * come last and are heard first: read where nothing was written, the others passed, and 10 degrees
 * with them, for good and `ok`. */
START_TEST(a_ramp_is_other_ground_though_no_foot_tells_by_itself) {
  const struct stance stance = {
      .above = {0.068, 0.068, 0.0, 0.0}, .pitch_sd = 0.037, .common_sd = 0.025};
  struct stance alone = {.pitch_sd = 0.037, .common_sd = 0.025, .above = {0.068}};
  alone.above[1] = alone.above[2] = alone.above[3] = (double)NAN;
  bool heard[FEET];
  judge(&stance, 3.0, heard);
  ck_assert(!heard[0] && !heard[1] && heard[2] && heard[3]);
  judge(&alone, 3.0, heard);
  ck_assert(heard[0]);
}
END_TEST

START_TEST(one_foot_on_a_step_is_left_out_and_the_others_are_heard) {
  const struct stance stance = {
      .above = {0.0, 0.0, 0.05, 0.0}, .pitch_sd = 0.01, .common_sd = 1e-3};
  bool heard[FEET];
  judge(&stance, 3.0, heard);
  ck_assert(heard[0] && heard[1] && !heard[2] && heard[3]);
}
END_TEST

/* Feet that all stand as high, beside a filter of one state that hears them one by one. */
START_TEST(what_was_known_of_the_base_is_told_with_what_feet_were_off_by) {
  static const double above = 0.03, common_sd = 0.02;
  const struct stance stance = {.above = {above, above, above, above}, .common_sd = common_sd};
  bool heard[FEET];
  const struct ground_heard told = judge(&stance, 3.0, heard);
  double x = 0.0, variance = common_sd * common_sd;
  bool seen[FEET] = {false};
  ck_assert_uint_eq(told.feet, FEET);
  for (int i = 0; i < FEET; i++) {
    const double expected = variance + HEIGHT_SD * HEIGHT_SD, gain = variance / expected;
    assert_near(told.off[i], -(above - x) / HEIGHT_SD, 1e-9);
    assert_near(told.expected[i], expected / (HEIGHT_SD * HEIGHT_SD), 1e-9);
    x += gain * (above - x);
    variance *= 1.0 - gain;
    seen[told.foot[i]] = true;
  }
  ck_assert(seen[0] && seen[1] && seen[2] && seen[3]);
}
END_TEST

START_TEST(a_foot_that_is_not_heard_tells_nothing) {
  const struct stance stance = {
      .above = {0.0, 0.0, 0.05, 0.0}, .pitch_sd = 0.01, .common_sd = 1e-3};
  bool heard[FEET];
  const struct ground_heard told = judge(&stance, 3.0, heard);
  ck_assert_uint_eq(told.feet, 3);
  for (size_t i = 0; i < told.feet; i++) {
    ck_assert_uint_ne(told.foot[i], 2);
  }
}
END_TEST

SUITE(level_ground_is_heard_however_high_and_pitched_the_base_was_thought,
      a_ramp_is_other_ground_though_no_foot_tells_by_itself,
      one_foot_on_a_step_is_left_out_and_the_others_are_heard,
      what_was_known_of_the_base_is_told_with_what_feet_were_off_by,
      a_foot_that_is_not_heard_tells_nothing)
