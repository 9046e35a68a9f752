/* A robot whose feet feel nothing, as most humanoids: what carries it is known by its motion alone,
 * and that by an accelerometer that may be wrong. */
#include "support/sim_fixture.h"
#include "support/suite.h"
#include "trust/fault_bench.h"

#include <stdio.h>

/* One that is upside down took the feet off the ground: the base flew off at 9 m/s, `ok` for half a
 * second, and did not come back. */
START_TEST(an_accelerometer_upside_down_takes_no_robot_off_its_feet) {
  static const enum burst_sensor sensors[] = {BURST_ACCELEROMETER, BURST_IMU};
  static struct fault_bench bench;
  struct message error = {""};
  const struct stock_robot stock = test_robot("humanoid18-bare");
  struct sim_options options = bench_options(&stock, MOTION_WALK, test_seed());
  options.stream[PROPRIOD_SHM_WRENCH].rate_hz = 0.0;
  ck_assert_msg(fault_bench_init(&bench, "humanoid18-bare", MOTION_WALK, &options, test_seed(),
                                 &error) == STATUS_OK,
                "%s", error.text);
  for (size_t i = 0; i < sizeof(sensors) / sizeof(sensors[0]); i++) {
    const struct burst_fault fault = {.sensor = sensors[i], .kind = BURST_NEGATED, .length_s = 0.8};
    struct verdict verdict;
    const char *target;
    ck_assert(fault_bench_try(&bench, &fault, 5, &verdict, &target));
    printf("%s negated: tilt %.2f degrees at worst, right after %.3f s, %u resets\n",
           burst_sensor_name(sensors[i]), verdict.worst_tilt * 180.0 / M_PI, verdict.right_s,
           verdict.resets);
    ck_assert_double_lt(verdict.worst_tilt, 3.0 * M_PI / 180.0);
    ck_assert_double_le(verdict.right_s, 0.3);
    ck_assert_uint_eq(verdict.resets, 0);
  }
  fault_bench_free(&bench);
}
END_TEST

SUITE(an_accelerometer_upside_down_takes_no_robot_off_its_feet)
