/* An arm whose base is held, and with it the IMU: joints that are stopped within ten milliseconds,
 * one at a time, move all the links behind them, or the last one alone, and nothing else. */
#include "support/chain_run.h"

#include <stdio.h>

/* Root mean square of the truth's ddq and of the error, rad/s^2, over all joints and stops. */
static void run_stops(double *truth, double *error) {
  enum { STEPS = 600 };
  struct run *run = new_run("stops", 200.0, 200.0, 0.0);
  *truth = *error = 0.0;
  start(run);
  advance(run, 2.0);
  for (int step = 0; step < STEPS; step++) {
    take_frame(run);
    give(run);
    *error += error_now(run) / (STEPS * JOINTS);
    *truth += truth_now(run) / (STEPS * JOINTS);
  }
  *truth = sqrt(*truth);
  *error = sqrt(*error);
}

START_TEST(skin_that_feels_a_joint_stop_is_believed_though_the_imu_does_not) {
  double truth, error;
  run_stops(&truth, &error);
  printf("ddq of stops %.2f rad/s^2, error %.2f\n", truth, error);
  ck_assert_double_lt(error, 0.1 * truth);
}
END_TEST

/* Skin of the last link, off by so much for .1 s, m/s^2 along each cell's x. */
START_TEST(skin_of_one_link_that_is_off_as_no_joint_can_make_it_is_not) {
  struct run *run = new_run("rest", 200.0, 200.0, 0.0);
  start(run);
  advance(run, 2.0);
  for (int step = 0; step < 20; step++) {
    take_frame(run);
    for (size_t i = 0; i < run->stock.robot->n_cells; i++) {
      const bool last = run->stock.robot->cell[i].link == run->stock.robot->model.n_links - 1;
      run->acceleration[3 * i] += last ? 20.0F : 0.0F;
    }
    give(run);
    ck_assert_double_lt(sqrt(error_now(run)), 1.0);
  }
  ck_assert_uint_gt(joint_filter_counters(run->filter)->link_rejected, 0);
}
END_TEST

SUITE(skin_that_feels_a_joint_stop_is_believed_though_the_imu_does_not,
      skin_of_one_link_that_is_off_as_no_joint_can_make_it_is_not)
