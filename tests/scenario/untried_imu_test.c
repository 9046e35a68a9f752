/* An IMU that is refused for what is too little to be tried: what it told for some milliseconds was
 * kept, as if it had been right, and base velocity was off by 5 to 10 deviations, ok. */
#include "support/sim_fixture.h"
#include "support/suite.h"
#include "trust/fault_bench.h"

#include <stdio.h>

/* Bursts on a robot whose gyro is biased as cheap ones are, so that all of it changes by little. */
static void expect_no_lie(const char *robot, enum bench_motion motion,
                          const struct burst_fault *fault) {
  static struct fault_bench bench;
  struct stock_robot stock;
  struct message error;
  ck_assert_msg(scaled_robot_load(robot, "config/robots", &stock, &error) == STATUS_OK, "%s",
                error.text);
  struct sim_options options = bench_options(&stock, motion, test_seed());
  test_a_little_wrong(&options);
  options.imu.rate_offset = (vec3){0.02, -0.02, 0.02};
  options.imu.force_offset = (vec3){0.3, -0.2, 0.2};
  ck_assert_msg(fault_bench_init(&bench, robot, motion, &options, test_seed(), &error) == STATUS_OK,
                "%s", error.text);
  for (uint64_t seed = 0; seed < BENCH_MOMENTS; seed++) {
    struct verdict v;
    const char *target = "";
    ck_assert(fault_bench_try(&bench, fault, seed, &v, &target));
    printf("%s, %s: ok and wrong for %.3f s, ok after %.3f s\n", robot, bench_motion_name(motion),
           v.lie_s, v.ok_s);
    ck_assert_double_lt(v.lie_s, VERDICT_LIE_S);
    ck_assert_double_lt(v.ok_s, VERDICT_RECOVER_S);
  }
  fault_bench_free(&bench);
  scaled_robot_free(&stock);
}

/* Gravity that is negated for 10 ms has the accelerometer refused, and the gyro beside it, of which
 * nothing has changed but the sign of its bias. */
START_TEST(a_gyro_beside_an_accelerometer_that_is_refused_has_told_little) {
  static const struct burst_fault fault = {BURST_IMU, BURST_NEGATED, .length_s = 0.01};
  expect_no_lie("humanoid18", MOTION_STAND, &fault);
  expect_no_lie("humanoid18", MOTION_ARM, &fault);
}
END_TEST

/* A gyro that reads zero is denied as soon as it repeats itself. */
START_TEST(a_gyro_that_reads_zero_has_told_little) {
  static const struct burst_fault fault = {BURST_GYRO, BURST_ZERO, .length_s = 0.1};
  expect_no_lie("humanoid18", MOTION_ARM, &fault);
  expect_no_lie("humanoid30", MOTION_WALK, &fault);
}
END_TEST

/* Ten readings of a noisy gyro, of which two agree by chance, had it refused for 1.5 s. */
START_TEST(a_gyro_that_was_noisy_is_believed_again) {
  static const struct burst_fault fault = {BURST_GYRO, BURST_NOISE, .length_s = 0.01};
  expect_no_lie("humanoid30@0.6", MOTION_WALK, &fault);
}
END_TEST

SUITE(a_gyro_beside_an_accelerometer_that_is_refused_has_told_little,
      a_gyro_that_reads_zero_has_told_little, a_gyro_that_was_noisy_is_believed_again)
