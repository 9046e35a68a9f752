/* All skin lies at once. Where each cell lies along an axis of its own, the cells of a link
 * contradict each other, and are no witnesses against the IMU. */
#include "support/bench_fixture.h"
#include "support/suite.h"

#include <stdio.h>

/* A walk on which this was seen. */
enum { TURNED_SEED = 703 };

/* Tries it at all moments, for 0.1 s or 0.8 s. */
static void lie(struct fault_bench *bench, enum burst_kind kind, double worst_tilt) {
  for (uint64_t moment = 0; moment < BENCH_MOMENTS; moment++) {
    const double length_s = moment % 2 ? 0.8 : 0.1;
    const struct burst_fault fault = {BURST_SKIN, kind, .length_s = length_s, .seed = moment};
    struct verdict v;
    ck_assert(fault_bench_try(bench, &fault, moment, &v, NULL));
    printf("%s: %.2f degrees at worst, right after %.3f s, ok after %.3f s, lied for %.3f s\n",
           bench->stock.robot->model.name, v.worst_tilt * 180.0 / M_PI, v.right_s, v.ok_s, v.lie_s);
    ck_assert_double_lt(v.worst_tilt, worst_tilt);
    ck_assert_uint_eq(v.resets, 0);
    ck_assert(verdict_passes(&v));
  }
}

/* The base was turned by up to 38 degrees, and stayed so, with what skin has in common off by
 * 6 m/s^2: each made the other fit. */
START_TEST(lying_skin_turns_no_base) {
  static const char *const robot[] = {"humanoid30", "humanoid18"};
  static struct fault_bench bench;
  for (uint64_t k = 0; k < 2; k++) {
    struct message error;
    ck_assert_msg(fault_bench_init(&bench, robot[k], MOTION_WALK, NULL, test_seed() + 85 + k,
                                   &error) == STATUS_OK,
                  "%s", error.text);
    lie(&bench, BURST_OFFSET, 0.5 * M_PI / 180.0);
    fault_bench_free(&bench);
  }
}
END_TEST

/* As a foot came down it passed for a strike, and had the IMU refused: the base fell upwards, by up
 * to 10 m/s, and was up to 16 degrees off, ok, once its velocity could no longer be. */
START_TEST(skin_that_is_turned_round_is_no_strike) {
  static struct fault_bench bench;
  test_bench(&bench, "humanoid30@0.6", MOTION_WALK, TURNED_SEED);
  lie(&bench, BURST_NEGATED, 1.0 * M_PI / 180.0);
  fault_bench_free(&bench);
}
END_TEST

SUITE(lying_skin_turns_no_base, skin_that_is_turned_round_is_no_strike)
