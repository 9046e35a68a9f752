/* A robot of unknown inertia walks: joints and base as with its true masses, and nothing else. */
#include "support/pipeline_fixture.h"
#include "support/sim_fixture.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>

enum { RATE = 500 };

struct outcome {
  double tilt;      /* rad, root mean square */
  double height;    /* m, root mean square, after it stood */
  double dq;        /* rad/s, root mean square over all joints */
  double well;      /* share of the time with status ok */
  uint64_t of_mass; /* bits of `centroidal` that were ever set */
};

/* What the pipeline is told of the robot: all, or no masses. */
static struct robot *robot_known_as(enum urdf_inertia inertia) {
  struct robot_settings settings;
  struct robot *robot = NULL;
  struct message error;
  ck_assert_int_eq(stock_robot_settings("humanoid30", &settings), STATUS_OK);
  settings.cells[0] = '\0';
  settings.choices.inertia = inertia;
  ck_assert_msg(robot_load(&settings, "config/robots", &robot, &error) == STATUS_OK, "%s",
                error.text);
  return robot;
}

static void score(const struct estimates *out, const struct sim_truth *truth, size_t n_joints,
                  struct outcome *outcome) {
  const mat3 R = mat3_from_quat(out->state.quat_xyzw), *R_true = &truth->base.X_WB.R;
  const vec3 up = {R.m[2][0], R.m[2][1], R.m[2][2]},
             true_up = {R_true->m[2][0], R_true->m[2][1], R_true->m[2][2]};
  const vec3 off = vec3_cross(up, true_up);
  const double high = out->state.base_position.z - truth->base.X_WB.p.z;
  outcome->tilt += vec3_dot(off, off);
  outcome->height += high * high;
  for (size_t j = 0; j < n_joints; j++) {
    const double e = out->state.dq[j] - truth->dq[j];
    outcome->dq += e * e / (double)n_joints;
  }
}

static struct outcome walk_known_as(enum urdf_inertia inertia) {
  struct stock_robot stock = test_robot("humanoid30");
  struct sim_options options = sim_defaults(stock.robot, stock.urdf, "walk");
  options.seed = 11;
  options.duration_s = 4.0;
  options.frame_rate_hz = RATE;
  options.stream[PROPRIOD_SHM_JOINTS].rate_hz = options.stream[PROPRIOD_SHM_IMU].rate_hz = RATE;
  options.stream[PROPRIOD_SHM_SKIN].rate_hz = 0.0;
  struct sim *sim = test_sim(&options);
  struct robot *robot = robot_known_as(inertia);
  struct pipeline *pipeline = test_pipeline_every(robot, 1.0 / RATE);
  static struct estimates out;
  struct outcome outcome = {.tilt = 0.0};
  size_t scored = 0;
  for (size_t k = 0; k < 4 * RATE && sim_step(sim) == STATUS_OK; k++) {
    struct sensor_frame frame = *sim_frame(sim);
    frame.skin.stamp.present = frame.skin.stamp.fresh = false;
    pipeline_step(pipeline, &frame, &out);
    outcome.of_mass |= out.centroidal.estimated;
    if (k >= RATE) {
      score(&out, sim_truth(sim), robot->model.n_joints, &outcome);
      outcome.well += out.state.status == PROPRIOD_STATUS_OK;
      scored++;
    }
  }
  outcome.tilt = sqrt(outcome.tilt / (double)scored);
  outcome.height = sqrt(outcome.height / (double)scored);
  outcome.dq = sqrt(outcome.dq / (double)scored);
  outcome.well /= (double)scored;
  sim_destroy(sim);
  robot_destroy(robot);
  robot_destroy(stock.robot);
  return outcome;
}

START_TEST(without_masses_joints_and_base_are_as_good_and_nothing_else_is_told) {
  const struct outcome given = walk_known_as(URDF_INERTIA_GIVEN),
                       unknown = walk_known_as(URDF_INERTIA_UNKNOWN);
  printf("given:   tilt %.4f rad, height %.4f m, dq %.4f rad/s, ok %.1f %%\n", given.tilt,
         given.height, given.dq, 100.0 * given.well);
  printf("unknown: tilt %.4f rad, height %.4f m, dq %.4f rad/s, ok %.1f %%\n", unknown.tilt,
         unknown.height, unknown.dq, 100.0 * unknown.well);
  ck_assert_uint_eq(unknown.of_mass, 0);
  ck_assert_uint_ne(given.of_mass, 0);
  ck_assert_double_lt(unknown.tilt, 1.2 * given.tilt);
  ck_assert_double_lt(unknown.height, 1.2 * given.height);
  ck_assert_double_lt(unknown.dq, 1.05 * given.dq);
  ck_assert_double_gt(unknown.well, given.well - 0.02);
}
END_TEST

SUITE(without_masses_joints_and_base_are_as_good_and_nothing_else_is_told)
