/* Inertias of whole subtrees, all about one point: the base origin, in base coordinates.
 *
 * There inertias simply add, and no transformation is left in the recursions of the mass matrix and
 * of the centroidal quantities. */
#ifndef COMPOSITE_H
#define COMPOSITE_H

#include "body/body_lanes.h"
#include "body/kinematics.h"
#include "inertia/inertia.h"

struct composite {
  const struct model *model;
  struct body_lanes *subtree_B; /* [n_links] of the link and everything beyond it */

  /* [n_joints] momentum (N m s, N s, about the base origin) of what joint j carries when it alone
   * moves at unit speed: the base rows of the mass matrix' column */
  struct v6 *F_B;
};

/* [start] STATUS_NO_MEMORY when the arena is full. */
enum status composite_init(struct composite *composite, const struct model *model,
                           struct arena *arena);

/* Brings all inertias into the base frame, sums the subtrees, and computes F_B. [real-time]
 * kin: positions are used. inertia: [n_links] about the links' origins, link coordinates.
 * STATUS_BAD_ARGUMENT: `kin` was never updated. STATUS_NOT_FINITE, STATUS_OUT_OF_RANGE: inertia. */
enum status composite_step(struct composite *composite, const struct kinematics *kin,
                           const struct inertia *inertia);

/* Inertia of a link and everything beyond it, base coordinates and origin. [any] */
static inline struct inertia composite_subtree(const struct composite *composite, size_t link) {
  return body_inertia(&composite->subtree_B[link]);
}

#endif
