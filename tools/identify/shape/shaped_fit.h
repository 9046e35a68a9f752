/* The fit's problem in fewer or more unknowns: x = x0 + T z.
 *
 * z holds ten parameters for every piece of every body that is neither mirrored nor fixed, then the
 * unknowns that no body owns. A body is the sum of its pieces, a mirrored one the other's with
 * signs, a fixed one what it was. Cones are of pieces; cost and proof are those of x. */
#ifndef SHAPED_FIT_H
#define SHAPED_FIT_H

#include "identify/sequential/sequential_fit.h"
#include "identify/shape/body_shapes.h"

struct shaped_fit {
  const struct body_shapes *shapes;
  size_t n_x;
  double *x0, *x;        /* [n_x] */
  double *z_found;       /* [z.n] */
  size_t *z_of;          /* [n_x][SHAPED_PIECES] the z that x is a sum of */
  size_t *n_z_of;        /* [n_x] */
  double *sign;          /* [n_x] of them all */
  double *AT, *rest;     /* scratch */
  struct inertia *start; /* [pieces] */
  struct convex_fit z;
};

enum { SHAPED_PIECES = 12 /* most pieces of a body */ };

/* Begins from shapes that body_shapes_begin has found a start of. [start] prior: [bodies];
 * others: unknowns that no body owns. Every piece keeps `margin` of the prior's pseudo-inertia, by
 * its share. cone: [n_cones] of x, of others only. STATUS_NO_MEMORY; STATUS_BAD_ARGUMENT: more
 * pieces than SHAPED_PIECES. */
enum status shaped_fit_init(struct shaped_fit *fit, const struct body_shapes *shapes,
                            const struct inertia *prior, size_t others,
                            const struct convex_cone *cone, size_t n_cones, double margin);
void shaped_fit_free(struct shaped_fit *fit);

/* Solves the problem whose quadratic part is that of `whole`; solution->x [n_x] stays within `fit`.
 * [start] others: where the path begins. Statuses of convex_solve. */
enum status shaped_fit_solve(struct shaped_fit *fit, const struct convex_fit *whole,
                             const double *others, struct convex_solution *solution);

/* The problem that was solved last, by a sequence of quadratic programs: x [n_x]. [start] Statuses
 * of sequential_solve. */
enum status shaped_fit_sequence(struct shaped_fit *fit, const double *others,
                                const struct sequential_settings *settings, double *x, int *steps);

/* Whether a constraint of shape holds body i back: one of its cones is nearly left. */
bool shaped_fit_holds(const struct shaped_fit *fit, size_t body);

#endif
