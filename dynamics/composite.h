/* Inertias of the links and of whole subtrees, all about one point: the base origin, in base
 * coordinates.
 *
 * There inertias simply add, and no transformation is left in the recursions of the mass matrix, of
 * forward dynamics and of the centroidal quantities. */
#ifndef COMPOSITE_H
#define COMPOSITE_H

#include "inertia.h"
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

#endif
