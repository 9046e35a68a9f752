/* How attitude and position of a floating base begin, and begin anew. */
#ifndef JOINT_BASE_START_H
#define JOINT_BASE_START_H

#include "math/spatial.h"

struct joint_filter;

/* R_WB of a base at rest that feels this specific force, m/s^2, base coordinates: f_B = R^T (0 0
 * g); yaw zero. [any] */
mat3 attitude_of(vec3 force_B);

/* Begins attitude and position as soon as the base's specific force is known; and anew when they
 * are lost: one of `resets`. [real-time] */
void joint_base_start(struct joint_filter *filter);

/* The robot hangs, and was taken to stand since its start: that begins again, the gyro's bias with
 * it, and is none of `resets`. [real-time] */
void joint_base_start_again(struct joint_filter *filter);

#endif
