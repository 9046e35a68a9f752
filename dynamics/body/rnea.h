/* Inverse dynamics: the torques that go with a motion (recursive Newton-Euler).
 *
 *   M(q) [omegadot_B; vdot_B; ddq] + c(q, dq, omega_B) = [base wrench; tau] + sum J_i^T external_i
 *
 * with the proper acceleration vdot_B, so that gravity needs no term of its own. */
#ifndef RNEA_H
#define RNEA_H

#include "body/kinematics.h"
#include "model/joint_drive.h"

struct rnea {
  const struct model *model;
  /* [n_links] force through joint i on link i's subtree: base coordinates, about base origin */
  struct v6 *f_B;
};

/* [start] STATUS_NO_MEMORY when the arena is full. */
enum status rnea_init(struct rnea *rnea, const struct model *model, struct arena *arena);

/* Torques for the motion that `kin` was last updated with. [real-time]
 * inertia:  [n_links] about the links' origins, link coordinates (the model's, or others).
 * external: [n_links] wrench of the world on each link, link coordinates, about its origin;
 *           NULL for none.
 * drives:   whether tau includes rotor inertia and friction.
 * base:     out, wrench that must act on the base beside external[0], base coordinates, about its
 *           origin: zero in free motion, the mounting's wrench when bolted down. NULL: not wanted.
 * tau:      out, [n_joints] N m or N.
 * Outputs are written only when STATUS_OK. STATUS_BAD_ARGUMENT: `kin` has no accelerations.
 * STATUS_NOT_FINITE, STATUS_OUT_OF_RANGE: a parameter or a wrench is no number of a robot. */
enum status rnea_step(struct rnea *rnea, const struct kinematics *kin,
                      const struct inertia *inertia, const struct force *external,
                      enum joint_drives drives, struct force *base, double *tau);

/* A wrench about a frame's origin in its coordinates, seen from where X is its pose. [any] */
static inline struct force force_to_base(const struct pose *X, const struct force *f) {
  const vec3 lin = mat3_mul_vec3(&X->R, f->lin);
  return (struct force){vec3_add(mat3_mul_vec3(&X->R, f->ang), vec3_cross(X->p, lin)), lin};
}

/* Power of a wrench on a motion, both about one point: S . f. [any] */
static inline double motion_dot_force(const struct motion *S, const struct force *f) {
  return vec3_dot(S->ang, f->ang) + vec3_dot(S->lin, f->lin);
}

static inline struct force force_add(const struct force *a, const struct force *b) {
  return (struct force){vec3_add(a->ang, b->ang), vec3_add(a->lin, b->lin)};
}

#endif
