/* The body's motion without skin: null-jerk Kalman filters on every encoder and on the gyro's axes,
 * the accelerometer carried to the base's origin. What the joint filter is held against. */
#ifndef ENCODER_MOTION_H
#define ENCODER_MOTION_H

#include "propriod/state.h"
#include "robot/robot.h"
#include "robot/sensor_frame.h"
#include "support/encoder_kalman.h"

struct encoder_tuning {
  double joint[MODEL_MAX_JOINTS];   /* (rad/s^3)^2 s: density of white jerk */
  double gyro;                      /* (rad/s^3)^2 s */
  double encoder_noise, gyro_noise; /* rad, rad/s: per sample */
};

struct encoder_motion {
  const struct robot *robot;
  struct encoder_tuning tuning;
  struct encoder_kalman joint[MODEL_MAX_JOINTS];
  struct encoder_kalman gyro[3];
  bool started;
};

/* Estimates at one frame; streams must be fresh in every frame. */
void encoder_motion_step(struct encoder_motion *m, const struct sensor_frame *frame, double dt,
                         struct propriod_state *state);

/* The density with which a filter of `order` states comes nearest to `truth`, the derivative
 * number `wanted` of `z`. */
double best_density(const double *z, const double *truth, size_t n, unsigned order, int wanted,
                    double noise, double dt);

#endif
