#include "quantity.h"

#include <string.h>

static const double degree = M_PI / 180.0;

static const struct quantity_row rows[QUANTITIES] = {
    [QUANTITY_Q] = {"q", "mrad", 1e3, 0.02, false},
    [QUANTITY_DQ] = {"dq", "rad/s", 1.0, 2.0, false},
    [QUANTITY_DDQ] = {"ddq", "rad/s2", 1.0, 300.0, false},
    [QUANTITY_TILT] = {"tilt", "deg", 180.0 / M_PI, 1.5 * degree, false},
    [QUANTITY_RATE] = {"base rate", "rad/s", 1.0, 0.5, false},
    [QUANTITY_ANG_ACC] = {"base ang acc", "rad/s2", 1.0, 100.0, false},
    [QUANTITY_FORCE] = {"base force", "m/s2", 1.0, 20.0, false},
    [QUANTITY_VELOCITY] = {"base velocity", "mm/s", 1e3, 0.2, false},
    [QUANTITY_HEIGHT] = {"base height", "mm", 1e3, 0.1, false},
    [QUANTITY_GYRO_BIAS] = {"gyro bias", "mrad/s", 1e3, 0.1, false},
    [QUANTITY_COM] = {"com", "mm", 1e3, 0.05, true},
    [QUANTITY_COM_VELOCITY] = {"com velocity", "mm/s", 1e3, 0.2, true},
    [QUANTITY_COM_ACC] = {"com acc", "m/s2", 1.0, 20.0, true},
    [QUANTITY_MOMENTUM] = {"momentum", "kg m2/s", 1.0, 20.0, true},
    [QUANTITY_MOMENTUM_RATE] = {"momentum rate", "N m", 1.0, 500.0, true},
    [QUANTITY_COP] = {"cop", "mm", 1e3, 0.2, true},
    [QUANTITY_CONTACT_FORCE] = {"contact force", "N", 1.0, 1000.0, true},
};

const struct quantity_row *quantity_row(size_t quantity) {
  return quantity < QUANTITIES ? &rows[quantity] : NULL;
}

/* The estimate's world turned into the truth's: yaw is free. */
static mat3 yaw_to_truth(const struct state_estimate *state, const struct sim_truth *truth) {
  const mat3 R = mat3_from_quat(state->orientation);
  const double yaw = mat3_to_rpy(&truth->base.X_WB.R).z - mat3_to_rpy(&R).z;
  return mat3_from_rpy((vec3){0.0, 0.0, yaw});
}

static void set_joints(const double *estimate, const double *truth, const double *sd, size_t n,
                       bool has_sd, struct quantity_error *out) {
  out->n = n;
  for (size_t j = 0; j < n; j++) {
    out->error[j] = estimate[j] - truth[j];
    out->sd[j] = has_sd ? sd[j] : (double)NAN;
  }
}

static void set_vec3(vec3 error, const vec3 *sd, struct quantity_error *out) {
  const vec3 unknown = {(double)NAN, (double)NAN, (double)NAN};
  out->n = 3;
  vec3_to(error, out->error);
  vec3_to(sd != NULL ? *sd : unknown, out->sd);
}

static void compare_joints(enum quantity quantity, const struct state_estimate *state,
                           const struct sim_truth *truth, struct quantity_error *out) {
  const bool sd = (state->estimated & STATE_DEVIATIONS) != 0;
  const size_t n = truth->n_joints;
  if (quantity == QUANTITY_Q && (state->estimated & STATE_Q) != 0) {
    set_joints(state->q, truth->q, state->q_sd, n, sd, out);
  } else if (quantity == QUANTITY_DQ && (state->estimated & STATE_DQ) != 0) {
    set_joints(state->dq, truth->dq, state->dq_sd, n, sd, out);
  } else if (quantity == QUANTITY_DDQ && (state->estimated & STATE_DDQ) != 0) {
    set_joints(state->ddq, truth->ddq, state->ddq_sd, n, sd, out);
  }
}

/* Rotation from the true vertical to the estimated one, about the two horizontal axes. */
static void compare_tilt(const struct state_estimate *state, const struct sim_truth *truth,
                         struct quantity_error *out) {
  const mat3 R = mat3_from_quat(state->orientation);
  const vec3 up_B = vec3_from(R.m[2]);
  const vec3 up_W = mat3_mul_vec3(&truth->base.X_WB.R, up_B); /* z when right */
  out->n = 2;
  out->error[0] = up_W.y;
  out->error[1] = -up_W.x;
  out->sd[0] = out->sd[1] = (double)NAN;
}

static void compare_base(enum quantity quantity, const struct state_estimate *state,
                         const struct quantity_truth *with, struct quantity_error *out) {
  const struct sim_truth *truth = with->truth;
  const uint32_t has = state->estimated;
  const mat3 turn = yaw_to_truth(state, truth);
  const bool attitude = (has & STATE_BASE_ATTITUDE) != 0;
  if (quantity == QUANTITY_TILT && attitude) {
    compare_tilt(state, truth, out);
  } else if (quantity == QUANTITY_RATE && (has & STATE_BASE_RATE) != 0) {
    set_vec3(vec3_sub(state->omega_B, truth->base.v_B.ang), NULL, out);
  } else if (quantity == QUANTITY_ANG_ACC && (has & STATE_BASE_ANG_ACC) != 0) {
    set_vec3(vec3_sub(state->omegadot_B, truth->base.a_B.ang), NULL, out);
  } else if (quantity == QUANTITY_FORCE && (has & STATE_BASE_FORCE) != 0) {
    set_vec3(vec3_sub(state->specific_force_B, truth->base.a_B.lin), NULL, out);
  } else if (quantity == QUANTITY_VELOCITY && attitude && (has & STATE_BASE_VELOCITY) != 0) {
    const vec3 v = mat3_mul_vec3(&turn, state->velocity_W);
    set_vec3(vec3_sub(v, truth->base_velocity_W), NULL, out);
  } else if (quantity == QUANTITY_HEIGHT && (has & STATE_BASE_POSITION) != 0) {
    out->n = 1;
    out->error[0] = state->position_W.z - truth->base.X_WB.p.z;
    out->sd[0] = (double)NAN;
  } else if (quantity == QUANTITY_GYRO_BIAS && (has & STATE_GYRO_BIAS) != 0) {
    const vec3 bias_B = mat3_mul_vec3(&with->robot->imu_placement.R, with->gyro_bias);
    set_vec3(vec3_sub(state->gyro_bias_B, bias_B), NULL, out);
  }
}

static void compare_centroidal(enum quantity quantity, const struct estimates *estimates,
                               const struct sim_truth *truth, struct quantity_error *out) {
  const struct state_estimate *state = &estimates->state;
  const struct centroidal_estimate *c = &estimates->centroidal;
  const mat3 turn = yaw_to_truth(state, truth);
  const struct {
    enum quantity quantity;
    uint32_t bit;
    vec3 estimate, truth;
  } vectors[] = {
      {QUANTITY_COM_VELOCITY, CENTROIDAL_COM_VELOCITY, c->com_velocity_W, truth->com_velocity_W},
      {QUANTITY_COM_ACC, CENTROIDAL_COM_ACC, c->com_acceleration_W, truth->com_acceleration_W},
      {QUANTITY_MOMENTUM, CENTROIDAL_MOMENTUM, c->angular_momentum_W, truth->angular_momentum_W},
      {QUANTITY_MOMENTUM_RATE, CENTROIDAL_MOMENTUM_RATE, c->angular_momentum_rate_W,
       truth->angular_momentum_rate_W},
      {QUANTITY_CONTACT_FORCE, CENTROIDAL_WRENCH, c->contact_force_W, truth->ground_W.lin},
      {QUANTITY_COM, CENTROIDAL_COM_W, vec3_sub(c->com_W, state->position_W),
       vec3_sub(truth->com_W, truth->base.X_WB.p)},
      {QUANTITY_COP, CENTROIDAL_COP, vec3_sub(c->cop_W, state->position_W),
       vec3_sub(truth->cop_W, truth->base.X_WB.p)},
  };
  for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
    if (vectors[i].quantity == quantity && (c->estimated & vectors[i].bit) != 0) {
      const vec3 e = vec3_sub(mat3_mul_vec3(&turn, vectors[i].estimate), vectors[i].truth);
      set_vec3(e, NULL, out);
    }
  }
  if (quantity == QUANTITY_COP && out->n > 0) {
    out->n = truth->cop_valid ? 2 : 0;
    out->sd[0] = c->cop_sd_W.x;
    out->sd[1] = c->cop_sd_W.y;
  }
}

void quantity_compare(enum quantity quantity, const struct estimates *estimates,
                      const struct quantity_truth *with, struct quantity_error *out) {
  out->n = 0;
  if (quantity <= QUANTITY_DDQ) {
    compare_joints(quantity, &estimates->state, with->truth, out);
  } else if (quantity <= QUANTITY_GYRO_BIAS) {
    compare_base(quantity, &estimates->state, with, out);
  } else {
    compare_centroidal(quantity, estimates, with->truth, out);
  }
}
