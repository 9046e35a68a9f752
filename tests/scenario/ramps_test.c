/* Ground that is not level: a ramp from the start, and one that a robot walks onto. */
#include "sim_arguments.h"
#include "support/scored_run.h"
#include "support/sim_fixture.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>

struct ramp {
  const char *robot, *ground, *rises; /* rad */
  bool forces;
  double duration_s, from_s;
};

/* RMS of the tilt, degrees, and the longest time in which it was `ok` and wrong, s. */
static double tilt_on(const struct ramp *ramp, uint64_t seed, double *lie_s) {
  static struct scored_run scored;
  const struct stock_robot stock = test_robot(ramp->robot);
  struct sim_options options = bench_options(&stock, MOTION_WALK, seed);
  options.duration_s = ramp->duration_s;
  options.stream[PROPRIOD_SHM_WRENCH].rate_hz *= ramp->forces;
  test_a_little_wrong(&options);
  ck_assert(sim_arguments_set("imu-bias", "0.1", &options));
  ck_assert(sim_arguments_set(ramp->ground, ramp->rises, &options));
  scored_run_begin(&scored, &options);
  scored_run_go(&scored, ramp->from_s);
  *lie_s = (double)scored.score.of[QUANTITY_TILT].longest_lie * scored.tape.period_s;
  const double tilt = score_rms(&scored.score, QUANTITY_TILT) * 180.0 / M_PI;
  printf("%s, %s of %s rad: tilt %.2f degrees, NEES %.2f, ok and wrong for %.2f s\n", ramp->robot,
         ramp->ground, ramp->rises, tilt, score_nees(&scored.score, QUANTITY_TILT), *lie_s);
  scored_run_end(&scored);
  return tilt;
}

/* Its feet were taken to stand on level ground, and 9 degrees for a bias of its accelerometer, for
 * good and `ok`: how high a point stands is not known yet when it lands. */
START_TEST(a_quadruped_that_starts_on_a_steep_ramp_knows_how_it_stands) {
  for (int k = 0; k < 4; k++) {
    const struct ramp ramp = {.robot = "quadruped12",
                              .ground = "ground-ramp",
                              .rises = k & 1 ? "-0.17" : "0.17",
                              .forces = k < 2,
                              .duration_s = 8.0,
                              .from_s = 0.5};
    double lie_s;
    ck_assert_double_lt(tilt_on(&ramp, test_seed(), &lie_s), 3.5);
  }
}
END_TEST

/* Step after step teaches that the ground is level: its accelerometer's bias followed, by 1.8
 * degrees, 10 deviations, `ok` for 15 s. */
START_TEST(who_walks_onto_a_ramp_does_not_lean_with_it) {
  for (int k = 0; k < 2; k++) {
    const struct ramp ramp = {.robot = k == 0 ? "humanoid18-bare" : "humanoid30",
                              .ground = "ground-climb",
                              .rises = "0.035",
                              .forces = true,
                              .duration_s = 22.0,
                              .from_s = 6.0};
    double lie_s;
    ck_assert_double_lt(tilt_on(&ramp, test_seed(), &lie_s), 0.5);
    ck_assert_double_lt(lie_s, 0.3);
  }
}
END_TEST

SUITE(a_quadruped_that_starts_on_a_steep_ramp_knows_how_it_stands,
      who_walks_onto_a_ramp_does_not_lean_with_it)
