/* Force sensors of feet that read too much: which feet stand is known by the motion then. */
#include "support/suite.h"
#include "trust/fault_bench.h"

#include <math.h>
#include <stdio.h>

/* 200 N too much in each of them, more than a swinging foot ever feels. Every foot was taken to
 * stand: the base was up to 0.3 m/s off, `ok` for half a second, its gyro's bias by 11 deviations
 * for seconds afterwards. */
static void try_robot(const char *robot) {
  static const struct burst_fault fault = {
      .sensor = BURST_FORCES, .kind = BURST_OFFSET, .length_s = 0.8};
  static struct fault_bench bench;
  struct message error;
  ck_assert_msg(fault_bench_init(&bench, robot, MOTION_WALK, NULL, test_seed(), &error) ==
                    STATUS_OK,
                "%s", error.text);
  for (uint64_t seed = 0; seed < 4; seed++) {
    struct verdict v;
    ck_assert(fault_bench_try(&bench, &fault, seed, &v, NULL));
    printf("%s: ok after %.3f s, ok and wrong for %.3f s (%s), tilt %.2f degrees, %u resets\n",
           robot, v.ok_s, v.lie_s, quantity_row(v.liar)->name, v.worst_tilt * 180.0 / M_PI,
           v.resets);
    ck_assert_double_lt(v.right_s, 0.1);
    ck_assert_double_lt(v.ok_s, VERDICT_RECOVER_S);
    ck_assert_double_lt(v.lie_s, 0.1); /* the centre of pressure's, until it is noticed */
    ck_assert_uint_eq(v.resets, 0);
  }
  fault_bench_free(&bench);
}

START_TEST(a_trotting_robot_is_not_held_by_feet_that_swing_and_feel_too_much) {
  try_robot("quadruped12");
}
END_TEST

START_TEST(nor_is_a_walking_one) {
  try_robot("humanoid30");
}
END_TEST

SUITE(a_trotting_robot_is_not_held_by_feet_that_swing_and_feel_too_much, nor_is_a_walking_one)
