/* What encoders, IMU and force/torque sensors make of the truth. */
#ifndef SIM_SENSORS_H
#define SIM_SENSORS_H

#include "robot/sensor_frame.h"
#include "sim_options.h"
#include "sim_random.h"
#include "sim_truth.h"

/* Samples as they travel, laid out for a struct sensor_frame to point into. */
struct joint_sample {
  double q[MODEL_MAX_JOINTS], dq[MODEL_MAX_JOINTS], tau[MODEL_MAX_JOINTS];
};
struct imu_sample {
  vec3 specific_force, angular_rate; /* m/s^2, rad/s; IMU frame */
  quat orientation;                  /* of the IMU frame in W */
  struct imu_triads limb[ROBOT_MAX_LIMBS];
};
struct wrench_sample {
  struct force wrench[ROBOT_MAX_WRENCH];
};

/* The sensors with what is wrong with each of them. */
struct sim_sensors {
  const struct robot *robot;
  struct sim_joint_noise joint_noise;
  struct sim_imu_noise imu_noise;
  struct sim_wrench_noise wrench_noise;
  struct sim_random joint_random, velocity_random, effort_random, imu_random, wrench_random;
  struct sim_random slow_random;
  double effort_gain[MODEL_MAX_JOINTS]; /* about 1 */
  double effort_slow[MODEL_MAX_JOINTS]; /* N m or N, coloured error of the last sample */
  double effort_keep;         /* share of the coloured error that stays until the next sample */
  struct pose imu_placement;  /* where the IMU really is, in its link's frame */
  vec3 force_bias, rate_bias; /* m/s^2, rad/s: of the IMU */
  struct pose limb_placement[ROBOT_MAX_LIMBS]; /* the same of the IMUs on limbs */
  struct imu_triads limb_bias[ROBOT_MAX_LIMBS];
  struct force wrench_bias[ROBOT_MAX_WRENCH]; /* N m, N */
};

/* Draws the constant errors from the options' seed. [start] */
void sim_sensors_init(struct sim_sensors *sensors, const struct sim_options *options);

/* One reading each of the truth at hand. [any] `velocity` and `acceleration`
 * [n_links] are those of truth_taker.h; `X_WL` is the pose of the IMU's link. */
void sim_read_joints(struct sim_sensors *sensors, const struct sim_truth *truth,
                     struct joint_sample *out);
void sim_read_imu(struct sim_sensors *sensors, const struct motion *velocity,
                  const struct motion *acceleration, const struct pose *X_WL,
                  struct imu_sample *out);

/* `wrench` is that of the contacts on the sensor's link, world axes, about the world's origin;
 * `X_WL` the pose of that link. `t` seconds from the start, for drift. */
struct force sim_read_wrench(struct sim_sensors *sensors, size_t k, double t,
                             const struct force *wrench_W, const struct pose *X_WL);

#endif
