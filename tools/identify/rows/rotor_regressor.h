/* A motor's rotor as a body of its own.
 *
 * It rides on the link before its joint and turns about the joint's axis z at gear ratio N times
 * the joint's speed:
 *
 *   omega_r = omega_p + N dq z,   alpha_r = alpha_p + N ddq z + omega_p x N dq z
 *
 * so that, beside N^2 I_zz ddq, which rotor inertia at the joint's side has, there are its weight,
 * what turns with its link, and its gyroscopic moment. Row j of the torques gets N z . moment, the
 * joints that carry the link before it the whole wrench. @eq Wensing17 24 25 */
#ifndef ROTOR_REGRESSOR_H
#define ROTOR_REGRESSOR_H

#include "body/kinematics.h"
#include "inertia/inertia.h"

/* Fills Y [n_joints][10], N m (N) per unit of the rotor's ten parameters, about the joint's origin
 * in a frame that is the joint's at q = 0 and turns with the rotor. [any] For the motion that `kin`
 * was last updated with, accelerations and all. ratio: turns of the rotor per turn of joint j, or
 * rad per m. */
void rotor_regressor(const struct kinematics *kin, size_t j, double ratio,
                     double (*Y)[INERTIA_PARAMETERS]);

/* The same of a balanced rotor, which feels no angle of its own: averaged over a turn, so that only
 * mass, place along the axis and the moments along and across it are left. [any] */
void rotor_regressor_balanced(const struct kinematics *kin, size_t j, double ratio,
                              double (*Y)[INERTIA_PARAMETERS]);

#endif
