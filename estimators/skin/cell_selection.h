/* Which cells of a link to use: M of N, so that their fused acceleration is precise and well
 * conditioned.
 *
 *   f(z) = k1 cond(Sigma^-1(z)) + k2 sqrt(det Sigma(z)),   Sigma = (H^T W H)^-1
 *
 * of the selected cells' positions z. The information Sigma^-1 of a set depends on its cells only
 * through their total weight, first and second moment, so that adding or exchanging a cell costs a
 * few additions. Three steps: a start (the previous set, its lost cells replaced greedily), the
 * thesis' projected gradient along the cells' mesh, and an exchange of single cells that leaves the
 * local minima in which the gradient ends. */
#ifndef CELL_SELECTION_H
#define CELL_SELECTION_H

#include "common/arena.h"
#include "common/status.h"
#include "math/spatial.h"
#include "robot/robot.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CELL_SELECTION_MAX 512 /* most cells that may be chosen on one link */

struct cell_selection_settings {
  double condition_weight; /* k1 of (148) */
  double volume_weight;    /* k2 of (148), per unit of sqrt(det Sigma) */
  double step; /* eta of (149), m per unit of the gradient; a step is also cut to one mesh width */
  double threshold;   /* rho: smallest projection of a step, in mesh widths, that moves a cell */
  int max_iterations; /* of the projected gradient */
  int max_exchanges;  /* of single cells afterwards; 0 leaves the thesis' result */
};

struct cell_selection_settings cell_selection_defaults(void);

/* The cells of one link. */
struct cell_field {
  size_t n;
  const vec3 *r;                            /* [n] m, link frame */
  const double *weight;                     /* [n] (m/s^2)^-2: 1 / sigma^2, isotropic */
  const struct cell_neighbours *neighbours; /* [n] of the mesh, indices into this field */
  const bool *usable;                       /* [n] not faulty, not touched, not stale */
};

struct cell_selection_report {
  double cost;    /* f of (148), HUGE_VAL when the set is rank deficient */
  int iterations; /* of the projected gradient */
  int exchanges;  /* of single cells */
};

struct cell_selection;

/* Takes memory for links of up to `max_cells` cells. [start] OUT_OF_RANGE: a setting is negative or
 * not finite. */
enum status cell_selection_init(struct cell_selection **selection,
                                const struct cell_selection_settings *settings, size_t max_cells,
                                struct arena *arena);

/* Chooses `m` cells of `field`. [worker] Bounded, no allocation.
 *   chosen  [m] in: the previous set, or any indices >= n for a start from nothing; out: the new
 * set, in no order TOO_FEW: fewer than `m` usable cells, or m < 3. SINGULAR: no set of the usable
 * cells has full rank (all on a line); then `chosen` still holds the best that there is.
 * BAD_ARGUMENT: sizes beyond what init was told.
 * @eq Leboutet22 146 148 149 150 */
enum status cell_selection_run(struct cell_selection *selection, const struct cell_field *field,
                               size_t m, size_t *chosen, struct cell_selection_report *report);

/* f of (148) for a given set. [worker] HUGE_VAL when it is rank deficient. @eq Leboutet22 148 */
double cell_selection_cost(const struct cell_selection_settings *settings,
                           const struct cell_field *field, size_t m, const size_t *chosen);

/* Gradient of f with respect to the position of each chosen cell, m^-1. [worker] SINGULAR: rank
 * deficient. */
enum status cell_selection_gradient(const struct cell_selection_settings *settings,
                                    const struct cell_field *field, size_t m, const size_t *chosen,
                                    vec3 *gradient);

#endif
