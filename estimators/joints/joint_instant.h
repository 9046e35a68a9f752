/* One instant of the joint filter: prediction, what is believed, update, jumps. */
#ifndef JOINT_INSTANT_H
#define JOINT_INSTANT_H

#include "common/status.h"
#include "skin/joint_measurement.h"

#include <stdbool.h>
#include <stddef.h>

struct instant;
struct joint_filter;

/* Filters instant `index` from the one before it. [real-time] False: the estimate is lost and the
 * filter must start anew. */
bool joint_instant_step(struct joint_filter *filter, size_t index);

/* The same for all from `from` > 0 to `last`, and before them for those that have let go of what
 * the first must start from. [real-time] */
bool joint_instant_steps(struct joint_filter *filter, size_t from, size_t last);

/* Prior of instant `index` for its skin, filtered before, from the one before it: as it would be
 * predicted now, with its IMU and feet taken. [real-time] Writes x [numbers], P [size][stride].
 * Statuses as joint_base_update. */
enum status joint_instant_predict(struct joint_filter *filter, size_t index, double *x, double *P);

/* What skin and encoders say at instant `index`. [real-time] Refers to the instant's own arrays. */
struct joint_measurement joint_instant_measurement(const struct joint_filter *filter, size_t index);

#endif
