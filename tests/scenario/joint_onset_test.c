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

/* Without being woken its joints' velocities were wrong for 0.09 to 0.1 s. */
START_TEST(its_deviations_know_it_soon) {
  static const char *const robots[] = {"humanoid30", "humanoid18"};
  static struct scored_run scored;
  double worst = 0.0;
  for (int i = 0; i < 2; i++) {
    begin_to_walk(robots[i], test_seed() + 5 + (uint64_t)i, &scored);
    printf("%s: q, dq, ddq beyond five deviations for %.3f %.3f %.3f s\n", robots[i],
           lie_s(&scored.score, QUANTITY_Q), lie_s(&scored.score, QUANTITY_DQ),
           lie_s(&scored.score, QUANTITY_DDQ));
    worst = fmax(worst, fmax(lie_s(&scored.score, QUANTITY_Q), lie_s(&scored.score, QUANTITY_DQ)));
  }
  ck_assert_double_le(worst, 0.06);
  asked(worst <= 0.02);
}
END_TEST

SUITE(its_deviations_know_it_soon)
