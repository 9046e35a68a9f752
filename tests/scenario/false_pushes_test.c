/* Walks in which nobody pushes, by robots without skin, with force sensors that are slow or late,
 * and with everything slow: a beginning, a strike, a foot that lifts are no push. */
#include "sim_arguments.h"
#include "support/scored_run.h"
#include "support/sim_fixture.h"
#include "support/suite.h"

#include <stdio.h>

struct forces {
  double rate_hz, latency_s;
};

static unsigned long pushes_of(const struct sim_options *options) {
  static struct scored_run scored;
  scored_run_begin(&scored, options);
  scored_run_go(&scored, 2.0);
  scored_run_end(&scored);
  return scored.score.pushes;
}

static unsigned long pushes_of_a_walk(const char *robot, struct forces forces, uint64_t seed) {
  const struct stock_robot stock = test_robot(robot);
  struct sim_options options = bench_options(&stock, MOTION_WALK, seed);
  options.duration_s = 12.0;
  options.stream[PROPRIOD_SHM_WRENCH].rate_hz = forces.rate_hz;
  options.stream[PROPRIOD_SHM_WRENCH].latency_s = forces.latency_s;
  const unsigned long pushes = pushes_of(&options);
  printf("%s, forces at %.0f Hz, %.0f ms late: %lu pushes\n", robot, forces.rate_hz,
         1e3 * forces.latency_s, pushes);
  return pushes;
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

/* Five to eight each: one reading was a push, and a strike as sure as rest. */
START_TEST(a_walk_of_sensors_at_100_and_200_hz_has_none) {
  static const char *const robots[] = {"humanoid30-bare", "humanoid18-bare"};
  for (int i = 0; i < 4; i++) {
    const struct stock_robot stock = test_robot(robots[i % 2]);
    struct sim_options options = bench_options(&stock, MOTION_WALK, test_seed() + 6 + (unsigned)i);
    options.duration_s = 12.0;
    ck_assert(sim_arguments_set("rate", i < 2 ? "100" : "200", &options));
    const unsigned long pushes = pushes_of(&options);
    printf("%s at %.0f Hz: %lu pushes\n", robots[i % 2], options.frame_rate_hz, pushes);
    ck_assert_uint_eq(pushes, 0);
  }
}
END_TEST

SUITE(a_walk_of_sensors_at_100_and_200_hz_has_none, a_walk_without_skin_has_none,
      forces_that_are_slow_or_late_have_none)
