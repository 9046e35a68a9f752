/* The log of a real robot's walk, as CSV: joints, base IMU, vertical forces of the feet at 100 Hz,
 * and where motion capture saw the base. */
#ifndef WALK_LOG_H
#define WALK_LOG_H

#include "robot/robot.h"
#include "robot/sensor_frame.h"

enum { WALK_LOG_COLUMNS = 128, WALK_LOG_ROWS = 4000, WALK_LOG_FEET = 2 };

struct walk_log {
  size_t n_columns, n; /* columns and rows */
  char name[WALK_LOG_COLUMNS][48];
  double value[WALK_LOG_ROWS][WALK_LOG_COLUMNS];
  double q[MODEL_MAX_JOINTS]; /* of the frame given last */
};

/* What motion capture says. */
struct captured {
  vec3 position, rpy; /* m, rad */
  vec3 velocity;      /* m/s, axes of the captured yaw: differences over 80 ms */
};

/* Reads the file. [start] False: it is not there. */
bool walk_log_read(struct walk_log *log, const char *path);

/* Spaces the stamps evenly between the first and the last. [any] */
void walk_log_even(struct walk_log *log);

/* Stamps as with `input.joints_stamp: arrival`: a clock is fitted to them as they come. [any] */
void walk_log_fit(struct walk_log *log);

/* Row `row` as the sensors would have brought it; valid until the next. [any] */
struct sensor_frame walk_log_frame(struct walk_log *log, const struct robot *robot, size_t row);

double walk_log_t(const struct walk_log *log, size_t row);                             /* s */
void walk_log_forces(const struct walk_log *log, size_t row, double f[WALK_LOG_FEET]); /* N */

/* [any] `row` at least WALK_LOG_EDGE from either end. */
enum { WALK_LOG_EDGE = 4 };
struct captured walk_log_captured(const struct walk_log *log, size_t row);

#endif
