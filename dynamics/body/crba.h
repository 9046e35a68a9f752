/* The mass matrix from composite inertias (composite rigid body algorithm). */
#ifndef CRBA_H
#define CRBA_H

#include "body/composite.h"
#include "model/joint_drive.h"

/* Rows and columns of the whole robot's velocity [omega_B; v_B; dq] before the first joint. */
enum { BASE_DOFS = 6 };

struct crba {
  const struct model *model;
  size_t n; /* BASE_DOFS + n_joints */

  /* [n][n] symmetric, both halves; rows and columns [omega_B; v_B; dq], base coordinates and
   * origin. A bolted-down robot's matrix is the block from BASE_DOFS on. */
  double *M;
};

/* [start] STATUS_NO_MEMORY when the arena is full. */
enum status crba_init(struct crba *crba, const struct model *model, struct arena *arena);

/* Fills M from the composite inertias of the last composite_step with the same kinematics.
 * [real-time]
 * drives: whether rotor inertias are on the diagonal. STATUS_BAD_ARGUMENT: another model's. */
enum status crba_step(struct crba *crba, const struct kinematics *kin,
                      const struct composite *composite, enum joint_drives drives);

#endif
