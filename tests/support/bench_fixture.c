#include "support/bench_fixture.h"

#include "support/sim_fixture.h"
#include "support/suite.h"

void test_bench(struct fault_bench *bench, const char *robot, enum bench_motion motion,
                uint64_t seed) {
  struct stock_robot stock;
  struct message error;
  ck_assert_msg(scaled_robot_load(robot, "config/robots", &stock, &error) == STATUS_OK, "%s",
                error.text);
  struct sim_options options = bench_options(&stock, motion, seed);
  test_a_little_wrong(&options);
  options.imu.force_bias = 0.3;
  ck_assert_msg(fault_bench_init(bench, robot, motion, &options, seed, &error) == STATUS_OK, "%s",
                error.text);
  scaled_robot_free(&stock);
}
