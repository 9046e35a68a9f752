/* What cannot be a measurement counts as not given: it becomes NaN before any
 * estimator integrates or learns from it.
 *
 * An IMU axis at or beyond its range is saturated and tells no more than a bound; broken words are
 * far beyond what any robot feels. Frames of joints and of skin that stand there once more are none
 * (stream_hang.h). An IMU that is read more often than it measures has not measured
 * what it repeats (sensor_hold.h). A triad of an IMU, or a wrench sensor, that goes on repeating
 * itself to the bit for longer than it does by chance (repeats.h), or a wrench sensor that falls
 * silent, is frozen. Encoders and skin cells have guards of their own
 * (encoder_guard, cell_health), which know what to expect. */
#ifndef READING_CHECK_H
#define READING_CHECK_H

#include "common/arena.h"
#include "common/status.h"
#include "robot/repeats.h"
#include "robot/robot.h"
#include "robot/sensor_frame.h"
#include "robot/sensor_hold.h"
#include "robot/stream_hang.h"

#include <math.h>
#include <stdbool.h>

/* What a robot's sensors read at all: broken words and 1e308 lie beyond, and are no measurement. */
#define LARGEST_RATE  100.0  /* rad/s, of a gyro */
#define LARGEST_FORCE 2000.0 /* m/s^2, of an accelerometer */
#define LARGEST_LOAD  1e5    /* N or N m: no robot's joint or sole bears more */

/* How far from one the squares of an orientation may add up. */
#define LOOSE_QUATERNION 0.1

/* False for NaN. [any] */
static inline bool is_plausible(vec3 v, double largest) {
  return fabs(v.x) < largest && fabs(v.y) < largest && fabs(v.z) < largest;
}
static inline bool is_plausible_orientation(quat q) {
  return fabs(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1.0) < LOOSE_QUATERNION;
}

struct reading_settings {
  double gyro_range;          /* rad/s: an axis that reads this or more is saturated */
  double accelerometer_range; /* m/s^2: the same for the specific force */
};

/* What happened since init; published in `diag`. */
struct reading_counters {
  uint64_t gyro_refused, accelerometer_refused; /* axes not given, or at or beyond their range */
  uint64_t imu_repeated;                        /* triads that had not measured since, or froze */
  uint64_t orientation_refused;                 /* quaternions of the IMU that turn nothing */
  uint64_t frames_repeated;                     /* of joints and skin, while their bus hung */
  uint64_t torque_refused, wrench_refused;      /* numbers, sensors: none, beyond any, frozen */
};

/* Three axes that measure together. */
struct held_triad {
  struct sensor_hold hold;
  struct repeats repeats; /* of what is not held */
  vec3 last;              /* rad/s or m/s^2: as it came */
  int64_t t_ns;           /* of the last measurement */
};

struct held_wrench {
  struct sensor_hold hold;
  int64_t t_ns; /* of the last measurement */
};

struct reading_check {
  struct reading_settings settings;
  size_t n_joints;
  struct stream_hang joints, skin;
  double *tau; /* [n_joints] N m or N: the newest ones that were let through */
  struct force wrench[ROBOT_MAX_WRENCH], last[ROBOT_MAX_WRENCH]; /* let through; as it came */
  struct repeats repeats[ROBOT_MAX_WRENCH];
  struct held_wrench held[ROBOT_MAX_WRENCH];
  int64_t wrench_read_ns, wrench_ns; /* stamps: of the newest reading, of the last measurement */
  struct imu_triads limb[ROBOT_MAX_LIMBS];
  int64_t imu_ns; /* stamp of the newest reading */
  struct held_triad gyro[1 + ROBOT_MAX_LIMBS], accelerometer[1 + ROBOT_MAX_LIMBS]; /* base first */
  struct reading_counters counters;
};

/* Ranges that leave out broken words only: beyond what sensors for robots measure. [any] */
struct reading_settings reading_defaults(void);

/* [start] STATUS_OUT_OF_RANGE: a range that is not positive. */
enum status reading_check_init(struct reading_check *check, const struct robot *robot,
                               const struct reading_settings *settings, struct arena *arena);

/* Replaces in `frame` what cannot be a measurement; arrays in it then are the check's. [real-time]
 * moving: the robot does, so that what its sensors read ought to change */
void reading_check_step(struct reading_check *check, bool moving, struct sensor_frame *frame);

/* Triads that have frozen, bits 1 << (2 k + enum imu_triad): k = 0 of the first IMU, then the
 * limbs'. [any] */
uint32_t reading_check_frozen(const struct reading_check *check);

/* Takes over what `previous` has counted and, when they are the same, what it has learned of IMUs.
 * [real-time] */
void reading_check_adopt(struct reading_check *check, const struct reading_check *previous,
                         bool same_imus);

#endif
