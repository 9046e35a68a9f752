/* What base, momentum, contacts and five masses cost a cycle beyond the kinematics. */
#include "centroidal/centroidal_estimator.h"
#include "support/bench_clock.h"

#include "sim.h"
#include "stock_robot.h"
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FRAMES = 3000 };

static double median(double *value, size_t n) {
  qsort(value, n, sizeof(*value), by_value);
  return value[n / 2];
}

static struct propriod_state state;
static struct propriod_centroidal out;
static double all_us[FRAMES], kinematics_us[FRAMES];

/* Joints and base as they are; the estimator's work does not depend on how good they are. */
static void take_truth(const struct sim_truth *truth, const struct sensor_frame *frame) {
  const size_t bytes = truth->n_joints * sizeof(double);
  memcpy(state.q, truth->q, bytes);
  memcpy(state.dq, truth->dq, bytes);
  memcpy(state.ddq, truth->ddq, bytes);
  memcpy(state.effort, truth->tau, bytes);
  state.n_joints = (uint32_t)truth->n_joints;
  state.base_angular_velocity = truth->base.v_B.ang;
  state.base_angular_acceleration = truth->base.a_B.ang;
  state.base_specific_force = truth->base.a_B.lin;
  state.quat_xyzw = quat_from_mat3(&truth->base.X_WB.R);
  state.base_velocity = mat3_mul_vec3(&truth->base.X_WB.R, truth->base.v_B.lin);
  state.base_position = truth->base.X_WB.p;
  state.t_ns = frame->t_ns;
  state.estimated = PROPRIOD_STATE_Q | PROPRIOD_STATE_DQ | PROPRIOD_STATE_DDQ |
                    PROPRIOD_STATE_DEVIATIONS | PROPRIOD_STATE_BASE_RATE |
                    PROPRIOD_STATE_BASE_ANG_ACC | PROPRIOD_STATE_BASE_FORCE |
                    PROPRIOD_STATE_EFFORT | PROPRIOD_STATE_BASE_ATTITUDE |
                    PROPRIOD_STATE_BASE_VELOCITY | PROPRIOD_STATE_BASE_POSITION;
}

static double time_kinematics(struct kinematics *kin, const struct sim_truth *truth) {
  const struct robot_motion motion = {
      .base = truth->base, .q = truth->q, .dq = truth->dq, .ddq = truth->ddq};
  const double before = now_us();
  require(kinematics_update(kin, &motion) == STATUS_OK);
  return now_us() - before;
}

int main(void) {
  struct stock_robot stock;
  struct message error;
  struct sim *sim;
  struct centroidal_estimator *estimator;
  struct kinematics kin;
  const struct centroidal_settings settings = centroidal_defaults();
  struct arena arena = {0};
  require(stock_robot_load("humanoid30", "config/robots", &stock, &error) == STATUS_OK);
  struct sim_options options = sim_defaults(stock.robot, stock.urdf, "walk");
  options.stream[PROPRIOD_SHM_SKIN].rate_hz = 0.0;
  options.stream[PROPRIOD_SHM_WRENCH].rate_hz = 0.0; /* the dearer way: feet from torques */
  require(sim_create(&sim, &options, &error) == STATUS_OK);
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      arena = arena_over(aligned_alloc(ARENA_ALIGN, arena.used), arena.used);
    }
    require(centroidal_init(&estimator, stock.robot, &settings, &arena) == STATUS_OK);
    require(kinematics_init(&kin, &stock.robot->model, &arena) == STATUS_OK);
  }
  for (int i = 0; i < FRAMES; i++) {
    require(sim_step(sim) == STATUS_OK);
    const struct sim_truth *truth = sim_truth(sim);
    take_truth(truth, sim_frame(sim));
    kinematics_us[i] = time_kinematics(&kin, truth);
    const double before = now_us();
    centroidal_estimate_step(estimator, sim_frame(sim), stock.robot->model.inertia, NULL, &state,
                             &out);
    all_us[i] = now_us() - before;
  }
  require((out.estimated & PROPRIOD_CENTROIDAL_COP) != 0 &&
          (out.estimated & PROPRIOD_CENTROIDAL_FEET) != 0);
  /* the first second waits for rest */
  const double all = median(all_us + FRAMES / 2, FRAMES / 2),
               kinematics = median(kinematics_us + FRAMES / 2, FRAMES / 2);
  printf("{\"name\": \"centroidal_humanoid30\", \"value\": %.2f, \"unit\": \"us\", "
         "\"kinematics_us\": %.2f, \"limit\": 15}\n",
         all - kinematics, kinematics);
  sim_destroy(sim);
  free(arena.base);
  robot_destroy(stock.robot);
  return 0;
}
