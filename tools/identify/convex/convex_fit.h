/* Bodies that fit measured rows best among all bodies that can be: linear least squares under
 * linear matrix inequalities, to the global optimum and with a proof of it.
 *
 *   minimise  f(x) = 1/2 x^T A x - b^T x   subject to  F_c(x) > 0 for every cone c
 *
 * x holds ten parameters per body, then unknowns that no body owns (friction, offsets). With A =
 * sum Y^T R^-1 Y and b = sum Y^T R^-1 z, f is the negative log-likelihood of the rows in nats, and
 * the number of rows does not enter the solution's cost. The path follows the log-barrier f - mu
 * sum log det F with Newton steps s. The proof is Lagrange's dual: with F = L L^T and W = L^-1
 * (F(x)
 * - F(x - s)) L^-T the matrices Z = mu L^-T (1 + W) L^-1 are multipliers of the full step x - s
 * exactly, they are positive when all eigenvalues of W are within -1 and 1, and then nothing that
 * can be is better than f(x - s) by more than tr(Z F(x - s)) = mu tr(1 - W W), at most mu times the
 * sum of the cones' sizes. @eq Wensing17 7 25
 *
 * Memory grows with the problem; all functions: [start] [worker], one problem to a thread. */
#ifndef CONVEX_FIT_H
#define CONVEX_FIT_H

#include "identify/convex/convex_cone.h"

enum { CONVEX_TEN = INERTIA_PARAMETERS };

/* nats, below which the gap is small beside what noise decides: one standard deviation costs half a
 * nat. */
#define CONVEX_GAP 1e-3

struct convex_fit {
  size_t bodies, n; /* n = 10 bodies + unknowns that no body owns */
  double *A;        /* [n][n] symmetric */
  double *b;        /* [n] */
  size_t n_cones, room;
  struct convex_cone *cone; /* [n_cones] the bodies' own first */
  double *divergence;       /* [n_cones] nats: f also has -divergence log det F */
  double gap;               /* nats: to be reached */
  double *work;             /* scratch of the solver */
};

struct convex_solution {
  const double *x; /* [n] within the fit, until it solves again or is freed */
  double cost;     /* nats: f(x) */
  double gap;      /* nats: f(x) - f(best) is at most this */
  int steps;       /* Newton's */
};

/* The body whose ten parameters stand in x. */
struct inertia convex_body(const double *x, size_t body);

/* Begins a problem without rows; every body must be physically consistent. What `fit` held before
 * must have been freed. STATUS_NO_MEMORY leaves it empty. */
enum status convex_begin(struct convex_fit *fit, size_t bodies, size_t others);
void convex_free(struct convex_fit *fit);

/* Takes away all rows and pulls, keeps the cones. */
void convex_clear(struct convex_fit *fit);

/* Adds a constraint. STATUS_BAD_ARGUMENT: it looks beyond the unknowns; STATUS_NO_MEMORY. */
enum status convex_add_cone(struct convex_fit *fit, const struct convex_cone *cone);

/* Takes one measured row, Y x = z + noise. Y: [n]; variance > 0. */
void convex_row(struct convex_fit *fit, const double *Y, double z, double variance);

/* Takes `rows` of them at once, one variance for all. Y: [rows][n]; z: [rows]. */
void convex_rows(struct convex_fit *fit, const double *Y, const double *z, size_t rows,
                 double variance);

/* Takes that unknown i is about `likely`, to the standard deviation sd. */
void convex_pull_one(struct convex_fit *fit, size_t i, double likely, double sd);

/* Takes that a body is about `likely`, to `sd` as a share of its size: the cost is the pullback
 * metric's squared distance over sd^2, quadratic in the parameters. STATUS_NOT_CONSISTENT.
 * @eq Leboutet22 73 */
enum status convex_pull(struct convex_fit *fit, size_t body, const struct inertia *likely,
                        double sd);

/* The same with the entropic divergence over sd^2, which no body at the border can afford. */
enum status convex_pull_entropic(struct convex_fit *fit, size_t body, const struct inertia *likely,
                                 double sd);

/* The quadratic part of f(x), and its slope A x - b (r: [n]). */
double convex_cost(const struct convex_fit *fit, const double *x);
void convex_slope(const struct convex_fit *fit, const double *x, double *r);

/* The optimum without constraints, ordinary least squares, in x [n]. STATUS_SINGULAR: the rows do
 * not tell all unknowns. */
enum status convex_unconstrained(struct convex_fit *fit, double *x);

/* Solves from bodies [bodies] and other unknowns [n - 10 bodies] (NULL: zeros) that satisfy every
 * cone. STATUS_NOT_CONSISTENT: a start that does not; STATUS_SINGULAR: rows and pull leave an
 * unknown open; STATUS_NO_CONVERGENCE: not solved in the steps allowed. `solution` is written with
 * STATUS_OK only. */
enum status convex_solve(struct convex_fit *fit, const struct inertia *start, const double *others,
                         struct convex_solution *solution);

#endif
