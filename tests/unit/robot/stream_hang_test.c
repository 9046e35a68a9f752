/* Frames that stand there once more: of a bus that hangs, or as ordinary sensors write them. */
#include "robot/stream_hang.h"

#include "support/random_model.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

enum { N = 6 };

static struct stream_hang new_hang(void) {
  struct stream_hang hang;
  struct arena count = {0};
  stream_hang_init(&hang, N * sizeof(double), &count);
  struct arena arena = test_arena(count.used);
  stream_hang_init(&hang, N * sizeof(double), &arena);
  return hang;
}

static int64_t now_ns;

/* The next frame, of noise in steps of `step` of its deviations. */
static bool next(struct stream_hang *hang, struct random *rng, double step, double q[N],
                 bool moving) {
  for (size_t j = 0; j < N; j++) {
    q[j] = step * round(random_normal(rng) / step);
  }
  const struct stream_stamp stamp = {true, true, 1, now_ns += 1000000};
  return stream_hangs(hang, &stamp, q, moving);
}

static bool again(struct stream_hang *hang, const double q[N], bool moving) {
  const struct stream_stamp stamp = {true, true, 1, now_ns += 1000000};
  return stream_hangs(hang, &stamp, q, moving);
}

START_TEST(frames_of_a_bus_that_hangs_are_known_from_the_first_on_for_as_long_as_it_does) {
  for (int moving = 0; moving < 2; moving++) {
    struct stream_hang hang = new_hang();
    struct random rng = random_from(test_seed());
    double q[N];
    for (int k = 0; k < 1000; k++) {
      ck_assert(!next(&hang, &rng, 0.1, q, k > 500));
    }
    for (int times = 0; times < 5; times++) {
      for (int k = 0; k < 2000; k++) {
        ck_assert(again(&hang, q, moving));
      }
      ck_assert(!next(&hang, &rng, 0.1, q, moving)); /* it goes on */
    }
  }
}
END_TEST

/* Noise below their steps: at rest each frame is as the one before, and after a motion too. */
START_TEST(sensors_without_noise_may_stand_still) {
  struct stream_hang hang = new_hang();
  struct random rng = random_from(test_seed());
  double q[N] = {0.0};
  for (int k = 0; k < 500; k++) {
    ck_assert(!again(&hang, q, false));
  }
  for (int k = 0; k < 5000; k++) {
    ck_assert(!next(&hang, &rng, 1e-3, q, true));
  }
  for (int k = 0; k < 5000; k++) {
    ck_assert(!again(&hang, q, k < 100));
  }
}
END_TEST

START_TEST(one_that_has_not_been_seen_at_rest_is_trusted) {
  struct stream_hang hang = new_hang();
  struct random rng = random_from(test_seed());
  double q[N];
  for (int k = 0; k < 5000; k++) {
    ck_assert(!next(&hang, &rng, 1e-3, q, true));
  }
  ck_assert(!again(&hang, q, true));
}
END_TEST

START_TEST(frames_that_are_read_more_often_than_they_are_measured_are_ordinary) {
  struct stream_hang hang = new_hang();
  struct random rng = random_from(test_seed());
  double q[N];
  int left_out = 0;
  for (int k = 0; k < 5000; k++) {
    left_out += k % 5 == 0 ? next(&hang, &rng, 1e-3, q, k > 2500) : again(&hang, q, k > 2500);
  }
  ck_assert_int_eq(left_out, 0);
}
END_TEST

/* Not a new frame: the stream's own count of them is another's work. */
START_TEST(the_same_stamp_again_teaches_nothing) {
  struct stream_hang hang = new_hang();
  struct random rng = random_from(test_seed());
  double q[N];
  for (int k = 0; k < 1000; k++) {
    next(&hang, &rng, 0.1, q, false);
    now_ns -= 1000000;
    ck_assert(!again(&hang, q, false));
  }
  ck_assert(again(&hang, q, false));
}
END_TEST

SUITE(frames_of_a_bus_that_hangs_are_known_from_the_first_on_for_as_long_as_it_does,
      sensors_without_noise_may_stand_still, one_that_has_not_been_seen_at_rest_is_trusted,
      frames_that_are_read_more_often_than_they_are_measured_are_ordinary,
      the_same_stamp_again_teaches_nothing)
