#include "inertial/sudden_change.h"
#include "numerics/chi_square.h"
#include "support/suite.h"

enum { ROWS = 6 };

static struct sudden_change new_search(void) {
  return (struct sudden_change){.quantile = NORMAL_TAIL_1E6};
}

static void white_noise(struct random *random, double white[ROWS]) {
  for (int i = 0; i < ROWS; i++) {
    white[i] = random_normal(random);
  }
}

START_TEST(white_innovations_never_alarm) {
  struct random random = random_from(test_seed());
  struct sudden_change sudden = new_search();
  double white[ROWS];
  for (int k = 0; k < 400000; k++) { /* more than an hour of halves of 20 ms */
    white_noise(&random, white);
    ck_assert_double_le(sudden_change_step(&sudden, white, ROWS), 1.0);
  }
}
END_TEST

/* One row is off by this much in three samples in a row; says with which it alarms, 0: with
 * none. */
static int alarms_at(struct sudden_change *sudden, struct random *random, const double off[3]) {
  double white[ROWS];
  for (int k = 0; k < 3; k++) {
    white_noise(random, white);
    white[5] += off[k];
    if (sudden_change_step(sudden, white, ROWS) > 1.0) {
      return k + 1;
    }
  }
  return 0;
}

START_TEST(a_large_step_alarms_with_its_third_sample_and_the_search_begins_again) {
  struct random random = random_from(test_seed());
  const double step[3] = {25.0, 25.0, 25.0}, within_a_sample[3] = {17.0, 25.0, 25.0};
  for (int trial = 0; trial < 200; trial++) {
    struct sudden_change sudden = new_search();
    double white[ROWS];
    for (int k = 0; k < trial % 5; k++) {
      white_noise(&random, white);
      ck_assert_double_le(sudden_change_step(&sudden, white, ROWS), 1.0);
    }
    ck_assert_int_eq(alarms_at(&sudden, &random, step), 3);
    ck_assert_int_eq(alarms_at(&sudden, &random, within_a_sample), 3);
  }
}
END_TEST

START_TEST(what_a_blow_leaves_does_not_alarm) {
  struct random random = random_from(test_seed());
  const double dying[3] = {400.0, 150.0, 50.0}, growing[3] = {50.0, 100.0, 300.0};
  for (int trial = 0; trial < 200; trial++) {
    struct sudden_change sudden = new_search();
    ck_assert_int_eq(alarms_at(&sudden, &random, dying), 0);
    sudden_change_reset(&sudden);
    ck_assert_int_eq(alarms_at(&sudden, &random, growing), 0);
  }
}
END_TEST

START_TEST(two_wild_samples_do_not_alarm) {
  struct random random = random_from(test_seed());
  const double two[3] = {200.0, 200.0, 0.0};
  for (int trial = 0; trial < 200; trial++) {
    struct sudden_change sudden = new_search();
    ck_assert_int_eq(alarms_at(&sudden, &random, two), 0);
  }
}
END_TEST

START_TEST(blows_to_and_fro_do_not_alarm) {
  struct sudden_change sudden = new_search();
  for (int k = 0; k < 50; k++) {
    const double blow[ROWS] = {0, 0, 0, 0, 0, k % 2 == 0 ? 40.0 : -40.0};
    ck_assert_double_le(sudden_change_step(&sudden, blow, ROWS), 1.0);
  }
}
END_TEST

START_TEST(one_wild_sample_does_not_alarm) {
  struct sudden_change sudden = new_search();
  const double quiet[ROWS] = {1, 1, 1, 1, 1, 1}, wild[ROWS] = {1e9, 0, 0, 0, 0, 0};
  for (int k = 0; k < 20; k++) {
    ck_assert_double_le(sudden_change_step(&sudden, k % 2 == 0 ? wild : quiet, ROWS), 1.0);
  }
}
END_TEST

START_TEST(other_rows_begin_anew) {
  struct sudden_change sudden = new_search();
  const double high[ROWS] = {40, 40, 40, 40, 40, 40};
  for (int k = 0; k < 50; k++) {
    ck_assert_double_le(sudden_change_step(&sudden, high, k % 4 < 2 ? 6 : 3), 1.0);
  }
  ck_assert_double_le(sudden_change_step(&sudden, high, 3), 1.0);
  ck_assert_double_le(sudden_change_step(&sudden, high, 3), 1.0);
  ck_assert_double_gt(sudden_change_step(&sudden, high, 3), 1.0);
}
END_TEST

SUITE(white_innovations_never_alarm,
      a_large_step_alarms_with_its_third_sample_and_the_search_begins_again,
      what_a_blow_leaves_does_not_alarm, two_wild_samples_do_not_alarm,
      blows_to_and_fro_do_not_alarm, one_wild_sample_does_not_alarm, other_rows_begin_anew)
