/* How attitude and position of a floating base begin, and begin anew. */
#ifndef JOINT_BASE_START_H
#define JOINT_BASE_START_H

#include "math/spatial.h"

struct joint_filter;

/* R_WB of a base at rest that feels this specific force, m/s^2, base coordinates: f_B = R^T (0 0
 * g); yaw zero. [any] */
mat3 attitude_of(vec3 force_B);

/* Begins attitude and position as soon as the base's specific force is known; once more, which is
 * none of `resets`, when soles have told a tilt that was hardly known then; and anew when they are
 * lost: one of them. [real-time] */
void joint_base_start(struct joint_filter *filter);

#endif
