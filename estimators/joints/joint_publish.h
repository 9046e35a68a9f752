/* What the joint filter tells: the motion at a given time, how sure it is, how it fares. */
#ifndef JOINT_PUBLISH_H
#define JOINT_PUBLISH_H

#include "propriod/state.h"
#include "robot/sensor_frame.h"

struct joint_filter;

/* Writes the estimate at frame->t_ns; of `out` what joint_filter_step promises. [real-time] Begins
 * again instead of telling what is no number. */
void joint_publish_step(struct joint_filter *filter, const struct sensor_frame *frame,
                        struct propriod_state *out);

/* Adds those of the joints that stand apart, each in its place among all; the status is that of
 * both which says less good. [real-time] After the joint_publish_step of the others. */
void joint_publish_apart(struct joint_filter *apart, const struct sensor_frame *frame,
                         struct propriod_state *out);

#endif
