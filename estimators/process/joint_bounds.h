/* What no estimate may be beyond and still be called well: the limits that the robot's description
 * gives its joints, and deviations with which nobody can control. Mechanical stops give way and
 * descriptions are rounded: some is allowed beyond. */
#ifndef JOINT_BOUNDS_H
#define JOINT_BOUNDS_H

#include "model/model.h"
#include "process/joint_process.h"

/* Whether joint j is where it can be and no faster than it can be. [real-time] x: [numbers];
 * variance: [size]. */
bool joint_bounds_allow(const struct joint_layout *layout, const struct joint *joint, size_t j,
                        const double *x, const double *variance);

/* Whether all is known well enough. [real-time] based: attitude and velocity have begun. */
bool joint_bounds_known(const struct joint_layout *layout, const double *variance, bool based);

#endif
