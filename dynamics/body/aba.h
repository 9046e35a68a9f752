/* Forward dynamics: the motion that goes with torques (articulated body algorithm). */
#ifndef ABA_H
#define ABA_H

#include "body/kinematics.h"
#include "model/joint_drive.h"

enum base_mounting { BASE_FLOATING, BASE_FIXED };

/* A symmetric 6x6 matrix by columns: force = A motion. */
struct articulated {
  struct v6 column[6];
};

struct aba {
  const struct model *model;
  struct articulated *I_A; /* [n_links] articulated inertia, base coordinates and origin */
  struct v6 *p_A;          /* [n_links] bias force; in the end the acceleration */
  struct v6 *v;  /* [n_links] velocity, in a frame that moves along with the base origin */
  struct v6 *c;  /* [n_links] acceleration by the joint's velocity */
  struct v6 *U;  /* [n_links] I_A S */
  double *D, *u; /* [n_links] S . U, and tau - S . p_A */
  double *tau;   /* [n_joints] without friction */
};

/* [start] STATUS_NO_MEMORY when the arena is full. */
enum status aba_init(struct aba *aba, const struct model *model, struct arena *arena);

/* Accelerations for the state (q, dq, base velocity) that `kin` was last updated with. [real-time]
 * kin:      its accelerations are not used, but for a fixed base the base's.
 * inertia:  [n_links] about the links' origins, link coordinates.
 * external: [n_links] wrench of the world on each link, link coordinates, about its origin;
 *           NULL for none.
 * drives:   whether rotor inertia and friction act.
 * mounting: BASE_FLOATING: the base moves under external[0] and the joints' reactions;
 *           BASE_FIXED: as `kin` says (at rest: 9.81 m/s^2 upwards).
 * tau:      [n_joints] N m or N, of the drives.
 * a_B:      out, base acceleration as in motion.h: angular, and proper linear. NULL: not wanted.
 * ddq:      out, [n_joints] rad/s^2 or m/s^2.
 * Outputs are written only when STATUS_OK. STATUS_SINGULAR: nothing resists a joint, or the base.
 * STATUS_BAD_ARGUMENT: `kin` has no velocities. STATUS_NOT_FINITE, STATUS_OUT_OF_RANGE: inputs.
 * Featherstone, Rigid Body Dynamics Algorithms, chapter 7. */
enum status aba_step(struct aba *aba, const struct kinematics *kin, const struct inertia *inertia,
                     const struct force *external, enum joint_drives drives,
                     enum base_mounting mounting, const double *tau, struct motion *a_B,
                     double *ddq);

#endif
