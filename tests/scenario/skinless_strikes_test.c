/* A robot without skin that strikes hard ground: its accelerations are better than those of the
 * encoders alone and of the IMU alone, in the same walks. Truth is the simulator's.
 *
 * How an IMU is off is drawn once for each walk, and on that much depends: a walk proves little,
 * however long it is, so errors are summed over many. */
#include "support/centroidal_run.h"
#include "support/sim_fixture.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>

enum { AXES = 3 };

static const double REST_S = 2.0, TUNED_S = 10.0, STRIKE_SPEED = 0.3; /* s, s; m/s */

struct errors {
  double com[AXES], ddq; /* sums of absolute values, m/s^2, and of squares */
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

static struct sim_options options_of(const struct stock_robot *stock, double rate_hz,
                                     unsigned long seed, double duration_s) {
  struct sim_options options = centroidal_run_options(stock, "walk", rate_hz, seed);
  options.duration_s = duration_s;
  options.walk.strike_speed = STRIKE_SPEED;
  return options;
}

/* A walk on hard ground. */
static void walk(const struct stock_robot *stock, const struct sim_options *options,
                 const struct encoder_tuning *tuning, struct errors errors[WAYS]) {
  static struct centroidal_run run;
  centroidal_run_begin(&run, stock, options, false, tuning);
  while (centroidal_run_step(&run)) {
    for (int w = 0; run.t >= REST_S && w < WAY_SKIN; w++) {
      add(&errors[w], &run, w);
    }
  }
  centroidal_run_end(&run);
}

/* Baselines are tuned on a walk of another seed. */
static void accelerations_are_calm(const char *robot, double rate_hz, int walks,
                                   double duration_s) {
  static const double asked_of_imu[AXES] = {0.55, 0.95, 0.6}, least[AXES] = {0.65, 1.0, 0.8};
  const struct stock_robot stock = test_robot(robot);
  const struct sim_options tuned = options_of(&stock, rate_hz, 99, TUNED_S);
  const struct encoder_tuning tuning = tune_encoders(&stock, &tuned);
  struct errors errors[WAYS] = {{.ddq = 0.0}};
  for (int k = 1; k <= walks; k++) {
    const struct sim_options options =
        options_of(&stock, rate_hz, test_seed() + (unsigned long)k, duration_s);
    walk(&stock, &options, &tuning, errors);
  }
  const struct errors *ours = &errors[WAY_ENCODERS], *imu = &errors[WAY_IMU];
  const double of_encoders = sqrt(ours->ddq / imu->ddq);
  double of_imu[AXES];
  bool all = true;
  printf("%s, %g Hz, %d walks from seed %lu on: ddq %.3f of KF3's", robot, rate_hz, walks,
         test_seed() + 1, of_encoders);
  for (int i = 0; i < AXES; i++) {
    of_imu[i] = ours->com[i] / imu->com[i];
    all = all && of_imu[i] <= asked_of_imu[i];
    printf(", com acceleration %c %.3f of IMU only's", "xyz"[i], of_imu[i]);
  }
  printf("\n");
  for (int i = 0; i < AXES; i++) {
    ck_assert_double_lt(of_imu[i], least[i]);
  }
  ck_assert_double_lt(of_encoders, 1.02);
  asked(all);
}

START_TEST(thirty_joints_on_hard_ground_are_calm_between_strikes) {
  accelerations_are_calm("humanoid30", 1000.0, 4, 5.0);
}
END_TEST

START_TEST(eighteen_slow_joints_on_hard_ground_are_calm_between_strikes) {
  accelerations_are_calm("humanoid18", 100.0, 11, 8.0);
}
END_TEST

SUITE(thirty_joints_on_hard_ground_are_calm_between_strikes,
      eighteen_slow_joints_on_hard_ground_are_calm_between_strikes)
