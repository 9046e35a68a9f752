/* One instant of the joint filter: prediction, what is believed, update, jumps. */
#ifndef JOINT_INSTANT_H
#define JOINT_INSTANT_H

#include "skin/joint_measurement.h"

struct instant;
struct joint_filter;

/* Filters instant `index` from the one before it. [real-time] False: the estimate is lost and the
 * filter must start anew. */
bool joint_instant_step(struct joint_filter *filter, size_t index);

/* Prior of instant `index`, filtered before, from the one before it, as it would be predicted now.
 * [real-time] Writes x [size], P [size][stride] as joint_process_covariance does. */
void joint_instant_predict(const struct joint_filter *filter, size_t index, double *x, double *P);

/* Rows of the IMU at an instant that has STREAM_IMU; rank 0 when nothing of it is believed.
 * [real-time] */
struct link_rows joint_instant_imu_rows(const struct joint_filter *filter,
                                        const struct instant *instant);

#endif
