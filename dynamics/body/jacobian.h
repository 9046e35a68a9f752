/* Jacobians of frames and their time derivatives.
 *
 * Six rows [ang; lin] of the frame's origin; columns [omega_B; v_B; dq], so 6 + n_joints of them,
 * row by row. In base coordinates J nu = v_B of the frame; in frame coordinates J nu = v_F. */
#ifndef JACOBIAN_H
#define JACOBIAN_H

#include "body/kinematics.h"

enum jacobian_coordinates { JACOBIAN_IN_BASE, JACOBIAN_IN_FRAME };

/* J: out, [6][6 + n_joints], every entry written. Needs positions only. [real-time]
 * placement: pose of the frame in the frame of `link`.
 * STATUS_BAD_ARGUMENT: no such link, `kin` never updated. */
enum status jacobian(const struct kinematics *kin, size_t link, const struct pose *placement,
                     enum jacobian_coordinates coordinates, double *J);

/* dJ: out, [6][6 + n_joints], derivative of every entry of J as the joints move with kin's dq.
 * Then d/dt of the frame's velocity, entry by entry, is J d/dt(nu) + dJ nu. [real-time]
 * STATUS_BAD_ARGUMENT also: `kin` has no velocities. */
enum status jacobian_rate(const struct kinematics *kin, size_t link, const struct pose *placement,
                          enum jacobian_coordinates coordinates, double *dJ);

#endif
