/* A foot that comes to stand: it stands where the base has it, and errs with the base and with the
 * joints between,
 *
 *   x_f = p + R s(q),  R_f = R R_s(q)
 *
 * so that what its rows (base_rows.h) say first is nothing about either. */
#ifndef FOOT_LANDING_H
#define FOOT_LANDING_H

#include "body/kinematics.h"
#include "robot/robot.h"
#include "update/row_update.h"

/* Foot `index` comes to stand here: x and P forget where it stood before. [real-time] rows: begun
 * anew; kin: of the joint positions in x; J: scratch, [6][6 + n]; P: its upper triangle. */
void foot_lands(struct row_update *rows, const struct kinematics *kin,
                const struct model_frame *foot, size_t index, double *J, double *x, double *P);

#endif
