/* A body that has stood begins to walk: how quiet its joints were says nothing any more. */
#include "support/scored_run.h"
#include "support/sim_fixture.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>

/* Scores the second in which it begins. */
static void begin_to_walk(const char *robot, uint64_t seed, struct scored_run *scored) {
  const struct stock_robot stock = test_robot(robot);
  struct sim_options options = bench_options(&stock, MOTION_WALK, seed);
  options.duration_s = 3.0;
  scored_run_begin(scored, &options);
  scored_run_go(scored, 1.9);
  scored_run_end(scored);
}

/* Longest time, s, for which a quantity was beyond five of its deviations and called good. */
static double lie_s(const struct score *score, enum quantity quantity) {
  return 1e-3 * (double)score->of[quantity].longest_lie;
}

/* The same of all that joints have; prints them. */
static double longest_lie(const char *robot, uint64_t seed) {
  static struct scored_run scored;
  begin_to_walk(robot, seed, &scored);
  const double q = lie_s(&scored.score, QUANTITY_Q), dq = lie_s(&scored.score, QUANTITY_DQ),
               ddq = lie_s(&scored.score, QUANTITY_DDQ);
  printf("%s: q, dq, ddq beyond five deviations for %.3f %.3f %.3f s\n", robot, q, dq, ddq);
  ck_assert_double_le(ddq, 0.06);
  return fmax(q, dq);
}

/* Without being woken its joints' velocities were wrong for 0.09 to 0.1 s. */
START_TEST(its_deviations_know_it_soon) {
  const double worst =
      fmax(longest_lie("humanoid30", test_seed() + 5), longest_lie("humanoid18", test_seed() + 6));
  ck_assert_double_le(worst, 0.04);
  asked(worst <= 0.02);
}
END_TEST

/* Encoders alone, each within its noise, told it 0.03 s late: velocities were wrong for 0.11 to
 * 0.16 s, accelerations for 0.15 to 0.22. */
START_TEST(without_skin_they_know_it_as_soon) {
  const double worst = fmax(longest_lie("humanoid30-bare", test_seed() + 5),
                            longest_lie("humanoid18-bare", test_seed() + 6));
  ck_assert_double_le(worst, 0.04);
  asked(worst <= 0.02);
}
END_TEST

SUITE(its_deviations_know_it_soon, without_skin_they_know_it_as_soon)
