/* Where samples go: each of the three streams to the instant at which it was taken. */
#ifndef JOINT_SAMPLES_H
#define JOINT_SAMPLES_H

#include "robot/sensor_frame.h"
#include "skin/joint_measurement.h"

struct joint_filter;

/* A stamp that time allows: new of its stream (0 joints, 1 IMU, 2 skin), not from the future.
 * [real-time] Counts those that are not. */
bool joint_samples_timely(struct joint_filter *filter, const struct stream_stamp *stamp,
                          size_t stream, int64_t now_ns);

/* Puts what is fresh in `frame` in its place. [real-time] Returns the index of the oldest instant
 * that has to be filtered for it; the number of instants when there is none. */
size_t joint_samples_take(struct joint_filter *filter, const struct sensor_frame *frame);

/* Rows of the skin as it was fused last, one block for each link that moves and has cells at work.
 * [real-time] Writes block [n_links]; returns how many. */
size_t joint_samples_skin_rows(struct joint_filter *filter, int64_t t_ns, struct link_rows *block);

/* Rows with more noise than they are said to have: `excess`, a variance's logarithm, in steps, so
 * that what is prepared for the next sample mostly fits. [any] */
void joint_samples_weaken(struct link_rows *rows, double excess);

#endif
