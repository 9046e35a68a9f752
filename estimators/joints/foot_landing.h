/* A foot that comes to stand: it stands where the base has it, and errs with the base and with the
 * joints between,
 *
 *   x_f = p + R s(q),  R_f = R R_s(q)
 *
 * so that what its rows (base_rows.h) say first is nothing about either. */
#ifndef FOOT_LANDING_H
#define FOOT_LANDING_H

#include "body/kinematics.h"
#include "joints/joint_process.h"
#include "robot/robot.h"

/* Foot `index` comes to stand here: x and P forget where it stood before. [real-time] kin: of the
 * joint positions in x; J: scratch, [6][6 + n]; P: [size][stride], its upper triangle is read and
 * both are written. */
void foot_lands(const struct joint_layout *layout, const struct kinematics *kin,
                const struct model_frame *foot, size_t index, double *J, double *x, double *P);

#endif
