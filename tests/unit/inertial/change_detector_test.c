#include "inertial/change_detector.h"
#include "numerics/chi_square.h"
#include "support/suite.h"

enum { ROWS = 6, WINDOW = 5 };
static const double DT = 0.01;

static struct change_detector new_detector(void) {
  struct change_detector detector;
  const struct change_settings settings = {.window = WINDOW,
                                           .lasting = WINDOW,
                                           .clip = 3.0,
                                           .quantile = NORMAL_TAIL_1E6,
                                           .doubt_s = 5.0};
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
    alarms += change_detector_step(&detector, white, ROWS, DT, false, NULL);
  }
  ck_assert_int_le(alarms, 2);
}
END_TEST

START_TEST(a_mean_of_three_deviations_alarms_when_a_full_window_has_stayed_beyond_for_another) {
  struct random random = random_from(test_seed());
  int early = 0;
  for (int trial = 0; trial < 200; trial++) {
    struct change_detector detector = new_detector();
    double white[ROWS];
    for (int k = 1; k <= 2 * WINDOW + 3; k++) {
      white_noise(&random, white);
      white[0] += 3.0;
      white[4] -= 3.0;
      const bool alarm = change_detector_step(&detector, white, ROWS, DT, false, NULL);
      ck_assert(!alarm || k >= 2 * WINDOW - 1);
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
    ck_assert(!change_detector_step(&detector, k == 10 ? wild : quiet, ROWS, DT, false, NULL));
  }
  bool alarm = false;
  double share = 0.0;
  for (int k = 0; k < 3 * WINDOW && !alarm; k++) {
    alarm = change_detector_step(&detector, wild, ROWS, DT, false, &share);
  }
  ck_assert(alarm);
  ck_assert_double_gt(share, 1.0);
}
END_TEST

START_TEST(other_rows_begin_a_new_window) {
  struct change_detector detector = new_detector();
  const double high[ROWS] = {3, 3, 3, 3, 3, 3};
  for (int k = 0; k < 50; k++) {
    ck_assert(!change_detector_step(&detector, high, k % 2 == 0 ? 6 : 3, DT, false, NULL));
  }
}
END_TEST

/* -- what is soon its own opposite ------------------------------------------------------------ */

static bool step(struct change_detector *detector, const double *white, size_t rows) {
  return change_detector_step(detector, white, rows, DT, false, NULL);
}

/* An acceleration that is seen late: forces are off one way as long as the filter gains on it, and
 * the other way while it overshoots. Every walk's first step was an alarm. */
START_TEST(what_a_late_acceleration_leaves_is_no_change) {
  struct random random = random_from(test_seed());
  for (int trial = 0; trial < 200; trial++) {
    struct change_detector detector = new_detector();
    for (int k = 0; k < 40; k++) {
      double white[ROWS];
      white_noise(&random, white);
      white[1] += k >= 20 && k < 24 ? 8.0 : k >= 24 && k < 28 ? -8.0 : 0.0;
      white[3] += k >= 20 && k < 24 ? 6.0 : k >= 24 && k < 28 ? -6.0 : 0.0;
      ck_assert(!step(&detector, white, ROWS));
    }
  }
}
END_TEST

START_TEST(something_that_may_have_changed_is_told_at_once_and_decided_within_two_windows) {
  struct change_detector detector = new_detector();
  const double load[ROWS] = {0, 0, 25, 0, 0, 25}, quiet[ROWS] = {0};
  for (int k = 0; k < 100; k++) {
    step(&detector, quiet, ROWS);
    ck_assert(!change_detector_wavers(&detector));
  }
  int alarmed = 0, wavered = 0;
  for (int k = 1; k <= 2 * WINDOW && alarmed == 0; k++) {
    alarmed = step(&detector, load, ROWS) ? k : 0;
    wavered = wavered == 0 && change_detector_wavers(&detector) ? k : wavered;
  }
  ck_assert_int_gt(alarmed, WINDOW);
  ck_assert(wavered > 0 && wavered <= WINDOW);
  ck_assert(!change_detector_suspects(&detector)); /* decided; explained, if no other follows */
  ck_assert(change_detector_wavers(&detector));
  for (int k = 0; k < 200; k++) {
    step(&detector, quiet, ROWS);
  }
  ck_assert(!change_detector_wavers(&detector));
}
END_TEST

/* For 40 ms a load of 8 kg was told to be none, 11 deviations off and ok. */
START_TEST(one_sample_far_beyond_the_bound_is_suspect_until_the_next) {
  struct change_detector detector = new_detector();
  const double load[ROWS] = {0, 0, 25, 0, 0, 25}, quiet[ROWS] = {0};
  for (int k = 0; k < 20; k++) {
    step(&detector, quiet, ROWS);
    ck_assert(!change_detector_suspects(&detector));
  }
  ck_assert(!step(&detector, load, ROWS));
  ck_assert(change_detector_suspects(&detector));
  ck_assert(!step(&detector, quiet, ROWS));
  ck_assert(!change_detector_suspects(&detector));
}
END_TEST

START_TEST(an_alarm_soon_after_another_leaves_it_wavering_for_a_while) {
  struct change_detector detector = new_detector();
  const double load[ROWS] = {0, 0, 25, 0, 0, 25}, quiet[ROWS] = {0};
  for (int alarms = 0; alarms < 2;) {
    alarms += step(&detector, load, ROWS);
  }
  int wavers = 0;
  for (int k = 0; k < 300; k++) { /* 3 s */
    step(&detector, quiet, ROWS);
    wavers += change_detector_wavers(&detector);
  }
  ck_assert_int_gt(wavers, 100);
  ck_assert_int_lt(wavers, 200);
}
END_TEST

START_TEST(blows_to_and_fro_are_no_change) {
  struct change_detector detector = new_detector();
  for (int k = 0; k < 50; k++) {
    const double blow[ROWS] = {0, 0, 0, 0, 0, k % 2 == 0 ? 40.0 : -40.0};
    ck_assert(!step(&detector, blow, ROWS));
  }
}
END_TEST

/* A load that came on was seen 0.1 s late: a walking torso was off by half as much again. One that
 * changed hands was told for 0.1 s of the hand that had put it down, more than three deviations
 * off: no body explains it. */
START_TEST(what_a_body_explains_is_a_change_after_three_samples_and_is_suspect_otherwise) {
  for (int explained = 0; explained < 2; explained++) {
    struct change_detector detector = new_detector();
    const double load[ROWS] = {0, 0, 0, 0, 0, 8}, quiet[ROWS] = {0};
    for (int k = 0; k < 20; k++) {
      ck_assert(!step(&detector, quiet, ROWS));
    }
    for (int k = 1; k <= CHANGE_SUDDEN; k++) {
      const bool alarm = change_detector_step(&detector, load, ROWS, DT, explained == 1, NULL);
      ck_assert_int_eq(alarm, explained == 1 && k == CHANGE_SUDDEN);
      ck_assert_int_eq(change_detector_suspects(&detector),
                       explained == 1 ? !alarm : k == CHANGE_SUDDEN);
    }
  }
}
END_TEST

START_TEST(a_body_that_explains_two_samples_of_three_is_no_change) {
  struct change_detector detector = new_detector();
  for (int k = 0; k < 60; k++) {
    const bool body = k % 3 > 0; /* to and fro */
    const double blow[ROWS] = {0, 0, 0, 0, 0, !body ? 0 : k % 6 < 3 ? 25 : -25};
    ck_assert(!change_detector_step(&detector, blow, ROWS, DT, body, NULL));
  }
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
  ck_assert_int_eq(alarms, 3); /* at 0.09 s, and 0.05 s after each refractory time */
}
END_TEST

START_TEST(alarms_too_often_are_doubted_until_none_has_come_for_as_long) {
  struct change_detector detector = new_detector();
  const double high[ROWS] = {40, 40, 40, 40, 40, 40}, quiet[ROWS] = {0};
  int alarms = 0;
  while (alarms < CHANGE_ALARMS) {
    ck_assert(!change_detector_doubts(&detector));
    ck_assert_double_eq(change_detector_rate(&detector), 0.0);
    for (int k = 0; k < 2 * WINDOW - 1; k++) {
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
  for (int k = 0; k < 10; k++) {
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
      a_mean_of_three_deviations_alarms_when_a_full_window_has_stayed_beyond_for_another,
      one_wild_sample_does_not_alarm_and_a_lasting_one_does, other_rows_begin_a_new_window,
      what_a_late_acceleration_leaves_is_no_change, blows_to_and_fro_are_no_change,
      one_sample_far_beyond_the_bound_is_suspect_until_the_next,
      something_that_may_have_changed_is_told_at_once_and_decided_within_two_windows,
      what_a_body_explains_is_a_change_after_three_samples_and_is_suspect_otherwise,
      a_body_that_explains_two_samples_of_three_is_no_change,
      an_alarm_soon_after_another_leaves_it_wavering_for_a_while,
      after_an_alarm_there_is_none_for_the_refractory_time,
      alarms_too_often_are_doubted_until_none_has_come_for_as_long,
      what_is_usual_is_no_change_and_what_stands_out_is,
      a_detector_that_clipping_locks_out_is_refused)
