/* Inertias of the links and of whole subtrees, all about one point: the base origin, in base
 * coordinates.
 *
 * There inertias simply add, and no transformation is left in the recursions of the mass matrix, of
 * forward dynamics and of the centroidal quantities. */
#ifndef COMPOSITE_H
#define COMPOSITE_H

#include "kinematics.h"

struct composite {
  const struct model *model;
  struct inertia *own_B;     /* [n_links] of the link alone */
  struct inertia *subtree_B; /* [n_links] of the link and everything beyond it */
  struct force *F_B; /* [n_joints] momentum of the subtree when joint j alone moves at unit speed: N
                      * m s, N s about the base origin; the mass matrix' column of the base rows */
};

/* [start] STATUS_NO_MEMORY when the arena is full. */
enum status composite_init(struct composite *composite, const struct model *model,
                           struct arena *arena);

/* Brings all inertias into the base frame, sums the subtrees, and computes F_B. [real-time]
 * kin: positions are used. inertia: [n_links] about the links' origins, link coordinates.
 * STATUS_BAD_ARGUMENT: `kin` was never updated. STATUS_NOT_FINITE / _OUT_OF_RANGE: a parameter is
 * no number. */
enum status composite_step(struct composite *composite, const struct kinematics *kin,
                           const struct inertia *inertia);

/* The same body's inertia about the origin of frame A, A coordinates; X: pose of its frame in A.
 * [any] */
struct inertia inertia_transform(const struct pose *X, const struct inertia *inertia);

/* Momentum of a body moving with the spatial velocity v: I v, about the point that both are written
 * about. [any] */
static inline struct force inertia_apply(const struct inertia *I, const struct motion *v) {
  const vec3 w = v->ang;
  const vec3 I_w = {I->Ixx * w.x + I->Ixy * w.y + I->Ixz * w.z,
                    I->Ixy * w.x + I->Iyy * w.y + I->Iyz * w.z,
                    I->Ixz * w.x + I->Iyz * w.y + I->Izz * w.z};
  return (struct force){vec3_add(I_w, vec3_cross(I->h, v->lin)),
                        vec3_add(vec3_scale(I->m, v->lin), vec3_cross(w, I->h))};
}

/* Ten sums. [any] */
static inline struct inertia inertia_add(const struct inertia *a, const struct inertia *b) {
  return (struct inertia){a->m + b->m,     vec3_add(a->h, b->h), a->Ixx + b->Ixx, a->Ixy + b->Ixy,
                          a->Ixz + b->Ixz, a->Iyy + b->Iyy,      a->Iyz + b->Iyz, a->Izz + b->Izz};
}

#endif
