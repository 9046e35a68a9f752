/* How the joint filter begins, and begins again. */
#ifndef JOINT_START_H
#define JOINT_START_H

#include "robot/sensor_frame.h"

struct joint_filter;

/* The first instant, from a frame with encoders: they where they stand, the IMU's force, everything
 * else unknown and wide. [real-time] */
void joint_start_first(struct joint_filter *filter, const struct sensor_frame *frame);

/* Begins again with the next encoders; what was learned slowly is kept. [real-time] */
void joint_start_over(struct joint_filter *filter, int64_t t_ns);

#endif
