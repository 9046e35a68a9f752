#include "trust/fault_bench.h"

#include "support/suite.h"

static const struct burst_fault fault = {
    .sensor = BURST_GYRO, .kind = BURST_OFFSET, .length_s = 0.01};

static void begin(struct fault_bench *bench) {
  struct message error = {""};
  ck_assert_msg(fault_bench_init(bench, "quadruped12", MOTION_STAND, NULL, 3, &error) == STATUS_OK,
                "%s", error.text);
}

static struct verdict verdict_from(struct fault_bench *bench, uint64_t moment) {
  struct verdict verdict;
  ck_assert(fault_bench_try(bench, &fault, moment, &verdict, NULL));
  return verdict;
}

/* The healthy part goes on from the last moment reached, whatever has been tried since. */
START_TEST(a_moment_is_the_same_whenever_it_is_reached) {
  static struct fault_bench at_once, later;
  begin(&at_once);
  ck_assert_int_eq(fault_bench_reach(&at_once, 1), STATUS_OK);
  ck_assert_uint_eq(at_once.reached, 2);
  begin(&later);
  ck_assert_uint_eq(later.reached, 0);
  for (uint64_t moment = 0; moment < 2; moment++) {
    const struct verdict a = verdict_from(&at_once, moment), b = verdict_from(&later, moment);
    ck_assert_uint_eq(later.reached, moment + 1);
    ck_assert_double_gt(a.worst_tilt, 0.0);
    ck_assert_double_eq(a.worst_tilt, b.worst_tilt);
    ck_assert_double_eq(a.worst_q, b.worst_q);
    ck_assert_double_eq(a.lie_s, b.lie_s);
  }
  ck_assert_uint_eq(at_once.healthy.samples, later.healthy.samples);
  fault_bench_free(&at_once);
  fault_bench_free(&later);
}
END_TEST

START_TEST(a_moment_that_the_tape_does_not_have_cannot_be_tried) {
  static struct fault_bench bench;
  struct message error = {""};
  struct stock_robot stock;
  struct verdict verdict;
  ck_assert_int_eq(scaled_robot_load("quadruped12", "config/robots", &stock, &error), STATUS_OK);
  struct sim_options options = bench_options(&stock, MOTION_STAND, 3);
  options.duration_s = 1.0;
  ck_assert_int_eq(fault_bench_init(&bench, "quadruped12", MOTION_STAND, &options, 3, &error),
                   STATUS_OK);
  ck_assert_int_eq(fault_bench_reach(&bench, 0), STATUS_OUT_OF_RANGE);
  ck_assert(!fault_bench_try(&bench, &fault, 0, &verdict, NULL));
  fault_bench_free(&bench);
  scaled_robot_free(&stock);
}
END_TEST

SUITE(a_moment_is_the_same_whenever_it_is_reached,
      a_moment_that_the_tape_does_not_have_cannot_be_tried)
