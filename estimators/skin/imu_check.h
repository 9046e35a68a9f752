/* Whether the IMU reads what the body feels: axes swapped or inverted.
 *
 * The skin of the link that carries the IMU feels the same motion without knowing the IMU. Its
 * fused angular acceleration, integrated, is compared with the gyro, both without their slow parts;
 * its specific force, moved to the IMU's place, with the accelerometer. Of the 48 ways in which
 * three signed axes can be taken for three others the one with the smallest sum of squares tells
 * how each triad is really mounted, as soon as the others are out by five deviations. Nothing is
 * said before motion has told.
 *
 * Pure and of fixed size: no memory of its own is asked for. */
#ifndef IMU_CHECK_H
#define IMU_CHECK_H

#include "robot/robot.h"
#include "robot/sensor_frame.h"
#include "skin/skin_fusion.h"

/* What speaks against the IMU; state_estimate.imu_suspect. Axes are those of the IMU. */
#define IMU_GYRO_X          (1u << 0) /* reads another axis, or its own with the wrong sign */
#define IMU_GYRO_Y          (1u << 1)
#define IMU_GYRO_Z          (1u << 2)
#define IMU_ACCELEROMETER_X (1u << 3)
#define IMU_ACCELEROMETER_Y (1u << 4)
#define IMU_ACCELEROMETER_Z (1u << 5)
#define IMU_FROZEN          (1u << 6) /* a triad repeats itself while the robot moves */

enum { IMU_CHECK_READINGS = 32 };

/* A triad of the IMU against what the skin says that it should read, both in IMU axes. */
struct triad_match {
  double moment[3][3];            /* sum of reading times expectation, fading */
  double reading[3], expected[3]; /* fading sums of their squares */
  double weight;                  /* s: the same sum of ones */
  int8_t axis[3]; /* +-(k+1): the axis that reading i really is of; 0: not known yet */
};

struct imu_check {
  const struct robot *robot;
  struct triad_match gyro, accelerometer;
  struct {
    int64_t t_ns;
    vec3 force, rate;            /* m/s^2; rad/s without its slow part */
  } reading[IMU_CHECK_READINGS]; /* the newest ones, in a ring */
  unsigned newest;
  struct imu_reading last; /* as it came */
  vec3 rate_once;          /* rad/s: the gyro after the first of two high passes */
  vec3 omega, omegadot;    /* rad/s, rad/s^2: the skin's, link axes; omega through one high pass */
  vec3 rate_skin;          /* rad/s: through two */
  int64_t skin_ns;         /* of the last skin, 0 for none */
};

/* Forgets all. [any] `robot` must outlive it. */
void imu_check_reset(struct imu_check *check, const struct robot *robot);

/* Takes over what `previous` has found, unless the IMU is said to sit elsewhere now. [real-time] */
void imu_check_adopt(struct imu_check *check, const struct imu_check *previous);

/* Takes the IMU's new reading, where there is one. [real-time] */
void imu_check_reading(struct imu_check *check, const struct imu_reading *imu);

/* Takes the fused skin of the IMU's link, sampled at t_ns. [real-time] Does nothing with one that
 * is not newer than the last, or has too few cells. */
void imu_check_skin(struct imu_check *check, const struct link_skin *skin, int64_t t_ns);

/* IMU_* bits of axes; 0 when nothing speaks against them. [any] */
uint32_t imu_check_suspect(const struct imu_check *check);

#endif
