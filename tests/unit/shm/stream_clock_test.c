/* The clock of a stream whose stamps are those of arrival. */
#include "shm/stream_clock.h"

#include "support/suite.h"

#include <math.h>
#include <stdlib.h>

static const double PERIOD = 1e7; /* ns: 100 Hz */
static const int64_t START = 5000000000;

/* Frames sampled evenly that arrive late by `least` and up to `jitter` more; worst and mean
 * distance of what is given from the samples less the mean delay that cannot be seen, ns. */
struct seen {
  double worst, spread, lag;
};

static struct seen watch(struct stream_clock *clock, double period, double least, double jitter,
                         int frames, int judged_from) {
  struct random rng = random_from(test_seed());
  struct seen seen = {0.0, 0.0, 0.0};
  double sum = 0.0, squares = 0.0, count = 0.0;
  int64_t before = 0;
  for (int k = 1; k <= frames; k++) {
    const double sampled = period * k;
    const double delay = least + random_uniform(&rng, 0.0, jitter);
    const int64_t arrival = START + (int64_t)llround(sampled + delay);
    const int64_t given = stream_clock_step(clock, (uint64_t)k, arrival);
    ck_assert_int_gt(given, before);
    ck_assert_int_le(given, arrival);
    before = given;
    if (k > judged_from) {
      const double late = (double)(given - START) - sampled;
      sum += late;
      squares += late * late;
      count += 1.0;
      seen.worst = fmax(seen.worst, fabs(late - least));
    }
  }
  seen.lag = sum / count;
  seen.spread = sqrt(fmax(squares / count - seen.lag * seen.lag, 0.0));
  return seen;
}

START_TEST(frames_that_arrive_with_8_ms_of_jitter_are_placed_within_half_a_millisecond) {
  struct stream_clock clock = {.seq = 0};
  const struct seen seen = watch(&clock, 1.0003 * PERIOD, 2e6, 8e6, 6000, 500);
  ck_assert_double_lt(seen.spread, 0.5e6);
  ck_assert_double_lt(seen.worst, 1.5e6);
  ck_assert_double_lt(fabs(seen.lag - 2e6), 0.8e6);
  ck_assert_double_lt(fabs(clock.period_ns / (1.0003 * PERIOD) - 1.0), 1e-4);
  ck_assert_double_lt(fabs(clock.jitter_ns - 2e6),
                      0.5e6); /* mean distance of an even spread of 8 */
}
END_TEST

START_TEST(stamps_that_are_even_stay_as_they_are) {
  struct stream_clock clock = {.seq = 0};
  const struct seen seen = watch(&clock, PERIOD, 0.0, 0.0, 3000, 0);
  ck_assert_double_lt(seen.worst, 2.0);
}
END_TEST

START_TEST(
    one_frame_in_fifty_that_is_stuck_for_80_ms_moves_its_neighbours_by_less_than_a_fifth_of_a_millisecond) {
  struct stream_clock clock = {.seq = 0};
  struct random rng = random_from(test_seed());
  double worst = 0.0;
  for (int k = 1; k < 4000; k++) {
    const bool stuck = k % 50 == 0;
    const double sampled = PERIOD * k, delay = random_uniform(&rng, 0.0, 2e5) + 8e7 * stuck;
    const int64_t given =
        stream_clock_step(&clock, (uint64_t)k, START + (int64_t)llround(sampled + delay));
    if (k > 200) {
      worst = fmax(worst, fabs((double)(given - START) - sampled));
    }
  }
  ck_assert_double_lt(worst, 2e5);
}
END_TEST

START_TEST(frames_that_are_missing_by_their_number_leave_the_line_where_it_is) {
  struct stream_clock clock = {.seq = 0};
  int64_t given = 0;
  for (int k = 1; k < 2000; k++) {
    if (k % 7 != 0) {
      given = stream_clock_step(&clock, (uint64_t)k, START + (int64_t)llround(PERIOD * k));
    }
  }
  ck_assert_int_lt(llabs(given - START - (int64_t)llround(PERIOD * 1999)), 100);
}
END_TEST

/* `missing` periods of every `every` in which the driver commits nothing, and counts nothing. */
static int far_from_sampled(int every, int missing) {
  struct stream_clock clock = {.seq = 0};
  struct random rng = random_from(test_seed());
  int far = 0;
  double periods = 0.0;
  for (int k = 1; k < 2000; k++) {
    periods += k % every == 0 ? missing + 1 : 1;
    const double sampled = PERIOD * periods, delay = random_uniform(&rng, 0.0, 3e6);
    const int64_t arrival = START + (int64_t)llround(sampled + delay);
    const int64_t given = stream_clock_step(&clock, (uint64_t)k, arrival);
    far += k > 200 && fabs((double)(given - START) - sampled) > 1.5e6;
  }
  return far;
}

START_TEST(frames_that_are_missing_unseen_cost_one_stamp) {
  ck_assert_int_le(far_from_sampled(50, 1), 36);
  ck_assert_int_le(far_from_sampled(50, 3), 36);
  ck_assert_int_le(far_from_sampled(500, 30), 3);
}
END_TEST

SUITE(
    frames_that_arrive_with_8_ms_of_jitter_are_placed_within_half_a_millisecond,
    stamps_that_are_even_stay_as_they_are,
    one_frame_in_fifty_that_is_stuck_for_80_ms_moves_its_neighbours_by_less_than_a_fifth_of_a_millisecond,
    frames_that_are_missing_by_their_number_leave_the_line_where_it_is,
    frames_that_are_missing_unseen_cost_one_stamp)
