#include "joints/joint_filter_core.h"

/* Feet that are points are balls, and roll: by so much, m^2/s, when their radius is 2 cm and their
 * legs turn by 1 rad/s for a quarter of a second, (0.02 m x 1 rad/s)^2 x 0.25 s. Those whose radius
 * is known too: their rubber yields and creeps. */
static const double BALLS_ROLL = 1e-4;

static double square(double x) {
  return x * x;
}

mat3 joint_filter_bias_axes(const struct joint_filter *f) {
  const mat3 base = MAT3_IDENTITY;
  return f->robot->imu_link == 0 ? base : f->imu.R;
}

struct joint_densities joint_filter_densities(const struct joint_filter *f) {
  const struct joint_base_settings *base = &f->settings.base;
  const bool points = f->layout.n_feet > f->layout.n_soles;
  const double sole = square(base->sole_walk), twist = square(base->sole_twist);
  return (struct joint_densities){.joint = f->density,
                                  .ang = f->liveliness[IMU_GYRO].density,
                                  .lin = f->liveliness[IMU_ACCELEROMETER].density,
                                  .bias = f->bias_prior,
                                  .bias_ang = f->bias_ang_prior,
                                  .bias_lin = f->bias_lin_prior,
                                  .bias_time = f->settings.link_bias_time,
                                  .velocity = square(base->velocity_walk),
                                  .gyro_bias = square(base->gyro_walk),
                                  .accelerometer_bias = square(base->accelerometer_walk),
                                  .foot = square(base->foot_walk) + (points ? BALLS_ROLL : 0.0),
                                  .sole = {sole, sole},
                                  .sole_twist = {twist, twist}};
}
