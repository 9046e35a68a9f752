/* Bursts of wrong readings in the walks of three humanoids and a quadruped, of which each has the
 * same walk for all of them. */
#include "support/suite.h"
#include "trust/fault_bench.h"

#include <stdio.h>

/* The walks, healthy up to each moment at which something may be wrong. */
static struct walk {
  const char *robot;
  struct fault_bench bench;
} walks[] = {{.robot = "humanoid18-bare"},
             {.robot = "humanoid18"},
             {.robot = "humanoid30"},
             {.robot = "quadruped12"}};
enum { HUMANOIDS = 3, WALKS = sizeof(walks) / sizeof(walks[0]) };

static void walk_all(void) {
  struct message error;
  for (size_t k = 0; k < WALKS; k++) {
    ck_assert_msg(fault_bench_init(&walks[k].bench, walks[k].robot, MOTION_WALK, NULL,
                                   test_seed() + k, &error) == STATUS_OK,
                  "%s", error.text);
    ck_assert_int_eq(fault_bench_reach(&walks[k].bench, BENCH_MOMENTS - 1), STATUS_OK);
  }
}

/* A gyro that reads the negative of the base's rate while that is small jumps by less than a blow
 * does, and was believed, ok, with velocity and bias wrong for up to a second. */
START_TEST(a_gyro_that_is_negated_while_it_reads_little_is_refused_without_a_lie) {
  static const double length_s[] = {0.1, 0.8};
  int runs = 0, lies = 0;
  for (size_t k = 0; k < HUMANOIDS; k++) {
    for (uint64_t seed = 21; seed < 21 + BENCH_MOMENTS; seed++) {
      for (size_t i = 0; i < 2; i++) {
        const struct burst_fault fault = {
            .sensor = BURST_GYRO, .kind = BURST_NEGATED, .length_s = length_s[i], .seed = seed};
        struct verdict v;
        const char *limb = "";
        ck_assert(fault_bench_try(&walks[k].bench, &fault, seed, &v, &limb));
        printf("%s, gyro negated for %.1f s: tilt off by %.2f degree, ok after %.2f s, ok and "
               "wrong for %.3f s\n",
               walks[k].robot, length_s[i], v.worst_tilt * 180.0 / M_PI, v.ok_s, v.lie_s);
        runs++;
        lies += v.lie_s > 0.02;
        ck_assert_double_lt(v.worst_tilt, 0.035);
        ck_assert_double_lt(v.lie_s, 0.4);
        ck_assert_double_lt(v.ok_s, 1.0);
      }
    }
  }
  ck_assert_int_le(5 * lies, runs); /* asked none */
}
END_TEST

/* Encoders of a limb thirty times as noisy as they are said to be, for ten readings: noise of which
 * two readings agree passes for a joint that has become faster, and what was predicted from it flew
 * off by up to 5 rad, for .9 s, against encoders that were well again. */
START_TEST(some_readings_of_noise_do_not_throw_a_joint) {
  for (size_t k = 0; k < WALKS; k++) {
    for (uint64_t seed = 11; seed < 11 + 2 * BENCH_MOMENTS; seed++) {
      const struct burst_fault fault = {
          .sensor = BURST_LIMB, .kind = BURST_NOISE, .length_s = 0.01, .seed = seed};
      struct verdict v;
      const char *limb = "";
      ck_assert(fault_bench_try(&walks[k].bench, &fault, seed, &v, &limb));
      printf("%s, limb of %s: q off by %.3f rad at most, wrong for %.3f s of good encoders\n",
             walks[k].robot, limb, v.worst_q, v.q_wrong_s);
      ck_assert_double_lt(v.worst_q, 0.25);
      ck_assert_double_lt(v.q_wrong_s, 0.05);
      ck_assert_double_lt(v.right_s, 0.5);
    }
  }
}
END_TEST

SUITE_AFTER(walk_all, a_gyro_that_is_negated_while_it_reads_little_is_refused_without_a_lie,
            some_readings_of_noise_do_not_throw_a_joint)
