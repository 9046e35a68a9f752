/* All skin lies at once, each cell along an axis of its own: the cells of a link contradict each
 * other, and are no witnesses against the IMU. */
#include "support/suite.h"
#include "trust/fault_bench.h"

#include <stdio.h>

/* The base was turned by up to 38 degrees, and stayed so, with what skin has in common off by
 * 6 m/s^2: each made the other fit. */
START_TEST(lying_skin_turns_no_base) {
  static const char *const robot[] = {"humanoid30", "humanoid18"};
  static struct fault_bench bench;
  const uint64_t base = test_seed();
  for (uint64_t k = 0; k < 2; k++) {
    struct message error;
    ck_assert_msg(fault_bench_init(&bench, robot[k], MOTION_WALK, NULL, base + 85 + k, &error) ==
                      STATUS_OK,
                  "%s", error.text);
    for (uint64_t seed = 0; seed < BENCH_MOMENTS; seed++) {
      const struct burst_fault fault = {.sensor = BURST_SKIN,
                                        .kind = BURST_OFFSET,
                                        .length_s = seed % 2 ? 0.8 : 0.1,
                                        .seed = seed};
      struct verdict v;
      ck_assert(fault_bench_try(&bench, &fault, seed, &v, NULL));
      printf("%s: %.2f degrees at worst, right after %.3f s, ok after %.3f s, lied for %.3f s\n",
             robot[k], v.worst_tilt * 180.0 / M_PI, v.right_s, v.ok_s, v.lie_s);
      ck_assert_double_lt(v.worst_tilt, 0.5 * M_PI / 180.0);
      ck_assert_uint_eq(v.resets, 0);
      ck_assert(verdict_passes(&v));
    }
    fault_bench_free(&bench);
  }
}
END_TEST

SUITE(lying_skin_turns_no_base)
