/* What cannot be a measurement counts as not given: it becomes NaN at the door, before any
 * estimator integrates or learns from it.
 *
 * An IMU axis at or beyond its range is saturated and tells no more than a bound; broken words are
 * far beyond what any robot feels. Encoders and skin cells have guards of their own (encoder_guard,
 * cell_health), which know what to expect. */
#ifndef READING_DOOR_H
#define READING_DOOR_H

#include "common/arena.h"
#include "common/status.h"
#include "robot/robot.h"
#include "robot/sensor_frame.h"

struct reading_settings {
  double gyro_range;          /* rad/s: an axis that reads this or more is saturated */
  double accelerometer_range; /* m/s^2: the same for the specific force */
};

/* What happened since init; published in `diag`. */
struct reading_counters {
  uint64_t gyro_refused, accelerometer_refused; /* axes not given, or at or beyond their range */
  uint64_t orientation_refused;                 /* quaternions of the IMU that turn nothing */
  uint64_t torque_refused, wrench_refused;      /* numbers, sensors: none, or beyond any robot */
};

struct reading_door {
  struct reading_settings settings;
  size_t n_joints;
  double *tau; /* [n_joints] N m or N: the newest ones that were let through */
  struct force wrench[ROBOT_MAX_WRENCH];
  struct reading_counters counters;
};

/* Ranges that leave out broken words only: beyond what sensors for robots measure. [any] */
struct reading_settings reading_defaults(void);

/* [start] STATUS_OUT_OF_RANGE: a range that is not positive. */
enum status reading_door_init(struct reading_door *door, const struct robot *robot,
                              const struct reading_settings *settings, struct arena *arena);

/* Replaces in `frame` what cannot be a measurement; arrays in it then are the door's.
 * [real-time] */
void reading_door_step(struct reading_door *door, struct sensor_frame *frame);

#endif
