/* Centroidal quantities: centre of mass, momentum about it, their rates, inertia as one body. */
#ifndef CENTROIDAL_H
#define CENTROIDAL_H

#include "body/composite.h"

/* Everything in base coordinates; R_WB carries it to the world. */
struct centroidal {
  double mass;       /* kg */
  vec3 com;          /* m, from the base origin */
  vec3 com_velocity; /* m/s, in the world */

  /* m/s^2, proper: the coordinate acceleration is 9.81 less along the world's up axis */
  vec3 com_acceleration;

  /* ang: kg m^2/s about the centre of mass; lin: kg m/s */
  struct force momentum;

  /* ang: N m about the centre of mass; lin: N. The sum of all external forces but gravity, which
   * has no moment there: in the world, d/dt momentum = rate + [0; m g] */
  struct force rate;
};

/* Centre of mass only, from positions. [real-time]
 * inertia: [n_links], link coordinates. com: out, m, base coordinates from the base origin.
 * STATUS_BAD_ARGUMENT: `kin` never updated. STATUS_SINGULAR: no mass. STATUS_NOT_FINITE. */
enum status centroidal_com(const struct kinematics *kin, const struct inertia *inertia, vec3 *com);

/* All of the struct, from one pass over the links. [real-time]
 * `out` is written only when STATUS_OK. STATUS_BAD_ARGUMENT: `kin` has no accelerations; else as
 * above. */
enum status centroidal_step(const struct kinematics *kin, const struct inertia *inertia,
                            struct centroidal *out);

/* The robot as one rigid body: m, h = 0 and inertia about the centre of mass, base axes.
 * [real-time] composite: of the last composite_step. STATUS_SINGULAR: no mass. */
enum status centroidal_inertia(const struct composite *composite, struct inertia *out);

/* The centroidal momentum matrix: momentum = A [omega_B; v_B; dq]. [real-time]
 * A: out, [6][6 + n_joints] row by row, rows [ang; lin] about the centre of mass, base coordinates.
 * composite: of the last composite_step. STATUS_SINGULAR: no mass. */
enum status centroidal_matrix(const struct composite *composite, double *A);

#endif
