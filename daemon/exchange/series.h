/* A recording as tables: one series for each sensor stream and each topic, a row an instant, and in
 * a row named arrays of numbers. Whoever writes a file of any format goes over the same series. */
#ifndef SERIES_H
#define SERIES_H

#include "describe/field.h"
#include "pipeline.h"
#include "robot/robot.h"
#include "robot/sensor_frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order of the streams in the segment, then the topics. */
enum series_kind {
  SERIES_JOINTS,
  SERIES_IMU,
  SERIES_SKIN,
  SERIES_WRENCH,
  SERIES_STATE,
  SERIES_CENTROIDAL,
  SERIES_KINDS
};

enum { SERIES_MOST_ARRAYS = 80, SERIES_NAME_SIZE = 48, SERIES_ELEMENT_SIZE = 160 };

/* What a number is stored as, where a format has a choice. */
enum series_type { SERIES_DOUBLE, SERIES_FLOAT, SERIES_BYTE };

/* What the rows of an array are called. */
enum series_of {
  SERIES_OF_ONE,
  SERIES_OF_JOINTS,
  SERIES_OF_FEET,
  SERIES_OF_CELLS,
  SERIES_OF_SENSORS
};

/* One array: `count` things (joints, cells ...), each with `per` numbers (1, or x y z, or more). */
struct series_array {
  char name[SERIES_NAME_SIZE];
  const char *unit; /* "rad or m": of a revolute joint, then of a prismatic one */
  enum series_type type;
  enum series_of of;
  size_t count, per;
  size_t at; /* of its first number in the row */
};

struct series {
  enum series_kind kind;
  const char *name;
  size_t n_arrays, width; /* of a row: numbers of all arrays */
  struct series_array array[SERIES_MOST_ARRAYS];
};

/* Optional arrays that the recording has. */
struct series_optional {
  bool dq, tau, orientation, proximity, force;
};

struct series_set {
  const struct robot *robot;
  struct series series[SERIES_KINDS]; /* n_arrays is 0 where there is none */
};

/* Lays out the series of a robot. [start] `results`: the topics, too. */
void series_init(struct series_set *set, const struct robot *robot,
                 const struct series_optional *optional, bool results);

/* The array of that name, or NULL. [start] */
const struct series_array *series_find(const struct series *series, const char *name);

/* Fills a row [width] from a frame's stream, and from a result; what is not estimated is NaN.
 * [start] `kind` is one of the streams, or one of the topics. */
void series_fill_stream(const struct series *series, const struct sensor_frame *frame, double *row);
void series_fill_result(const struct series *series, const struct estimates *estimates,
                        double *row);

/* The instant of a row: of sampling, or of the estimate, CLOCK_MONOTONIC ns. [start] */
int64_t series_instant(enum series_kind kind, const struct sensor_frame *frame,
                       const struct estimates *estimates);

/* True when the frame has brought something new for this stream. [start] */
bool series_is_fresh(enum series_kind kind, const struct sensor_frame *frame);

/* What a column is called: "q_left_knee_joint", "com_position_x". [start] `element` counts the
 * numbers of the array. */
void series_element_name(const struct series_set *set, const struct series_array *array,
                         size_t element, char name[SERIES_ELEMENT_SIZE]);

/* The unit of a column, "rad" where the array's is "rad or m" and the joint turns. [start] */
void series_element_unit(const struct series_set *set, const struct series_array *array,
                         size_t element, char unit[SERIES_NAME_SIZE]);

#endif
