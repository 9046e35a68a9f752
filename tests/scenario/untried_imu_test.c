/* An IMU that is refused for what is too little to be tried: what it told for some milliseconds was
 * kept, as if it had been right, and base velocity was off by 5 to 10 deviations, ok. */
#include "support/bench_fixture.h"
#include "support/suite.h"

#include <stdio.h>

/* Walks on which this was seen. */
enum { SEED = 671, NOISY_SEED = 20261121 };

static struct verdict attempt(struct fault_bench *bench, const struct burst_fault *fault,
                              uint64_t moment) {
  struct verdict v;
  const char *target = "";
  ck_assert(fault_bench_try(bench, fault, moment, &v, &target));
  printf("%s, %s: ok and wrong for %.3f s, ok after %.3f s, tilt off by %.2f degrees\n",
         bench->stock.robot->model.name, bench_motion_name(bench->motion), v.lie_s, v.ok_s,
         v.worst_tilt * 180.0 / M_PI);
  return v;
}

static void expect_no_lie(const char *robot, enum bench_motion motion, uint64_t seed,
                          const struct burst_fault *fault) {
  static struct fault_bench bench;
  test_bench(&bench, robot, motion, seed);
  for (uint64_t moment = 0; moment < BENCH_MOMENTS; moment++) {
    const struct verdict v = attempt(&bench, fault, moment);
    ck_assert_double_lt(v.lie_s, VERDICT_LIE_S);
    ck_assert_double_lt(v.ok_s, VERDICT_RECOVER_S);
  }
  fault_bench_free(&bench);
}

/* Gravity that is negated for 10 ms has the accelerometer refused, and the gyro beside it, of which
 * nothing has changed but the sign of its bias. */
START_TEST(a_gyro_beside_an_accelerometer_that_is_refused_has_told_little) {
  static const struct burst_fault fault = {BURST_IMU, BURST_NEGATED, .length_s = 0.01};
  expect_no_lie("humanoid18", MOTION_STAND, SEED, &fault);
  expect_no_lie("humanoid18", MOTION_ARM, SEED, &fault);
}
END_TEST

/* A gyro that reads zero is denied as soon as it repeats itself. */
START_TEST(a_gyro_that_reads_zero_has_told_little) {
  static const struct burst_fault fault = {BURST_GYRO, BURST_ZERO, .length_s = 0.1};
  expect_no_lie("humanoid18", MOTION_ARM, SEED, &fault);
  expect_no_lie("humanoid30", MOTION_WALK, SEED, &fault);
}
END_TEST

/* Nor does one of them that jumps by less than is tried push for long. */
START_TEST(an_accelerometer_that_freezes_has_told_little) {
  static const struct burst_fault fault = {BURST_ACCELEROMETER, BURST_FROZEN, .length_s = 0.01};
  expect_no_lie("humanoid30@0.6", MOTION_WALK, SEED, &fault);
}
END_TEST

/* Ten readings of a noisy gyro, of which two agree by chance, had it refused for 1.5 s. */
START_TEST(a_gyro_that_was_noisy_is_believed_again) {
  static const struct burst_fault fault = {BURST_GYRO, BURST_NOISE, .length_s = 0.01};
  expect_no_lie("humanoid30@0.6", MOTION_WALK, NOISY_SEED, &fault);
}
END_TEST

/* For nearly a second soles and skin tell how the base turns; soles rock, and were believed more
 * than in any other walk. */
START_TEST(soles_beside_a_gyro_that_is_frozen_are_believed_no_more_than_in_any_walk) {
  static const struct burst_fault fault = {BURST_IMU, BURST_FROZEN, .length_s = 0.8};
  static const char *const robots[] = {"humanoid18", "humanoid30@0.6"};
  static struct fault_bench bench;
  double lied = 0.0; /* s, of 12 runs */
  for (size_t k = 0; k < 2; k++) {
    test_bench(&bench, robots[k], MOTION_WALK, SEED);
    for (uint64_t moment = 0; moment < BENCH_MOMENTS; moment++) {
      const struct verdict v = attempt(&bench, &fault, moment);
      lied += v.lie_s;
      ck_assert_double_lt(v.worst_tilt, 0.045);
    }
    fault_bench_free(&bench);
  }
  ck_assert_double_lt(lied, 0.3); /* asked: nowhere more than 0.02 */
}
END_TEST

SUITE(a_gyro_beside_an_accelerometer_that_is_refused_has_told_little,
      a_gyro_that_reads_zero_has_told_little, an_accelerometer_that_freezes_has_told_little,
      a_gyro_that_was_noisy_is_believed_again,
      soles_beside_a_gyro_that_is_frozen_are_believed_no_more_than_in_any_walk)
