#include "inertial/change_detector.h"
#include "numerics/chi_square.h"
#include "support/suite.h"

enum { ROWS = 6, WINDOW = 5 };

static struct change_detector new_detector(void) {
  struct change_detector detector;
  ck_assert_int_eq(change_detector_init(&detector, WINDOW, 3.0, NORMAL_TAIL_1E6), STATUS_OK);
  return detector;
}

static void white_noise(struct random *random, double white[ROWS]) {
  for (int i = 0; i < ROWS; i++) {
    white[i] = random_normal(random);
  }
}

START_TEST(white_innovations_hardly_ever_alarm) {
  struct random random = random_from(test_seed());
  struct change_detector detector = new_detector();
  double white[ROWS];
  int alarms = 0;
  for (int k = 0; k < 200000; k++) { /* more than an hour of blocks of 20 ms */
    white_noise(&random, white);
    alarms += change_detector_step(&detector, white, ROWS, NULL);
  }
  ck_assert_int_le(alarms, 2);
}
END_TEST

START_TEST(a_mean_of_three_deviations_alarms_as_soon_as_the_window_is_full) {
  struct random random = random_from(test_seed());
  int early = 0;
  for (int trial = 0; trial < 200; trial++) {
    struct change_detector detector = new_detector();
    double white[ROWS];
    for (int k = 1; k <= WINDOW + 3; k++) {
      white_noise(&random, white);
      white[0] += 3.0;
      white[4] -= 3.0;
      const bool alarm = change_detector_step(&detector, white, ROWS, NULL);
      ck_assert(!alarm || k >= WINDOW);
      if (alarm) {
        early++;
        break;
      }
    }
  }
  ck_assert_int_gt(early, 190);
}
END_TEST

START_TEST(one_wild_sample_does_not_alarm_and_a_lasting_one_does) {
  struct change_detector detector = new_detector();
  double quiet[ROWS] = {0}, wild[ROWS] = {1e9, 0, 0, 0, 0, 0};
  for (int k = 0; k < 20; k++) {
    ck_assert(!change_detector_step(&detector, k == 10 ? wild : quiet, ROWS, NULL));
  }
  bool alarm = false;
  double share = 0.0;
  for (int k = 0; k < WINDOW && !alarm; k++) {
    alarm = change_detector_step(&detector, wild, ROWS, &share);
  }
  ck_assert(alarm);
  ck_assert_double_gt(share, 1.0);
}
END_TEST

START_TEST(other_rows_begin_a_new_window) {
  struct change_detector detector = new_detector();
  const double high[ROWS] = {3, 3, 3, 3, 3, 3};
  for (int k = 0; k < 50; k++) {
    ck_assert(!change_detector_step(&detector, high, k % 2 == 0 ? 6 : 3, NULL));
  }
}
END_TEST

START_TEST(a_detector_that_clipping_locks_out_is_refused) {
  struct change_detector detector;
  ck_assert_int_eq(change_detector_init(&detector, 2, 1.0, NORMAL_TAIL_1E6), STATUS_OUT_OF_RANGE);
  ck_assert_int_eq(change_detector_init(&detector, 0, 3.0, NORMAL_TAIL_1E6), STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(change_detector_init(&detector, 1000, 3.0, NORMAL_TAIL_1E6),
                   STATUS_BAD_ARGUMENT);
}
END_TEST

SUITE(white_innovations_hardly_ever_alarm,
      a_mean_of_three_deviations_alarms_as_soon_as_the_window_is_full,
      one_wild_sample_does_not_alarm_and_a_lasting_one_does, other_rows_begin_a_new_window,
      a_detector_that_clipping_locks_out_is_refused)
