#include "support/encoder_motion.h"

#include <math.h>
#include <stdlib.h>

static void encoder_motion_start(struct encoder_motion *m, const struct sensor_frame *frame,
                                 const double *gyro, double dt) {
  for (size_t j = 0; j < m->robot->model.n_joints; j++) {
    m->joint[j] = encoder_kalman_start(3, m->tuning.joint[j], m->tuning.encoder_noise, dt,
                                       frame->joints.q[j]);
  }
  for (int axis = 0; axis < 3; axis++) { /* its position is our rate */
    m->gyro[axis] = encoder_kalman_start(2, m->tuning.gyro, m->tuning.gyro_noise, dt, gyro[axis]);
  }
  m->started = true;
}

static vec3 kalman_state(const struct encoder_kalman gyro[3], int derivative) {
  return (vec3){gyro[0].x[derivative], gyro[1].x[derivative], gyro[2].x[derivative]};
}

void encoder_motion_step(struct encoder_motion *m, const struct sensor_frame *frame, double dt,
                         struct propriod_state *state) {
  const struct pose *imu = &m->robot->imu_placement;
  double gyro[3];
  vec3_to(mat3_mul_vec3(&imu->R, frame->imu.angular_rate), gyro);
  if (!m->started) {
    encoder_motion_start(m, frame, gyro, dt);
  }
  const size_t n = m->robot->model.n_joints;
  for (size_t j = 0; j < n; j++) {
    encoder_kalman_step(&m->joint[j], frame->joints.q[j]);
    state->q[j] = m->joint[j].x[0];
    state->dq[j] = m->joint[j].x[1];
    state->ddq[j] = m->joint[j].x[2];
    state->ddq_sd[j] = sqrt(m->joint[j].P[2][2]);
  }
  for (int axis = 0; axis < 3; axis++) {
    encoder_kalman_step(&m->gyro[axis], gyro[axis]);
  }
  const vec3 omega = kalman_state(m->gyro, 0), alpha = kalman_state(m->gyro, 1), r = imu->p;
  const vec3 f = mat3_mul_vec3(&imu->R, frame->imu.specific_force);
  state->base_angular_velocity = omega;
  state->base_angular_acceleration = alpha;
  state->base_specific_force =
      vec3_sub(vec3_sub(f, vec3_cross(alpha, r)), vec3_cross(omega, vec3_cross(omega, r)));
  state->n_joints = (uint32_t)n;
  state->t_ns = frame->t_ns;
  state->status = PROPRIOD_STATUS_OK;
  state->estimated = PROPRIOD_STATE_Q | PROPRIOD_STATE_DQ | PROPRIOD_STATE_DDQ |
                     PROPRIOD_STATE_DEVIATIONS | PROPRIOD_STATE_BASE_RATE |
                     PROPRIOD_STATE_BASE_ANG_ACC | PROPRIOD_STATE_BASE_FORCE;
}

double best_density(const double *z, const double *truth, size_t n, unsigned order, int wanted,
                    double noise, double dt) {
  double best = 0.0, least = HUGE_VAL;
  for (double density = 1e-2; density < 2e9; density *= 4.0) {
    struct encoder_kalman kf = encoder_kalman_start(order, density, noise, dt, z[0]);
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
      encoder_kalman_step(&kf, z[i]);
      const double e = kf.x[wanted] - truth[i];
      sum += i > n / 10 ? e * e : 0.0;
    }
    if (sum < least) {
      least = sum;
      best = density;
    }
  }
  return best;
}
