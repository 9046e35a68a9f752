/* What encoders, IMU and force/torque sensors make of the truth. */
#ifndef SIM_SENSORS_H
#define SIM_SENSORS_H

#include "robot/sensor_frame.h"
#include "sim_drives.h"
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

enum { SIM_IMUS = 1 + ROBOT_MAX_LIMBS }; /* the base's first, then those on limbs */

/* An IMU with what is wrong with it, all in its axes. */
struct sim_imu {
  size_t link;
  struct pose placement;       /* where it really is, in its link's frame */
  vec3 force_bias, rate_bias;  /* m/s^2, rad/s: now */
  mat3 force_gain, rate_gain;  /* about 1, with the axes' leaning */
  mat3 rate_per_force;         /* rad/s by m/s^2 */
  struct imu_triads passed[2]; /* what its low-pass filter lets through after each of two stages */
};

/* The sensors with what is wrong with each of them. */
struct sim_sensors {
  const struct robot *robot;
  struct sim_joint_noise joint_noise;
  struct sim_imu_noise imu_noise;
  struct sim_wrench_noise wrench_noise;
  struct sim_random joint_random, velocity_random, effort_random, imu_random, wrench_random;
  struct sim_random slow_random, walk_random;
  double effort_gain[MODEL_MAX_JOINTS]; /* about 1 */
  double effort_slow[MODEL_MAX_JOINTS]; /* N m or N, coloured error of the last sample */
  double effort_keep; /* share of the coloured error that stays until the next sample */
  struct sim_drives drives;
  double period_s;    /* between two instants */
  double filter_keep; /* share of what each stage of an IMU's filter had that it keeps; 0: none */
  bool has_passed;    /* the filters have begun */
  size_t n_imus;
  struct sim_imu imu[SIM_IMUS];
  struct force wrench_bias[ROBOT_MAX_WRENCH];                       /* N m, N */
  mat3 force_gain[ROBOT_MAX_WRENCH], moment_gain[ROBOT_MAX_WRENCH]; /* about 1, with crosstalk */
  mat3 moment_by_force[ROBOT_MAX_WRENCH];                           /* m: crosstalk */
};

/* Draws the constant errors from the options' seed. [start] */
void sim_sensors_init(struct sim_sensors *sensors, const struct sim_options *options);

/* Whether every instant counts, read or not: something has a memory. [any] */
bool sim_sensors_live(const struct sim_sensors *sensors);

/* What goes on in drives and IMUs whether they are read or not. [any] Once a sensor period, before
 * the readings of that instant. `velocity` and `acceleration` [n_links] as the links feel them. */
void sim_sensors_step(struct sim_sensors *sensors, const struct sim_truth *truth,
                      const struct motion *velocity, const struct motion *acceleration);

/* rad/s, axes of the first IMU: what its gyroscope reads at rest where its link stands like `X_WL`,
 * noise aside. [any] */
vec3 sim_gyro_at_rest(const struct sim_sensors *sensors, const struct pose *X_WL);

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
