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
static mat3 yaw_to_truth(const struct propriod_state *state, const struct sim_truth *truth) {
  const mat3 R = mat3_from_quat(state->quat_xyzw);
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

static void compare_joints(enum quantity quantity, const struct propriod_state *state,
                           const struct sim_truth *truth, struct quantity_error *out) {
  const bool sd = (state->estimated & PROPRIOD_STATE_DEVIATIONS) != 0;
  const size_t n = truth->n_joints;
  if (quantity == QUANTITY_Q && (state->estimated & PROPRIOD_STATE_Q) != 0) {
    set_joints(state->q, truth->q, state->q_sd, n, sd, out);
  } else if (quantity == QUANTITY_DQ && (state->estimated & PROPRIOD_STATE_DQ) != 0) {
    set_joints(state->dq, truth->dq, state->dq_sd, n, sd, out);
  } else if (quantity == QUANTITY_DDQ && (state->estimated & PROPRIOD_STATE_DDQ) != 0) {
    set_joints(state->ddq, truth->ddq, state->ddq_sd, n, sd, out);
  }
}

/* Rotation from the true vertical to the estimated one, about the two horizontal axes. */
static void compare_tilt(const struct propriod_state *state, const struct sim_truth *truth,
                         struct quantity_error *out) {
  const mat3 R = mat3_from_quat(state->quat_xyzw);
  const vec3 up_B = vec3_from(R.m[2]);
  const vec3 up_W = mat3_mul_vec3(&truth->base.X_WB.R, up_B); /* z when right */
  out->n = 2;
  out->error[0] = up_W.y;
  out->error[1] = -up_W.x;
  out->sd[0] = out->sd[1] =
      (state->estimated & PROPRIOD_STATE_BASE_SD) != 0 ? state->tilt_sd : (double)NAN;
}

static const vec3 *if_known(bool known, const vec3 *sd) {
  return known ? sd : NULL;
}

static void compare_base(enum quantity quantity, const struct propriod_state *state,
                         const struct quantity_truth *with, struct quantity_error *out) {
  const struct sim_truth *truth = with->truth;
  const uint64_t has = state->estimated;
  const bool attitude = (has & PROPRIOD_STATE_BASE_ATTITUDE) != 0,
             sd = (has & PROPRIOD_STATE_BASE_SD) != 0;
  if (quantity == QUANTITY_TILT && attitude) {
    compare_tilt(state, truth, out);
  } else if (quantity == QUANTITY_RATE && (has & PROPRIOD_STATE_BASE_RATE) != 0) {
    set_vec3(vec3_sub(state->base_angular_velocity, truth->base.v_B.ang),
             if_known(sd, &state->base_angular_velocity_sd), out);
  } else if (quantity == QUANTITY_ANG_ACC && (has & PROPRIOD_STATE_BASE_ANG_ACC) != 0) {
    set_vec3(vec3_sub(state->base_angular_acceleration, truth->base.a_B.ang),
             if_known(sd, &state->base_angular_acceleration_sd), out);
  } else if (quantity == QUANTITY_FORCE && (has & PROPRIOD_STATE_BASE_FORCE) != 0) {
    set_vec3(vec3_sub(state->base_specific_force, truth->base.a_B.lin),
             if_known(sd, &state->base_specific_force_sd), out);
  } else if (quantity == QUANTITY_VELOCITY && attitude &&
             (has & PROPRIOD_STATE_BASE_VELOCITY) != 0) {
    const mat3 turn = yaw_to_truth(state, truth);
    const vec3 v = mat3_mul_vec3(&turn, state->base_velocity);
    set_vec3(vec3_sub(v, truth->base_velocity_W), if_known(sd, &state->base_velocity_sd), out);
  } else if (quantity == QUANTITY_HEIGHT && (has & PROPRIOD_STATE_BASE_POSITION) != 0) {
    out->n = 1;
    out->error[0] = state->base_position.z - truth->base.X_WB.p.z;
    out->sd[0] = sd ? state->base_position_sd.z : (double)NAN;
  } else if (quantity == QUANTITY_GYRO_BIAS && (has & PROPRIOD_STATE_IMU_BIASES) != 0) {
    const vec3 bias_B = mat3_mul_vec3(&with->robot->imu_placement.R, truth->gyro_bias);
    set_vec3(vec3_sub(state->gyro_bias, bias_B), if_known(sd, &state->gyro_bias_sd), out);
  }
}

static void compare_centroidal(enum quantity quantity, const struct estimates *estimates,
                               const struct sim_truth *truth, struct quantity_error *out) {
  const struct propriod_state *state = &estimates->state;
  const struct propriod_centroidal *c = &estimates->centroidal;
  const mat3 turn = yaw_to_truth(state, truth);
  const bool sd = (c->estimated & PROPRIOD_CENTROIDAL_SD) != 0;
  const vec3 touch_W = vec3_add(truth->ground_W.lin, truth->push_force_W);
  const struct {
    enum quantity quantity;
    uint64_t bit;
    vec3 estimate, truth;
    const vec3 *sd;
  } vectors[] = {
      {QUANTITY_COM_VELOCITY, PROPRIOD_CENTROIDAL_COM_VELOCITY, c->com_velocity,
       truth->com_velocity_W, &c->com_velocity_sd},
      {QUANTITY_COM_ACC, PROPRIOD_CENTROIDAL_COM_ACC, c->com_acceleration,
       truth->com_acceleration_W, &c->com_acceleration_sd},
      {QUANTITY_MOMENTUM, PROPRIOD_CENTROIDAL_MOMENTUM, c->angular_momentum,
       truth->angular_momentum_W, &c->angular_momentum_sd},
      {QUANTITY_MOMENTUM_RATE, PROPRIOD_CENTROIDAL_MOMENTUM_RATE, c->angular_momentum_rate,
       truth->angular_momentum_rate_W, &c->angular_momentum_rate_sd},
      {QUANTITY_CONTACT_FORCE, PROPRIOD_CENTROIDAL_WRENCH, c->contact_force, touch_W,
       &c->contact_force_sd},
      {QUANTITY_COM, PROPRIOD_CENTROIDAL_COM, vec3_sub(c->com_position, state->base_position),
       vec3_sub(truth->com_W, truth->base.X_WB.p), &c->com_in_base_sd},
      {QUANTITY_COP, PROPRIOD_CENTROIDAL_COP, vec3_sub(c->cop_position, state->base_position),
       vec3_sub(truth->cop_W, truth->base.X_WB.p), &c->cop_sd},
  };
  for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
    if (vectors[i].quantity == quantity && (c->estimated & vectors[i].bit) != 0) {
      const vec3 e = vec3_sub(mat3_mul_vec3(&turn, vectors[i].estimate), vectors[i].truth);
      set_vec3(e, if_known(sd, vectors[i].sd), out);
    }
  }
  if (quantity == QUANTITY_COP && out->n > 0) {
    out->n = truth->cop_valid ? 2 : 0;
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
