/* What lies between motor and link: rotor inertia, viscous and Coulomb friction.
 *
 * Algorithms that take `enum joint_drives` count them in when told WITH_DRIVES, from the model's
 * numbers. A rotor is seen at the joint side (gear ratio squared included) and turns about the
 * joint axis: it adds to the diagonal of the mass matrix and nowhere else. */
#ifndef JOINT_DRIVE_H
#define JOINT_DRIVE_H

#include "model/model.h"

enum joint_drives { WITHOUT_DRIVES, WITH_DRIVES };

/* rad/s or m/s. Below this speed Coulomb friction grows linearly from zero, so that noise around
 * standstill does not toggle it. */
#define COULOMB_RAMP 1e-2

/* Coulomb friction's share of its full value at the speed dq, in [-1, 1]. [any] */
static inline double coulomb_share(double dq) {
  const double share = dq * (1.0 / COULOMB_RAMP);
  const double below = share < 1.0 ? share : 1.0; /* written so that no branch is needed */
  return below > -1.0 ? below : -1.0;
}

/* Torque (N m or N) that friction takes from the drive at the speed dq. [any] */
static inline double joint_friction(const struct joint *joint, double dq) {
  return joint->viscous * dq + joint->coulomb * coulomb_share(dq);
}

/* Torque that the drive must give beside what moves the link. [any] */
static inline double joint_drive_torque(const struct joint *joint, double dq, double ddq) {
  return joint->rotor_inertia * ddq + joint_friction(joint, dq);
}

#endif
