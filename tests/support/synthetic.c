#include "support/synthetic.h"

#include <stdio.h>
#include <string.h>

static struct joint synthetic_joint[SYNTHETIC_JOINTS];
static struct inertia synthetic_inertia[SYNTHETIC_JOINTS + 1];
static struct skin_cell synthetic_cell[SYNTHETIC_CELLS];
static char synthetic_link[SYNTHETIC_JOINTS + 1][MODEL_NAME_SIZE];
static int synthetic_parent[SYNTHETIC_JOINTS + 1];

struct robot synthetic_robot(void) {
  struct robot robot = {.n_cells = SYNTHETIC_CELLS, .cell = synthetic_cell, .n_feet = 2};
  snprintf(robot.model.name, MODEL_NAME_SIZE, "made_up");
  robot.model.n_joints = SYNTHETIC_JOINTS;
  robot.model.n_links = SYNTHETIC_JOINTS + 1;
  robot.model.joint = synthetic_joint;
  robot.model.inertia = synthetic_inertia;
  robot.model.link_name = synthetic_link;
  robot.model.parent = synthetic_parent;
  for (int i = 0; i <= SYNTHETIC_JOINTS; i++) {
    snprintf(synthetic_link[i], MODEL_NAME_SIZE, "link_%d", i);
    synthetic_parent[i] = i - 1;
    synthetic_inertia[i].m = 60.0 / (SYNTHETIC_JOINTS + 1);
  }
  for (int j = 0; j < SYNTHETIC_JOINTS; j++) {
    snprintf(synthetic_joint[j].name, MODEL_NAME_SIZE, "joint_%d", j);
    synthetic_joint[j].type = j == SYNTHETIC_JOINTS - 1 ? JOINT_PRISMATIC : JOINT_REVOLUTE;
  }
  for (int i = 0; i < SYNTHETIC_CELLS; i++) {
    synthetic_cell[i].link = (size_t)(i % (SYNTHETIC_JOINTS + 1));
  }
  snprintf(robot.foot[0].name, MODEL_NAME_SIZE, "left_sole");
  snprintf(robot.foot[1].name, MODEL_NAME_SIZE, "right_sole");
  return robot;
}

void synthetic_fill(double *value, int n, double base) {
  for (int i = 0; i < n; i++) {
    value[i] = base + i;
  }
}

void synthetic_estimates(struct estimates *estimates, uint64_t seq, int64_t t_ns) {
  struct propriod_state *s = &estimates->state;
  struct propriod_centroidal *c = &estimates->centroidal;
  memset(estimates, 0, sizeof(*estimates));
  s->seq = c->seq = seq;
  s->t_ns = c->t_ns = t_ns;
  s->status = c->status = PROPRIOD_STATUS_OK;
  s->estimated = c->estimated = UINT32_MAX;
  s->n_joints = SYNTHETIC_JOINTS;
  s->resets = 3;
  s->imu_suspect = 66;
  double *const arrays[] = {s->q, s->dq, s->ddq, s->jerk, s->q_sd, s->dq_sd, s->ddq_sd, s->effort};
  for (int a = 0; a < 8; a++) {
    synthetic_fill(arrays[a], SYNTHETIC_JOINTS, 1000.0 * (a + 1) + 0.25);
  }
  for (int j = 0; j < SYNTHETIC_JOINTS; j++) {
    s->joint_health[j] = (uint8_t)(j + 100);
  }
  s->quat_xyzw = (quat){0.1, 0.2, 0.3, 0.9};
  vec3 *const vectors[] = {&s->base_position,
                           &s->base_velocity,
                           &s->base_angular_velocity,
                           &s->base_angular_acceleration,
                           &s->base_specific_force,
                           &s->gyro_bias,
                           &s->accelerometer_bias,
                           &s->base_orientation_sd,
                           &s->base_position_sd,
                           &s->base_velocity_sd,
                           &s->base_angular_velocity_sd,
                           &s->base_angular_acceleration_sd,
                           &s->base_specific_force_sd,
                           &s->gyro_bias_sd,
                           &s->accelerometer_bias_sd,
                           &c->com_in_base,
                           &c->com_position,
                           &c->com_velocity,
                           &c->com_acceleration,
                           &c->angular_momentum,
                           &c->angular_momentum_rate,
                           &c->cop_position,
                           &c->dcm_position,
                           &c->cop_sd,
                           &c->com_from_support,
                           &c->contact_force,
                           &c->capture_point,
                           &c->cop_disagreement,
                           &c->push_force,
                           &c->push_impulse,
                           &c->five_mass_com,
                           &c->five_mass_acceleration,
                           &c->five_mass_angular_momentum,
                           &c->inertia_angles,
                           &c->inertia_rate,
                           &c->inertia_acceleration,
                           &c->inertia_moments,
                           &c->com_in_base_sd,
                           &c->com_position_sd,
                           &c->com_velocity_sd,
                           &c->com_acceleration_sd,
                           &c->angular_momentum_sd,
                           &c->angular_momentum_rate_sd,
                           &c->dcm_sd,
                           &c->contact_force_sd,
                           &c->push_force_sd};
  for (size_t v = 0; v < sizeof(vectors) / sizeof(vectors[0]); v++) {
    *vectors[v] = (vec3){10.0 * (double)v + 0.1, 10.0 * (double)v + 0.2, 10.0 * (double)v + 0.3};
  }
  c->inertia_orientation = (quat){0.2, 0.1, 0.4, 0.8};
  s->tilt_sd = 0.04;
  s->nis_encoders = 0.91;
  s->nis_imu = 0.92;
  s->nis_skin = 0.93;
  c->mass = 67.5;
  c->n_feet = 2;
  c->support_phase = 3;
  c->support_foot = 1;
  c->support_slips = 1;
  c->push_active = 1;
  c->push_observable = 1;
  c->push_count = 12;
  c->support_margin = 0.0375;
  c->foot_force[0] = 321.5;
  c->foot_force[1] = 123.5;
  c->support_share[0] = 0.25;
  c->support_share[1] = 0.75;
}

struct inertia_estimate synthetic_inertia_estimate(int64_t t_ns) {
  struct inertia_estimate inertia = {.t_ns = t_ns,
                                     .status = PROPRIOD_STATUS_DEGRADED,
                                     .misaligned = true,
                                     .delay = {.known = true, .s = 0.004, .sd_s = 0.0005},
                                     .torque_delay = {.known = true, .s = 0.003, .sd_s = 0.0002},
                                     .name = {"torso", "hand"},
                                     .result = {.state = INERTIAL_RUNNING,
                                                .source = INERTIAL_FROM_SENSORS,
                                                .missing = INERTIAL_NEEDS_TORQUE,
                                                .snapshot = 7,
                                                .n_links = 2,
                                                .calibrated = true,
                                                .nis = 1.25,
                                                .detector = 0.5,
                                                .gain = 3.5,
                                                .counters = {11, 12, 13, 14, 15, 16, 17, 18}}};
  for (int k = 0; k < 2; k++) {
    struct inertial_link_estimate *link = &inertia.result.link[k];
    const double at = 100.0 * (k + 1);
    double ten[INERTIA_PARAMETERS];
    synthetic_fill(ten, INERTIA_PARAMETERS, at);
    link->published = inertia_from(ten);
    synthetic_fill(ten, INERTIA_PARAMETERS, at + 10.0);
    link->estimate = inertia_from(ten);
    link->mass_sd = 0.25 + k;
    link->com_sd = (vec3){at + 7, at + 8, at + 9};
    synthetic_fill(&link->covariance[0][0], INERTIA_PARAMETERS * INERTIA_PARAMETERS, at);
    link->known = INERTIAL_KNOWS_MASS | INERTIAL_KNOWS_SHAPE;
    link->observable = INERTIAL_KNOWS_COM_Y;
  }
  return inertia;
}
