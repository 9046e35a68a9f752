/* Forward dynamics: the motion that goes with torques (articulated body algorithm). */
#ifndef ABA_H
#define ABA_H

#include "composite.h"
#include "joint_drive.h"

enum base_mounting { BASE_FLOATING, BASE_FIXED };

#define ABA_LANES 8 /* six rows and columns, padded to whole vector registers */

/* A symmetric 6x6 matrix, row by row; entries 6 and 7 of a row are zero. */
struct articulated {
  _Alignas(64) double m[6][ABA_LANES];
};

/* A spatial vector [ang; lin; 0 0]. */
struct lanes {
  _Alignas(64) double v[ABA_LANES];
};

struct aba {
  const struct model *model;
  struct articulated *I_A; /* [n_links] articulated inertia, base coordinates and origin */
  struct lanes *p_A;       /* [n_links] bias force */
  struct lanes *v; /* [n_links] velocity, in an inertial frame moving along with the base origin */
  struct lanes *c; /* [n_links] acceleration by the joint's velocity */
  struct lanes *S, *U; /* [n_links] joint axis, and I_A S */
  double *D, *u;       /* [n_links] S . U, and tau - S . p_A */
  double *tau;         /* [n_joints] without friction */
};

/* [start] STATUS_NO_MEMORY when the arena is full. */
enum status aba_init(struct aba *aba, const struct model *model, struct arena *arena);

/* Accelerations for the state (q, dq, base velocity) that `kin` was last updated with; the
 * accelerations in `kin` are not used but for a fixed base. [real-time] composite: of the last
 * composite_step with the same kinematics. external: as in rnea.h; NULL for none. drives: whether
 * rotor inertia and friction act. tau: [n_joints] N m or N, of the drives. mounting: BASE_FLOATING:
 * the base moves freely under external[0] and the joints' reactions. BASE_FIXED: its acceleration
 * is the one in `kin` (at rest: 9.81 m/s^2 upwards). a_B: out, base acceleration as in motion.h:
 * angular, and proper linear. NULL when not wanted. ddq: out, [n_joints]. Written only when
 * STATUS_OK. STATUS_SINGULAR: a subtree without inertia about its joint. */
enum status aba_step(struct aba *aba, const struct kinematics *kin,
                     const struct composite *composite, const struct force *external,
                     enum joint_drives drives, enum base_mounting mounting, const double *tau,
                     struct motion *a_B, double *ddq);

#endif
