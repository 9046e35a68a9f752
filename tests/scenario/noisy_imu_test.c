/* An IMU that becomes thirty times as noisy as it is said to be, for some readings or for long:
 * what passed for motion until that was noticed was believed, and that no strike came which noise
 * hides. */
#include "support/suite.h"
#include "trust/fault_bench.h"

#include <stdio.h>

static void become_noisy(const char *robot, enum bench_motion motion, enum burst_sensor sensor) {
  static const double length_s[] = {0.01, 0.1, 0.8};
  static struct fault_bench bench;
  struct message error;
  ck_assert_msg(fault_bench_init(&bench, robot, motion, NULL, test_seed() + 1, &error) == STATUS_OK,
                "%s", error.text);
  for (uint64_t seed = 0; seed < BENCH_MOMENTS; seed++) {
    const struct burst_fault fault = {
        .sensor = sensor, .kind = BURST_NOISE, .length_s = length_s[seed % 3], .seed = seed};
    struct verdict v;
    ck_assert(fault_bench_try(&bench, &fault, seed, &v, NULL));
    printf("%s, %g s: right after %.3f s, ok after %.3f s, lied for %.3f s (%s)\n", robot,
           fault.length_s, v.right_s, v.ok_s, v.lie_s, quantity_row(v.liar)->name);
    if (fault.length_s > 0.5) { /* a strike within: base force, 24 ms */
      ck_assert_double_lt(v.lie_s, 0.03);
      v.lie_s = fmin(v.lie_s, VERDICT_LIE_S);
    }
    ck_assert(verdict_passes(&v));
  }
  fault_bench_free(&bench);
}

START_TEST(a_noisy_imu_is_not_believed_while_walking) {
  become_noisy("humanoid30", MOTION_WALK, BURST_IMU);
}
END_TEST

START_TEST(a_noisy_imu_is_not_believed_while_standing) {
  become_noisy("humanoid30", MOTION_STAND, BURST_IMU);
}
END_TEST

START_TEST(a_noisy_accelerometer_alone_is_not_believed) {
  become_noisy("humanoid18-bare", MOTION_WALK, BURST_ACCELEROMETER);
}
END_TEST

/* What the accelerometer felt passed for turning, the more so the calmer it seemed by that. */
START_TEST(a_noisy_gyro_does_not_take_what_the_accelerometer_feels) {
  become_noisy("quadruped12", MOTION_WALK, BURST_GYRO);
}
END_TEST

SUITE(a_noisy_imu_is_not_believed_while_walking, a_noisy_imu_is_not_believed_while_standing,
      a_noisy_accelerometer_alone_is_not_believed,
      a_noisy_gyro_does_not_take_what_the_accelerometer_feels)
