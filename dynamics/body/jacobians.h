/* Jacobians of all links in one pass.
 *
 * The same numbers as jacobian.h's for the frame of every link: what a link's neighbours have in
 * common, the joints' axes about the base origin, is written once, and every link's columns follow
 * from it side by side. */
#ifndef JACOBIANS_H
#define JACOBIANS_H

#include "body/jacobian.h"

struct jacobians {
  const struct model *model;
  size_t columns; /* 6 + n_joints: [omega_B; v_B; dq] */
  size_t stride;  /* between rows: the columns, and zeros to a whole vector */
  double *moves;  /* [n_links][stride] 1 where the column moves the link, else 0 */
  bool *touched;  /* [n_links][stride / 8] whether any of eight columns does */
  double *S;      /* [6][stride] unit motions about the base origin, base coordinates */
  double *J;      /* [n_links][6][stride], rows [ang; lin] of the link's origin; zeros stay */
};

/* [start] STATUS_NO_MEMORY when the arena is full. */
enum status jacobians_init(struct jacobians *jacobians, const struct model *model,
                           struct arena *arena);

/* Writes J of every link. Needs positions only. [real-time]
 * STATUS_BAD_ARGUMENT: `kin` never updated, or of another model. */
enum status jacobians_step(struct jacobians *jacobians, const struct kinematics *kin,
                           enum jacobian_coordinates coordinates);

/* [6][stride] of one link. [any] */
static inline const double *jacobians_of(const struct jacobians *jacobians, size_t link) {
  return jacobians->J + 6 * link * jacobians->stride;
}

#endif
