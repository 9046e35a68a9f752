/* How the joint filter begins, and begins again. */
#ifndef JOINT_START_H
#define JOINT_START_H

#include "common/status.h"
#include "robot/sensor_frame.h"

struct joint_filter;

/* The first instant, from a frame with encoders: they where they stand, the IMU's force, everything
 * else unknown and wide. [real-time] */
void joint_start_first(struct joint_filter *filter, const struct sensor_frame *frame);

/* Begins again with the next encoders; what was learned slowly is kept. [real-time] */
void joint_start_over(struct joint_filter *filter, int64_t t_ns);

/* Takes over what another filter of the same joints knows: joint_filter_adopt, without those that
 * stand apart. [real-time] */
enum status joint_start_adopt(struct joint_filter *filter, const struct joint_filter *previous);

#endif
