/* What a robot does when the daemon starts. One that stands: the first differences of a gyro are no
 * angular acceleration, and what they are taken for is no tilt. One that walks: nor is what moves
 * it gravity. */
#include "support/scored_run.h"
#include "support/sim_fixture.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>

enum { STARTS = 6 };

/* A base began 11 degrees off at worst, told as 3, and was 7 off for good: what the force at its
 * origin was off by went into the accelerometer's bias. */
START_TEST(a_base_that_stands_is_level_from_the_start) {
  static const char *const robots[] = {"humanoid30-bare", "humanoid18", "quadruped12"};
  static const double most[] = {0.1, 0.35, 0.2}; /* degrees */
  static struct scored_run scored;
  for (size_t r = 0; r < 3; r++) {
    const struct stock_robot stock = test_robot(robots[r]);
    double worst = 0.0, nees = 0.0;
    for (uint64_t k = 0; k < STARTS; k++) {
      struct sim_options options = bench_options(&stock, MOTION_STAND, test_seed() + k);
      options.stream[PROPRIOD_SHM_WRENCH].rate_hz = 0.0;
      options.duration_s = 0.6;
      scored_run_begin(&scored, &options);
      scored_run_go(&scored, 0.1);
      worst = fmax(worst, score_rms(&scored.score, QUANTITY_TILT));
      nees += score_nees(&scored.score, QUANTITY_TILT) / STARTS;
      scored_run_end(&scored);
    }
    printf("%s: tilt %.3f degrees at worst, NEES %.3f\n", robots[r], worst * 180.0 / M_PI, nees);
    ck_assert_double_lt(worst, most[r] * M_PI / 180.0);
    ck_assert_double_lt(nees, 1.0);
  }
}
END_TEST

/* At 125 and 250 Hz, beside encoders at 1 kHz, the mean of what was felt was half of it, for ever:
 * instants without a reading of the IMU had counted, as none. */
START_TEST(a_base_begins_whatever_the_rate_of_its_imu) {
  static const double rate_hz[] = {1000.0, 500.0, 250.0, 125.0, 100.0, 60.0};
  static struct scored_run scored;
  const struct stock_robot stock = test_robot("humanoid18-bare");
  for (size_t i = 0; i < sizeof(rate_hz) / sizeof(rate_hz[0]); i++) {
    struct sim_options options = bench_options(&stock, MOTION_STAND, test_seed());
    options.stream[PROPRIOD_SHM_IMU].rate_hz = rate_hz[i];
    options.duration_s = 0.8;
    scored_run_begin(&scored, &options);
    scored_run_go(&scored, 0.4);
    ck_assert_double_gt(score_ok(&scored.score), 0.99);
    ck_assert_double_lt(score_rms(&scored.score, QUANTITY_TILT), 0.5 * M_PI / 180.0);
    scored_run_end(&scored);
  }
}
END_TEST

/* Worst tilt, degrees, from so long after each start on, in the strides of one walk; nees: its, on
 * the mean. */
static double started(const char *robot, bool forces, double rate_hz, double first_s,
                      double after_s, double *nees) {
  static struct scored_run scored;
  const struct stock_robot stock = test_robot(robot);
  struct sim_options options = bench_options(&stock, MOTION_WALK, forces ? test_seed() : 21);
  double worst = 0.0, lie = 0.0;
  options.duration_s = first_s + 2.5 + after_s;
  options.stream[PROPRIOD_SHM_WRENCH].rate_hz *= forces;
  options.frame_rate_hz = options.stream[PROPRIOD_SHM_JOINTS].rate_hz = rate_hz;
  scored_run_begin(&scored, &options);
  *nees = 0.0;
  for (uint64_t k = 0; k < STARTS; k++) {
    const double starts_s = first_s + 0.15 * (double)k;
    enum quantity of;
    scored_run_restart(&scored, (size_t)lround(starts_s / scored.tape.period_s));
    scored_run_go(&scored, starts_s + after_s);
    ck_assert_uint_eq(scored.score.resets, 0);
    worst = fmax(worst, score_rms(&scored.score, QUANTITY_TILT) * 180.0 / M_PI);
    *nees += score_nees(&scored.score, QUANTITY_TILT) / STARTS;
    lie = fmax(lie, score_longest_lie(&scored.score, scored.tape.period_s, &of));
  }
  scored_run_end(&scored);
  printf("%s, walking: tilt %.3f degrees at worst, NEES %.3f, ok and wrong for %.3f s\n", robot,
         worst, *nees, lie);
  return worst;
}

/* Restarted in a stride, a base was off by 2 to 4 degrees, ok, for the seconds that followed. A
 * sole that stands level tells a tilt that is off by 10 degrees at once; where it stands and how it
 * is turned, which follow that to first order only, then turned it away again by 1 to 3. */
START_TEST(a_robot_that_walks_is_upright_soon_after_the_start) {
  static const char *const robots[] = {"humanoid30-bare", "humanoid18", "quadruped12"};
  static const double most[] = {0.3, 0.4, 0.4}; /* degrees; points at one height tell them */
  for (size_t r = 0; r < 3; r++) {
    double nees;
    ck_assert_double_lt(started(robots[r], true, 1000.0, 2.5, 0.3, &nees), most[r]);
    ck_assert_double_lt(nees, 2.0);
  }
}
END_TEST

/* Turned by 15 degrees at once by the heights of two feet, where they stand was known to first
 * order only, and turned it on: two starts of eight stayed 6 to 8 degrees askew, ok. */
START_TEST(so_is_one_that_trots) {
  double nees;
  ck_assert_double_lt(started("quadruped12", true, 1000.0, 4.09, 1.0, &nees), 0.5);
  ck_assert_double_lt(nees, 2.0);
}
END_TEST

/* Which of its feet carried was not known, and it stayed 3 degrees askew. */
START_TEST(so_is_one_that_trots_without_force_sensors) {
  double nees;
  ck_assert_double_lt(started("quadruped12", false, 1000.0, 4.3, 1.2, &nees), 0.5);
  ck_assert_double_lt(nees, 2.0);
}
END_TEST

/* Nor was it with joints read every 10 ms, when heights told which feet are low of a base that was
 * tilted as nobody knew. */
START_TEST(so_is_one_whose_joints_are_read_seldom) {
  double nees;
  ck_assert_double_lt(started("quadruped12", false, 100.0, 4.0, 1.0, &nees), 0.8);
  ck_assert_double_lt(nees, 2.0);
}
END_TEST

SUITE(a_base_that_stands_is_level_from_the_start, a_base_begins_whatever_the_rate_of_its_imu,
      a_robot_that_walks_is_upright_soon_after_the_start, so_is_one_that_trots,
      so_is_one_that_trots_without_force_sensors, so_is_one_whose_joints_are_read_seldom)
