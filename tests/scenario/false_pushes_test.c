/* Walks in which nobody pushes, by robots without skin and with force sensors that are slow or
 * late: a beginning, a strike, a foot that lifts are no push. */
#include "support/scored_run.h"
#include "support/sim_fixture.h"
#include "support/suite.h"

#include <stdio.h>

struct forces {
  double rate_hz, latency_s;
};

static unsigned long pushes_of_a_walk(const char *robot, struct forces forces, uint64_t seed) {
  static struct scored_run scored;
  const struct stock_robot stock = test_robot(robot);
  struct sim_options options = bench_options(&stock, MOTION_WALK, seed);
  options.duration_s = 12.0;
  options.stream[PROPRIOD_SHM_WRENCH].rate_hz = forces.rate_hz;
  options.stream[PROPRIOD_SHM_WRENCH].latency_s = forces.latency_s;
  scored_run_begin(&scored, &options);
  scored_run_go(&scored, 2.0);
  scored_run_end(&scored);
  printf("%s, forces at %.0f Hz, %.0f ms late: %lu pushes\n", robot, forces.rate_hz,
         1e3 * forces.latency_s, (unsigned long)scored.score.pushes);
  return scored.score.pushes;
}

/* One to four each: contact forces follow from accelerations that are poor while a walk begins and
 * at its strikes. */
START_TEST(a_walk_without_skin_has_none) {
  const struct forces in_time = {1000.0, 0.0};
  ck_assert_uint_eq(pushes_of_a_walk("humanoid30-bare", in_time, test_seed() + 1), 0);
  ck_assert_uint_eq(pushes_of_a_walk("humanoid18-bare", in_time, test_seed() + 2), 0);
}
END_TEST

/* One to twenty: what the feet felt 8 ms ago was compared with the motion of now. */
START_TEST(forces_that_are_slow_or_late_have_none) {
  const struct forces slow = {100.0, 0.0}, late = {250.0, 0.008};
  ck_assert_uint_eq(pushes_of_a_walk("humanoid30", slow, test_seed() + 3), 0);
  ck_assert_uint_eq(pushes_of_a_walk("humanoid18", late, test_seed() + 4), 0);
  ck_assert_uint_eq(pushes_of_a_walk("quadruped12", late, test_seed() + 5), 0);
}
END_TEST

SUITE(a_walk_without_skin_has_none, forces_that_are_slow_or_late_have_none)
