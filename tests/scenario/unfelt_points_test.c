/* A quadruped whose feet have no sensors, with a model that is a little wrong, while it trots: its
 * legs' torques tell which feet carry it, so that these can speak against an IMU that fails. */
#include "support/scored_run.h"
#include "support/sim_fixture.h"
#include "support/suite.h"
#include "trust/fault_bench.h"

#include <stdio.h>

static struct scored_run healthy;
static struct trust_moment fifth_second;

static void begin_healthy(void) {
  static struct stock_robot stock;
  struct message error = {0};
  ck_assert_msg(scaled_robot_load("quadruped12@1.5", "config/robots", &stock, &error) == STATUS_OK,
                "%s", error.text);
  struct sim_options options = bench_options(&stock, MOTION_WALK, 25);
  options.duration_s = 8.0;
  options.stream[PROPRIOD_SHM_WRENCH].rate_hz = 0.0;
  options.body = (struct sim_body_error){.length = 1e-3, .mass = 0.03, .com = 5e-3};
  scored_run_begin(&healthy, &options);
  while (healthy.tape.period_s * (double)healthy.run.next < 5.0) {
    trust_run_step(&healthy.run, NULL);
  }
  ck_assert_int_eq(trust_run_save(&healthy.run, &fifth_second), STATUS_OK);
}

/* A tenth of a second of it, at five moments of the stride. */
static void goes_wrong(enum burst_sensor sensor, enum burst_kind kind, double tilt_degrees) {
  static struct score score;
  for (int k = 0; k < 5; k++) {
    const struct burst_fault fault = {sensor, kind, 5.033 + 0.077 * k, 0.1, 6};
    struct burst burst;
    ck_assert(burst_init(&burst, &fault, &healthy.tape));
    trust_run_restore(&healthy.run, &fifth_second);
    while (healthy.run.next < burst.first) {
      trust_run_step(&healthy.run, NULL);
    }
    const struct verdict verdict = verdict_of_burst(&healthy.run, &burst, &score);
    const double tilt = verdict.worst_tilt * 180.0 / M_PI,
                 height = 1e-3 * (double)score.of[QUANTITY_HEIGHT].longest_lie,
                 velocity = 1e-3 * (double)score.of[QUANTITY_VELOCITY].longest_lie;
    printf("%s %s at %.3f s: tilt %.1f degrees, right after %.3f s, ok and wrong height %.3f s, "
           "velocity %.3f s\n",
           burst_sensor_name(sensor), burst_kind_name(kind), fault.start_s, tilt, verdict.right_s,
           height, velocity);
    ck_assert_double_lt(tilt, tilt_degrees);
    ck_assert_double_le(verdict.right_s, 0.5);
    ck_assert_double_le(height, 0.02);
    ck_assert_double_le(velocity, 0.05);
    ck_assert_uint_eq(verdict.resets, 0);
    burst_free(&burst);
  }
}

/* Its feet were not known to stand, so that nothing denied it: 9 degrees and 1.5 m/s, for good. */
START_TEST(an_accelerometer_that_is_off_is_found_by_feet_without_sensors) {
  goes_wrong(BURST_ACCELEROMETER, BURST_OFFSET, 2.5);
}
END_TEST

/* What a strike did as it came back was put down to what it had done meanwhile. */
START_TEST(a_gyro_that_comes_back_says_nothing_of_what_was) {
  goes_wrong(BURST_GYRO, BURST_ZERO, 2.5);
  goes_wrong(BURST_GYRO, BURST_FROZEN, 2.5);
}
END_TEST

/* Feet are dragged alike by a turn as by a push: the accelerometer was accused for it. */
START_TEST(a_gyro_that_is_off_is_no_fault_of_the_accelerometer) {
  goes_wrong(BURST_GYRO, BURST_OFFSET, 4.0);
}
END_TEST

/* A trot whose robot, feet without sensors, is read at that rate: never much off. */
static void trots(double hz, double strike_speed, uint64_t seed, double ok, double velocity) {
  static struct scored_run scored;
  const struct stock_robot stock = test_robot("quadruped12");
  struct sim_options options = bench_options(&stock, MOTION_WALK, seed);
  options.duration_s = 8.0;
  options.frame_rate_hz = options.stream[PROPRIOD_SHM_JOINTS].rate_hz =
      options.stream[PROPRIOD_SHM_IMU].rate_hz = hz;
  options.stream[PROPRIOD_SHM_WRENCH].rate_hz = 0.0;
  options.walk.strike_speed = strike_speed;
  options.body = (struct sim_body_error){.length = 1e-3, .mass = 0.03, .com = 5e-3};
  scored_run_begin(&scored, &options);
  scored_run_go(&scored, 2.0);
  printf("all at %.0f Hz, strikes of %.1f m/s, seed %lu: ok %.3f, velocity %.1f mm/s, height %.1f "
         "mm\n",
         hz, strike_speed, (unsigned long)seed, score_ok(&scored.score),
         1e3 * score_rms(&scored.score, QUANTITY_VELOCITY),
         1e3 * score_rms(&scored.score, QUANTITY_HEIGHT));
  ck_assert_double_gt(score_ok(&scored.score), ok);
  ck_assert_double_lt(score_rms(&scored.score, QUANTITY_VELOCITY), velocity);
  ck_assert_double_lt(score_rms(&scored.score, QUANTITY_HEIGHT), 0.008);
  scored_run_end(&scored);
}

/* Between two readings at 250 Hz strikes knock knees so that torques seem to hold half of the
 * weight more or less: feet that landed by that lost the robot, ok for two thirds of the time. */
START_TEST(legs_that_are_read_seldom_tell_which_feet_carry) {
  for (uint64_t seed = 31; seed < 34; seed++) {
    trots(250.0, 0.0, seed, 0.98, 0.012);
  }
}
END_TEST

/* Two feet leave the ground before two others land, and what their torques seemed to hold was taken
 * for their share long after they had: half a metre a second off. */
START_TEST(feet_that_strike_hard_are_left_in_time) {
  for (uint64_t seed = 31; seed < 34; seed++) {
    trots(1000.0, 0.1, seed, 0.95, 0.012);
    trots(500.0, 0.1, seed, 0.95, 0.02);
  }
}
END_TEST

SUITE_AFTER(begin_healthy, an_accelerometer_that_is_off_is_found_by_feet_without_sensors,
            a_gyro_that_comes_back_says_nothing_of_what_was,
            a_gyro_that_is_off_is_no_fault_of_the_accelerometer,
            legs_that_are_read_seldom_tell_which_feet_carry, feet_that_strike_hard_are_left_in_time)
