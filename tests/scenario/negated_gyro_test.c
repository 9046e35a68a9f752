/* A gyro that reads the negative of the base's rate while that is small: it jumps by less than a
 * blow does, and was believed, ok, with velocity and bias wrong for up to a second. */
#include "support/suite.h"
#include "trust/fault_bench.h"

#include <stdio.h>

START_TEST(a_gyro_that_is_negated_while_it_reads_little_is_refused_without_a_lie) {
  static const char *const robot[] = {"humanoid18-bare", "humanoid18", "humanoid30"};
  static const double length_s[] = {0.1, 0.8};
  static struct fault_bench bench;
  int runs = 0, lies = 0;
  for (size_t k = 0; k < 3; k++) {
    struct message error;
    ck_assert_msg(fault_bench_init(&bench, robot[k], MOTION_WALK, NULL, test_seed() + k, &error) ==
                      STATUS_OK,
                  "%s", error.text);
    for (uint64_t seed = 21; seed < 21 + BENCH_MOMENTS; seed++) {
      for (size_t i = 0; i < 2; i++) {
        const struct burst_fault fault = {
            .sensor = BURST_GYRO, .kind = BURST_NEGATED, .length_s = length_s[i], .seed = seed};
        struct verdict v;
        const char *limb = "";
        ck_assert(fault_bench_try(&bench, &fault, seed, &v, &limb));
        printf("%s, gyro negated for %.1f s: tilt off by %.2f degree, ok after %.2f s, ok and "
               "wrong for %.3f s\n",
               robot[k], length_s[i], v.worst_tilt * 180.0 / M_PI, v.ok_s, v.lie_s);
        runs++;
        lies += v.lie_s > 0.02;
        ck_assert_double_lt(v.worst_tilt, 0.035);
        ck_assert_double_lt(v.lie_s, 0.4);
        ck_assert_double_lt(v.ok_s, 1.0);
      }
    }
    fault_bench_free(&bench);
  }
  ck_assert_int_le(5 * lies, runs); /* asked none */
}
END_TEST

SUITE(a_gyro_that_is_negated_while_it_reads_little_is_refused_without_a_lie)
