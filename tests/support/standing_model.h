/* A random model with a foot and an IMU, a state of it, and room for rows about both. */
#ifndef STANDING_MODEL_H
#define STANDING_MODEL_H

#include "body/kinematics.h"
#include "robot/robot.h"
#include "support/random_model.h"
#include "update/row_update.h"

enum { STANDING_JOINTS = 5, STANDING_FEET = 2, STANDING_STATES = 96 };

struct standing_model {
  struct random rng;
  struct joint_layout layout;
  struct model *model;
  struct kinematics kin;
  struct model_frame foot; /* on the last link */
  struct pose imu;
  struct row_update rows; /* 16 at most */
  double J[6 * (6 + STANDING_JOINTS)];
  double x[STANDING_STATES + 12]; /* attitude and soles without error: rotations hold them */
};

/* Draws all of it from the test's seed; its soles as the world. */
void standing_model_draw(struct standing_model *standing, bool biased);

/* Takes the joints of x, the base fixed; false when they are beyond limits. */
bool standing_model_update(struct standing_model *standing, const double *x);

#endif
