/* Quadratic programs: the least of 1/2 x^T H x + g^T x where bounds and rows hold.
 *
 *   low <= x <= high,   row x >= least
 *
 * By Goldfarb and Idnani's dual active set: from the least without constraints, the one that is
 * broken most becomes active, others leave when their multiplier turns negative, and the cost
 * rises with every step, so that no set comes back. The set of the last solve is where the next one
 * begins, for problems that follow each other. Dense, for some hundred unknowns.
 *
 * Memory is taken once; quadratic_program_solve: [any] bounded, no allocation. */
#ifndef QUADRATIC_PROGRAM_H
#define QUADRATIC_PROGRAM_H

#include "common/arena.h"
#include "common/status.h"

struct quadratic_program {
  size_t n, rows;     /* unknowns; rows that hold now, at most as many as at init */
  double *H;          /* [n][n] symmetric, positive definite; lost by solving */
  double *g;          /* [n] */
  double *low, *high; /* [n] -infinity, infinity: none */
  double *row;        /* [rows][n] */
  double *least;      /* [rows] */
  double *x;          /* [n] the solution */
  double *multiplier; /* [n_active] of the active constraints, >= 0, in the units of H and g over
                         those of the constraint */
  size_t *active;     /* [n_active] i: low[i]; n + i: high[i]; 2 n + i: row i */
  size_t n_active;
  int steps; /* constraints that came or went */
  /* scratch, in units in which the diagonal of H is one */
  double *unit, *JT, *R, *d, *z, *r, *row_size;
  size_t *before; /* [n] the set to begin with */
};

/* Takes memory for n unknowns and at most `rows` rows; no bounds, no rows, and nothing active.
 * [start] STATUS_NO_MEMORY, STATUS_BAD_ARGUMENT (n 0). */
enum status quadratic_program_init(struct quadratic_program *qp, size_t n, size_t rows,
                                   struct arena *arena);

/* Solves from the active set of the last time. STATUS_SINGULAR: H is not positive definite;
 * STATUS_NOT_CONSISTENT: the constraints exclude each other; STATUS_NO_CONVERGENCE: after ten
 * changes of the set per constraint; then x, multiplier and the set are not a solution's, and the
 * set is empty. */
enum status quadratic_program_solve(struct quadratic_program *qp);

#endif
