/* Encoders of a limb thirty times as noisy as they are said to be, for ten readings: noise of which
 * two readings agree passes for a joint that has become faster, and what was predicted from it flew
 * off by up to 5 rad, against encoders that were well again. */
#include "support/suite.h"
#include "trust/fault_bench.h"

#include <stdio.h>

START_TEST(some_readings_of_noise_do_not_throw_a_joint) {
  static const char *const robot[] = {"humanoid18-bare", "humanoid18", "humanoid30"};
  static struct fault_bench bench;
  for (size_t k = 0; k < 3; k++) {
    struct message error;
    ck_assert_msg(fault_bench_init(&bench, robot[k], MOTION_WALK, NULL, test_seed() + k, &error) ==
                      STATUS_OK,
                  "%s", error.text);
    for (uint64_t seed = 11; seed < 11 + 2 * BENCH_MOMENTS; seed++) {
      const struct burst_fault fault = {
          .sensor = BURST_LIMB, .kind = BURST_NOISE, .length_s = 0.01, .seed = seed};
      struct verdict v;
      const char *limb = "";
      ck_assert(fault_bench_try(&bench, &fault, seed, &v, &limb));
      printf("%s, limb of %s: q off by %.3f rad at most, wrong for %.3f s of good encoders\n",
             robot[k], limb, v.worst_q, v.q_wrong_s);
      ck_assert_double_lt(v.worst_q, 0.25);
      ck_assert_double_lt(v.q_wrong_s, 0.2);
      ck_assert_double_lt(v.right_s, 0.5);
    }
    fault_bench_free(&bench);
  }
}
END_TEST

SUITE(some_readings_of_noise_do_not_throw_a_joint)
