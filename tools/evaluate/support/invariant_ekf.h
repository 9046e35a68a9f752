/* What others run: the contact-aided right-invariant extended Kalman filter of Hartley, Jadidi,
 * Grizzle and Eustice, "Contact-Aided Invariant Extended Kalman Filtering for Legged Robot State
 * Estimation", RSS 2018, written from the paper as a baseline.
 *
 * State: orientation, velocity and position of the IMU, the place of every standing foot, and the
 * biases of gyroscope and accelerometer. The error eta = X_est X^-1 = exp(xi) is right-invariant,
 * so that its dynamics do not depend on the state but through the biases. Errors in the order
 * xi_R, xi_v, xi_p, xi_d (of each foot), bias of the gyroscope, bias of the accelerometer. */
#ifndef INVARIANT_EKF_H
#define INVARIANT_EKF_H

#include "body/kinematics.h"
#include "robot/robot.h"

enum { INVARIANT_FEET = 4, INVARIANT_STATES = 9 + 3 * INVARIANT_FEET + 6 };

/* Standard deviations; of the continuous noises per square root of a second where integrated. */
struct invariant_settings {
  double gyro, accelerometer;           /* rad/s, m/s^2 */
  double gyro_bias, accelerometer_bias; /* rad/s^2, m/s^3: their random walks */
  double contact;                       /* m/s: a standing foot */
  double encoder;                       /* rad */
  double start_tilt, start_velocity, start_gyro_bias, start_accelerometer_bias;
};

/* The settings that its authors publish with their implementation, encoders and start as in their
 * paper. [any] */
struct invariant_settings invariant_defaults(void);

struct invariant_ekf {
  const struct robot *robot;
  struct invariant_settings settings;
  struct kinematics kin;
  double *jacobian; /* [6][6 + n_joints] scratch */
  bool started, stands[INVARIANT_FEET];
  int64_t t_ns;
  mat3 R;                             /* IMU to world */
  vec3 v, p;                          /* m/s, m: of the IMU, world */
  vec3 d[INVARIANT_FEET];             /* m: standing feet, world */
  vec3 gyro_bias, accelerometer_bias; /* rad/s, m/s^2: IMU */
  double P[INVARIANT_STATES][INVARIANT_STATES];
  void *memory;
};

/* [start] Free with invariant_ekf_free. False: no memory. */
bool invariant_ekf_init(struct invariant_ekf *ekf, const struct robot *robot,
                        const struct invariant_settings *settings);
void invariant_ekf_free(struct invariant_ekf *ekf);

/* One sample of IMU and encoders at t_ns; `stands`: which feet carry. [any] The first starts it at
 * rest, upright by the accelerometer. */
void invariant_ekf_step(struct invariant_ekf *ekf, int64_t t_ns, vec3 specific_force,
                        vec3 angular_rate, const double *q, const bool stands[INVARIANT_FEET]);

/* The base link as it is believed to be: pose in the world, velocity of its origin. [any] After a
 * step. */
void invariant_ekf_base(const struct invariant_ekf *ekf, vec3 angular_rate, struct pose *X_WB,
                        vec3 *velocity_W);

#endif
