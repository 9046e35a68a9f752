/* A robot without skin that strikes hard ground: its accelerations are better than those of the
 * encoders alone and of the IMU alone, in the same run. Truth is the simulator's. */
#include "support/centroidal_run.h"
#include "support/sim_fixture.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>

enum { AXES = 3 };

static const double REST_S = 2.0, STRIKE_SPEED = 0.3; /* s; m/s */

struct errors {
  double com[AXES], ddq; /* m/s^2; sums of absolute values, and of squares */
};

static void add(struct errors *errors, const struct centroidal_run *run, int way) {
  const struct sim_truth *truth = sim_truth(run->sim);
  const vec3 a = to_true_world(run, way, run->out[way].com_acceleration);
  double off[AXES];
  vec3_to(vec3_sub(a, truth->com_acceleration_W), off);
  for (int i = 0; i < AXES; i++) {
    errors->com[i] += fabs(off[i]);
  }
  for (size_t j = 0; j < run->stock.robot->model.n_joints; j++) {
    const double e = run->state[way].ddq[j] - truth->ddq[j];
    errors->ddq += e * e;
  }
}

/* A walk on hard ground; baselines are tuned on a run of another seed. */
static void walk(const char *robot, double rate_hz, unsigned long seed,
                 struct errors errors[WAYS]) {
  static struct centroidal_run run;
  const struct stock_robot stock = test_robot(robot);
  struct sim_options options[2];
  for (int k = 0; k < 2; k++) {
    options[k] = centroidal_run_options(&stock, "walk", rate_hz, k == 0 ? 99 : seed);
    options[k].duration_s = 10.0;
    options[k].walk.strike_speed = STRIKE_SPEED;
  }
  const struct encoder_tuning tuning = tune_encoders(&stock, &options[0]);
  centroidal_run_begin(&run, &stock, &options[1], false, &tuning);
  while (centroidal_run_step(&run)) {
    for (int w = 0; run.t >= REST_S && w < WAY_SKIN; w++) {
      add(&errors[w], &run, w);
    }
  }
  centroidal_run_end(&run);
}

static void accelerations_are_calm(const char *robot, double rate_hz, unsigned long seed) {
  static const double asked_of_imu[AXES] = {0.55, 0.95, 0.6}, least[AXES] = {0.65, 1.0, 0.8};
  struct errors errors[WAYS] = {{.ddq = 0.0}};
  bool all = true;
  walk(robot, rate_hz, seed, errors);
  const struct errors *ours = &errors[WAY_ENCODERS], *imu = &errors[WAY_IMU];
  const double of_encoders = sqrt(ours->ddq / imu->ddq);
  printf("%s, %g Hz, seed %lu: ddq %.3f of KF3's", robot, rate_hz, seed, of_encoders);
  for (int i = 0; i < AXES; i++) {
    printf(", com acceleration %c %.3f of IMU only's", "xyz"[i], ours -> com[i] / imu -> com[i]);
    ck_assert_double_lt(ours->com[i], least[i] * imu->com[i]);
    all = all && ours->com[i] <= asked_of_imu[i] * imu->com[i];
  }
  printf("\n");
  ck_assert_double_lt(of_encoders, 1.02);
  asked(all);
}

START_TEST(thirty_joints_on_hard_ground_are_calm_between_strikes) {
  accelerations_are_calm("humanoid30", 1000.0, test_seed() + 1);
}
END_TEST

START_TEST(eighteen_slow_joints_on_hard_ground_are_calm_between_strikes) {
  accelerations_are_calm("humanoid18", 100.0, test_seed() + 2);
}
END_TEST

SUITE(thirty_joints_on_hard_ground_are_calm_between_strikes,
      eighteen_slow_joints_on_hard_ground_are_calm_between_strikes)
