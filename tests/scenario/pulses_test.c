/* Pulses of an accelerometer that no foot follows: what they did to the velocity does not stay
 * after they have ended. */
#include "support/suite.h"
#include "trust/fault_bench.h"

#include <stdio.h>

/* Feet were asked whether they slide as fast as a jump that goes on would have made the base: those
 * of a pulse that had ended never did, and .2 m/s was told as .01 for .9 s. */
START_TEST(a_pulse_that_has_ended_is_denied_by_the_points_that_a_robot_stands_on) {
  static struct fault_bench bench;
  struct message error;
  ck_assert_msg(fault_bench_init(&bench, "quadruped12", MOTION_STAND, NULL, 86, &error) ==
                    STATUS_OK,
                "%s", error.text);
  for (uint64_t seed = 0; seed < BENCH_MOMENTS; seed++) {
    const struct burst_fault fault = {
        .sensor = BURST_IMU, .kind = BURST_NEGATED, .length_s = 0.01, .seed = seed};
    struct verdict v;
    ck_assert(fault_bench_try(&bench, &fault, seed, &v, NULL));
    printf("right after %.3f s, ok and wrong for %.3f s (%s), tilt %.2f degrees, %u resets\n",
           v.right_s, v.lie_s, quantity_row(v.liar)->name, v.worst_tilt * 180.0 / M_PI, v.resets);
    ck_assert_double_lt(v.lie_s, 0.08);
    ck_assert_double_lt(v.ok_s, VERDICT_RECOVER_S);
    ck_assert_double_lt(v.worst_tilt, 0.5 * M_PI / 180.0);
  }
  fault_bench_free(&bench);
}
END_TEST

SUITE(a_pulse_that_has_ended_is_denied_by_the_points_that_a_robot_stands_on)
