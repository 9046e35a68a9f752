#include "inertial/change_detector.h"
#include "numerics/chi_square.h"
#include "support/suite.h"

enum { ROWS = 6, WINDOW = 5 };
static const double DT = 0.01;

static struct change_detector new_detector(void) {
  struct change_detector detector;
  const struct change_settings settings = {
      .window = WINDOW, .clip = 3.0, .quantile = NORMAL_TAIL_1E6, .doubt_s = 5.0};
  ck_assert_int_eq(change_detector_init(&detector, &settings), STATUS_OK);
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
    alarms += change_detector_step(&detector, white, ROWS, DT, NULL);
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
      const bool alarm = change_detector_step(&detector, white, ROWS, DT, NULL);
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
    ck_assert(!change_detector_step(&detector, k == 10 ? wild : quiet, ROWS, DT, NULL));
  }
  bool alarm = false;
  double share = 0.0;
  for (int k = 0; k < WINDOW && !alarm; k++) {
    alarm = change_detector_step(&detector, wild, ROWS, DT, &share);
  }
  ck_assert(alarm);
  ck_assert_double_gt(share, 1.0);
}
END_TEST

START_TEST(other_rows_begin_a_new_window) {
  struct change_detector detector = new_detector();
  const double high[ROWS] = {3, 3, 3, 3, 3, 3};
  for (int k = 0; k < 50; k++) {
    ck_assert(!change_detector_step(&detector, high, k % 2 == 0 ? 6 : 3, DT, NULL));
  }
}
END_TEST

/* -- large changes ---------------------------------------------------------------------------- */

/* A window longer than what is tried: only a large change can alarm. */
static struct change_detector new_search(void) {
  struct change_detector detector = new_detector();
  detector.settings.window = 60;
  return detector;
}

static bool step(struct change_detector *detector, const double *white, size_t rows) {
  return change_detector_step(detector, white, rows, DT, NULL);
}

/* One row is off by this much in three samples in a row; says with which it alarms, 0: with
 * none. */
static int alarms_at(struct change_detector *detector, struct random *random, const double off[3]) {
  double white[ROWS];
  for (int k = 0; k < 3; k++) {
    white_noise(random, white);
    white[5] += off[k];
    if (step(detector, white, ROWS)) {
      return k + 1;
    }
  }
  return 0;
}

START_TEST(a_large_step_alarms_with_its_third_sample_and_the_search_begins_again) {
  struct random random = random_from(test_seed());
  const double large[3] = {25.0, 25.0, 25.0}, within_a_sample[3] = {17.0, 25.0, 25.0};
  for (int trial = 0; trial < 200; trial++) {
    struct change_detector detector = new_search();
    double white[ROWS];
    for (int k = 0; k < trial % 5; k++) {
      white_noise(&random, white);
      ck_assert(!step(&detector, white, ROWS));
    }
    ck_assert_int_eq(alarms_at(&detector, &random, large), 3);
    ck_assert_int_eq(alarms_at(&detector, &random, within_a_sample), 3);
  }
}
END_TEST

START_TEST(what_a_blow_leaves_is_no_change) {
  struct random random = random_from(test_seed());
  const double dying[3] = {400.0, 150.0, 50.0}, growing[3] = {50.0, 100.0, 300.0},
               two[3] = {200.0, 200.0, 0.0};
  for (int trial = 0; trial < 200; trial++) {
    struct change_detector detector = new_search();
    ck_assert_int_eq(alarms_at(&detector, &random, dying), 0);
    change_detector_reset(&detector);
    ck_assert_int_eq(alarms_at(&detector, &random, growing), 0);
    change_detector_reset(&detector);
    ck_assert_int_eq(alarms_at(&detector, &random, two), 0);
  }
}
END_TEST

START_TEST(blows_to_and_fro_and_single_ones_are_no_change) {
  struct change_detector detector = new_search();
  const double quiet[ROWS] = {1, 1, 1, 1, 1, 1}, wild[ROWS] = {1e9, 0, 0, 0, 0, 0};
  for (int k = 0; k < 50; k++) {
    const double blow[ROWS] = {0, 0, 0, 0, 0, k % 2 == 0 ? 40.0 : -40.0};
    ck_assert(!step(&detector, blow, ROWS));
  }
  for (int k = 0; k < 20; k++) {
    ck_assert(!step(&detector, k % 2 == 0 ? wild : quiet, ROWS));
  }
}
END_TEST

START_TEST(a_large_change_of_other_rows_begins_anew) {
  struct change_detector detector = new_search();
  const double high[ROWS] = {40, 40, 40, 40, 40, 40};
  for (int k = 0; k < 50; k++) {
    ck_assert(!step(&detector, high, k % 4 < 2 ? 6 : 3));
  }
  ck_assert(!step(&detector, high, 3));
  ck_assert(!step(&detector, high, 3));
  ck_assert(step(&detector, high, 3));
}
END_TEST

/* -- alarms that come too often --------------------------------------------------------------- */

START_TEST(after_an_alarm_there_is_none_for_the_refractory_time) {
  struct change_detector detector = new_detector();
  const double high[ROWS] = {40, 40, 40, 40, 40, 40};
  detector.settings.refractory_s = 0.3;
  int alarms = 0;
  for (int k = 0; k < 100; k++) { /* 1 s */
    alarms += step(&detector, high, ROWS);
  }
  ck_assert_int_eq(alarms, 4); /* at 0.03 s, and every 0.3 s from then on */
}
END_TEST

START_TEST(alarms_too_often_are_doubted_until_none_has_come_for_as_long) {
  struct change_detector detector = new_detector();
  const double high[ROWS] = {40, 40, 40, 40, 40, 40}, quiet[ROWS] = {0};
  int alarms = 0;
  while (alarms < CHANGE_ALARMS) {
    ck_assert(!change_detector_doubts(&detector));
    ck_assert_double_eq(change_detector_rate(&detector), 0.0);
    for (int k = 0; k < 3; k++) {
      alarms += step(&detector, high, ROWS);
    }
    for (int k = 0; k < 20; k++) {
      ck_assert(!step(&detector, quiet, ROWS));
    }
  }
  ck_assert(change_detector_doubts(&detector));
  ck_assert_double_gt(change_detector_rate(&detector), 3.0);
  for (int k = 0; k < 475; k++) {
    step(&detector, quiet, ROWS);
  }
  ck_assert(change_detector_doubts(&detector));
  for (int k = 0; k < 10; k++) {
    step(&detector, quiet, ROWS);
  }
  ck_assert(!change_detector_doubts(&detector));
}
END_TEST

/* Innovations that are no more white than those of real drives: a slow wave in one row. */
START_TEST(what_is_usual_is_no_change_and_what_stands_out_is) {
  struct change_detector detector = new_detector();
  int alarms = 0;
  for (int k = 0; k < 12000; k++) {
    const double wave[ROWS] = {0, 0, 1.5 * sin(0.02 * k), 0, 0, 0};
    const bool alarm = step(&detector, wave, ROWS);
    alarms += alarm && k > 3000; /* until it is usual */
  }
  ck_assert_int_eq(alarms, 0);
  const double load[ROWS] = {0, 0, 0, 0, 0, 25};
  for (int k = 0; k < 5; k++) {
    alarms += step(&detector, load, ROWS);
  }
  ck_assert_int_eq(alarms, 1);
}
END_TEST

START_TEST(a_detector_that_clipping_locks_out_is_refused) {
  struct change_detector detector;
  struct change_settings settings = {.window = 2, .clip = 1.0, .quantile = NORMAL_TAIL_1E6};
  ck_assert_int_eq(change_detector_init(&detector, &settings), STATUS_OUT_OF_RANGE);
  settings.clip = 3.0;
  settings.window = 1000;
  ck_assert_int_eq(change_detector_init(&detector, &settings), STATUS_BAD_ARGUMENT);
  settings.window = 0;
  ck_assert_int_eq(change_detector_init(&detector, &settings), STATUS_OK);
  const double high[ROWS] = {40, 40, 40, 40, 40, 40};
  for (int k = 0; k < 50; k++) {
    ck_assert(!step(&detector, high, ROWS));
  }
}
END_TEST

SUITE(white_innovations_hardly_ever_alarm,
      a_mean_of_three_deviations_alarms_as_soon_as_the_window_is_full,
      one_wild_sample_does_not_alarm_and_a_lasting_one_does, other_rows_begin_a_new_window,
      a_large_step_alarms_with_its_third_sample_and_the_search_begins_again,
      what_a_blow_leaves_is_no_change, blows_to_and_fro_and_single_ones_are_no_change,
      a_large_change_of_other_rows_begins_anew,
      after_an_alarm_there_is_none_for_the_refractory_time,
      alarms_too_often_are_doubted_until_none_has_come_for_as_long,
      what_is_usual_is_no_change_and_what_stands_out_is,
      a_detector_that_clipping_locks_out_is_refused)
