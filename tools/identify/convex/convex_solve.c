/* Along the barrier's path to the optimum, and the proof of it. */
#include "identify/convex/convex_fit.h"
#include "identify/convex/convex_newton.h"
#include "identify/convex/primal_dual.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CONVEX_STEPS = 40 /* Newton's, at one weight of the barrier */ };

/* The barrier begins at this weight, or at what the start lies above the optimum without
 * constraints where that is more, and shrinks by this share until the gap is small, all in nats. */
static const double CONVEX_BARRIER = 1e2, CONVEX_SHRINK = 0.1;
/* A step is short when its decrement is below this share of mu: no eigenvalue of W is beyond 1/3,
 * and Newton's method converges quadratically. */
static const double CONVEX_SHORT = 0.1;
/* Of the gap that is asked for: what the last weight of the barrier leaves. */
static const double CONVEX_END = 0.9;
/* nats: a barrier below this weight is lost in rounding. */
static const double CONVEX_LEAST = 1e-14;
/* As far as this share of the way to the border a long step may go. */
static const double CONVEX_NEAR = 0.9;
/* On the way, steps at one weight end once the decrement is below this many mu. */
static const double CONVEX_LOOSE = 5.0;
/* Of the cost: where rounding ends the path, a gap above this share is no solution. */
static const double CONVEX_WORST_GAP = 1e-6;
/* A decrement below this share of the cost is rounding, and steps are as short as they get. */
static const double CONVEX_ROUNDING = 1e-13;

/* -- Newton's method -------------------------------------------------------------------------- */

/* The solver's scratch. */
struct scratch {
  double *H;                        /* [n][n] */
  double *x, *s, *g, *slope, *unit; /* [n] */
  double *reached;                  /* [n] x as the last weight of the barrier left it */
};

static struct scratch scratch_of(const struct convex_fit *fit) {
  const size_t n = fit->n;
  double *vectors = fit->work + n * n;
  return (struct scratch){fit->work,       vectors,         vectors + n,    vectors + 2 * n,
                          vectors + 3 * n, vectors + 4 * n, vectors + 5 * n};
}

enum status convex_unconstrained(struct convex_fit *fit, double *x) {
  const struct scratch w = scratch_of(fit);
  memcpy(w.H, fit->A, fit->n * fit->n * sizeof(*w.H));
  memcpy(w.g, fit->b, fit->n * sizeof(*w.g));
  if (!newton_factor(w.H, w.unit, fit->n, false)) {
    return STATUS_SINGULAR;
  }
  newton_solve(w.H, w.unit, w.g, fit->n);
  memcpy(x, w.g, fit->n * sizeof(*x));
  return STATUS_OK;
}

/* Adds the barrier's slope to g and its curvature to H: with F = L L^T and W_k = L^-1 slope_k L^-T,
 * -mu tr W_k and mu tr(W_k W_l). False outside of the cone. */
static bool add_barrier(const struct convex_fit *fit, const struct convex_cone *cone, double mu,
                        const double *x, double *g, double *H) {
  double F[CONE_ENTRIES], L[CONE_ENTRIES], W[CONE_COLUMNS][CONE_ENTRIES];
  const int size = cone->size, entries = size * size;
  cone_at(cone, x, F);
  if (!cone_factor(F, size, L)) {
    return false;
  }
  for (size_t k = 0; k < cone->columns; k++) {
    memcpy(W[k], cone->slope[k], (size_t)entries * sizeof(double));
    cone_whiten(L, size, W[k]);
  }
  for (size_t k = 0; k < cone->columns; k++) {
    const size_t row = cone->first + k;
    for (int i = 0; i < size; i++) {
      g[row] -= mu * W[k][i * size + i];
    }
    for (size_t l = 0; l < cone->columns; l++) {
      double sum = 0.0;
      for (int i = 0; i < entries; i++) {
        sum += W[k][i] * W[l][i];
      }
      H[row * fit->n + cone->first + l] += mu * sum;
    }
  }
  return true;
}

/* Eigenvalues of L^-1 (F(x) - F(x - s)) L^-T: at x - t s the matrix is L (1 - t lambda) L^T,
 * positive definite as long as all t lambda < 1. */
static void direction(const struct convex_cone *cone, const double *x, const double *s,
                      double lambda[CONE_SIZE]) {
  struct convex_cone turned = *cone;
  double F[CONE_ENTRIES], dF[CONE_ENTRIES], L[CONE_ENTRIES];
  memset(turned.constant, 0, sizeof(turned.constant));
  cone_at(cone, x, F);
  cone_at(&turned, s, dF);
  cone_factor(F, cone->size, L);
  cone_whiten(L, cone->size, dF);
  cone_eigenvalues(dF, cone->size, lambda);
}

/* How much the barrier changes from x to x - t s; infinite beyond its cone. Written for the
 * difference, which may be far below the rounding of either value. */
static double barrier_change(double weight, double t, const double *lambda, int size) {
  double change = 0.0;
  for (int i = 0; i < size; i++) {
    const double share = t * lambda[i];
    change -= share < 1.0 ? weight * log1p(-share) : -HUGE_VAL;
  }
  return change;
}

/* A share of the step s that gains a quarter of what its slope promises: all of it, or as far as
 * the nearest border allows, or halves of that. */
static double shorten(const struct convex_fit *fit, double mu, const struct scratch *w,
                      double decrement, double (*lambda)[CONE_SIZE]) {
  const int n = (int)fit->n;
  cblas_dgemv(CblasRowMajor, CblasNoTrans, n, n, 1.0, fit->A, n, w->s, 1, 0.0, w->unit, 1);
  const double along = cblas_ddot(n, w->slope, 1, w->s, 1),
               bend = cblas_ddot(n, w->unit, 1, w->s, 1);
  double steepest = 0.0;
  for (size_t c = 0; c < fit->n_cones; c++) {
    for (int i = 0; i < fit->cone[c].size; i++) {
      steepest = fmax(steepest, lambda[c][i]);
    }
  }
  double t = fmin(1.0, CONVEX_NEAR / fmax(steepest, CONVEX_NEAR));
  for (int halvings = 0; halvings < CONVEX_STEPS; halvings++, t *= 0.5) {
    double change = t * (0.5 * t * bend - along);
    for (size_t c = 0; c < fit->n_cones; c++) {
      change += barrier_change(mu + fit->divergence[c], t, lambda[c], fit->cone[c].size);
    }
    if (change <= -0.25 * t * decrement) {
      break;
    }
  }
  return t;
}

static bool all_inside(const struct convex_fit *fit, const double *x) {
  bool inside = true;
  for (size_t c = 0; c < fit->n_cones && inside; c++) {
    double F[CONE_ENTRIES], L[CONE_ENTRIES];
    cone_at(&fit->cone[c], x, F);
    inside = cone_factor(F, fit->cone[c].size, L);
  }
  return inside;
}

/* x - t s in place of x; where rounding has it outside of a cone, a smaller t. */
static void take_step(const struct convex_fit *fit, const struct scratch *w, double t) {
  const int n = (int)fit->n;
  cblas_dcopy(n, w->x, 1, w->g, 1);
  for (int halvings = 0; halvings < CONVEX_STEPS; halvings++, t *= 0.5) {
    cblas_dcopy(n, w->g, 1, w->x, 1);
    cblas_daxpy(n, -t, w->s, 1, w->x, 1);
    if (all_inside(fit, w->x)) {
      return;
    }
  }
  cblas_dcopy(n, w->g, 1, w->x, 1);
}

/* One Newton step on f + barrier, shortened until it gains, in full once it is short. `*decrement`
 * in nats: twice what the step can gain; it bounds mu tr(W W). lambda: [n_cones] scratch.
 * STATUS_SINGULAR: the rows leave an unknown open. */
static enum status step(struct convex_fit *fit, double mu, double (*lambda)[CONE_SIZE],
                        double *decrement) {
  const struct scratch w = scratch_of(fit);
  memcpy(w.H, fit->A, fit->n * fit->n * sizeof(*w.H));
  convex_slope(fit, w.x, w.slope);
  memcpy(w.g, w.slope, fit->n * sizeof(*w.g));
  for (size_t c = 0; c < fit->n_cones; c++) {
    if (!add_barrier(fit, &fit->cone[c], mu + fit->divergence[c], w.x, w.g, w.H)) {
      return STATUS_NOT_CONSISTENT;
    }
  }
  memcpy(w.s, w.g, fit->n * sizeof(*w.s));
  if (!newton_factor(w.H, w.unit, fit->n, true)) {
    return STATUS_SINGULAR;
  }
  newton_solve(w.H, w.unit, w.s, fit->n);
  *decrement = cblas_ddot((int)fit->n, w.g, 1, w.s, 1);
  double t = 1.0;
  if (*decrement > CONVEX_SHORT * mu) {
    for (size_t c = 0; c < fit->n_cones; c++) {
      direction(&fit->cone[c], w.x, w.s, lambda[c]);
    }
    t = shorten(fit, mu, &w, *decrement, lambda);
  }
  take_step(fit, &w, t);
  return STATUS_OK;
}

/* -- the path --------------------------------------------------------------------------------- */

/* The start into x; false where it is outside of a cone. */
static bool begin_at(struct convex_fit *fit, const struct inertia *start, const double *others) {
  const struct scratch w = scratch_of(fit);
  const size_t first = CONVEX_TEN * fit->bodies;
  for (size_t i = 0; i < fit->bodies; i++) {
    inertia_to(&start[i], w.x + CONVEX_TEN * i);
  }
  for (size_t i = first; i < fit->n; i++) {
    w.x[i] = others != NULL ? others[i - first] : 0.0;
  }
  return all_inside(fit, w.x);
}

/* A first weight of the barrier. The start stays in place. */
static double first_weight(struct convex_fit *fit, double sizes) {
  const struct scratch w = scratch_of(fit);
  const double at_start = convex_cost(fit, w.x);
  memcpy(w.H, fit->A, fit->n * fit->n * sizeof(*w.H));
  memcpy(w.s, fit->b, fit->n * sizeof(*w.s));
  if (!newton_factor(w.H, w.unit, fit->n, true)) { /* a ridge: rows may leave something open */
    return CONVEX_BARRIER;
  }
  newton_solve(w.H, w.unit, w.s, fit->n);
  return fmax(CONVEX_BARRIER, (at_start - convex_cost(fit, w.s)) / sizes);
}

/* Newton's steps at one weight of the barrier, until the decrement is below `enough` mu; `*left`:
 * the last decrement. */
static enum status centre(struct convex_fit *fit, double mu, double enough,
                          double (*lambda)[CONE_SIZE], int *steps, double *left) {
  const struct scratch w = scratch_of(fit);
  double decrement = HUGE_VAL, before = HUGE_VAL;
  for (int k = 0; k < CONVEX_STEPS; k++) {
    const enum status status = step(fit, mu, lambda, &decrement);
    (*steps)++;
    *left = decrement;
    if (status != STATUS_OK) {
      return status;
    }
    const double rounding = CONVEX_ROUNDING * fabs(convex_cost(fit, w.x));
    if (decrement <= enough * mu || (decrement <= rounding && decrement >= 0.5 * before)) {
      return STATUS_OK;
    }
    before = decrement;
  }
  return STATUS_NO_CONVERGENCE;
}

/* Brings x near the end of the path, and the weight to it; where that fails both stay. */
static void approach(struct convex_fit *fit, double sizes, double *mu, int *steps) {
  const struct scratch w = scratch_of(fit);
  const double last = fmax(CONVEX_END * fit->gap / sizes, CONVEX_LEAST);
  for (size_t c = 0; c < fit->n_cones; c++) {
    if (fit->divergence[c] > 0.0) { /* a barrier that stays has no multiplier */
      return;
    }
  }
  memcpy(w.reached, w.x, fit->n * sizeof(*w.x));
  if (*mu > last && primal_dual_follow(fit, *mu, last, w.x, w.H, w.s, steps) == STATUS_OK &&
      all_inside(fit, w.x)) { /* and not on a border but for rounding */
    *mu = last;
  } else {
    memcpy(w.x, w.reached, fit->n * sizeof(*w.x));
  }
}

/* What is proven once x is centred at the weight mu. */
static double gap_at(double sizes, double mu, double left) {
  return sizes * mu + (left > CONVEX_SHORT * mu ? 2.0 * left : 0.0);
}

/* Where rounding lets nothing be centred at mu: at the next weight at which it does. */
static enum status climb(struct convex_fit *fit, double sizes, double mu,
                         double (*lambda)[CONE_SIZE], struct convex_solution *s) {
  const struct scratch w = scratch_of(fit);
  const double worst = CONVEX_WORST_GAP * fabs(convex_cost(fit, w.reached));
  enum status status = STATUS_NO_CONVERGENCE;
  for (; status == STATUS_NO_CONVERGENCE && sizes * mu <= worst; mu /= CONVEX_SHRINK) {
    double left = HUGE_VAL;
    memcpy(w.x, w.reached, fit->n * sizeof(*w.x));
    status = centre(fit, mu, CONVEX_SHORT, lambda, &s->steps, &left);
    s->gap = status == STATUS_OK ? gap_at(sizes, mu, left) : s->gap;
  }
  return status;
}

/* Follows the path to the gap asked for. Where rounding ends it before, x goes back to the last
 * weight that was reached, whose gap is told. */
static enum status follow(struct convex_fit *fit, double sizes, double (*lambda)[CONE_SIZE],
                          struct convex_solution *s) {
  const struct scratch w = scratch_of(fit);
  double mu = first_weight(fit, sizes);
  enum status status = STATUS_OK;
  approach(fit, sizes, &mu, &s->steps);
  while (status == STATUS_OK && s->gap > fit->gap && mu > CONVEX_LEAST) {
    double left = HUGE_VAL;
    const bool last = sizes * mu <= fit->gap;
    memcpy(w.reached, w.x, fit->n * sizeof(*w.x));
    status = centre(fit, mu, last ? CONVEX_SHORT : CONVEX_LOOSE, lambda, &s->steps, &left);
    if (status == STATUS_OK) {
      s->gap = gap_at(sizes, mu, left);
    }
    mu *= CONVEX_SHRINK;
  }
  if (status == STATUS_NO_CONVERGENCE && isinf(s->gap)) {
    status = climb(fit, sizes, mu, lambda, s);
  }
  if (status == STATUS_NO_CONVERGENCE) {
    memcpy(w.x, w.reached, fit->n * sizeof(*w.x));
    status = s->gap <= CONVEX_WORST_GAP * fabs(convex_cost(fit, w.x)) ? STATUS_OK : status;
  }
  return status;
}

enum status convex_solve(struct convex_fit *fit, const struct inertia *start, const double *others,
                         struct convex_solution *solution) {
  struct convex_solution s = {.x = scratch_of(fit).x, .gap = HUGE_VAL};
  double sizes = 0.0;
  if (!begin_at(fit, start, others)) {
    return STATUS_NOT_CONSISTENT;
  }
  double(*lambda)[CONE_SIZE] = calloc(fit->n_cones + 1, sizeof(*lambda));
  for (size_t c = 0; c < fit->n_cones; c++) {
    sizes += fit->cone[c].size;
  }
  const enum status status = lambda != NULL ? follow(fit, sizes, lambda, &s) : STATUS_NO_MEMORY;
  free(lambda);
  if (status == STATUS_OK) {
    s.cost = convex_cost(fit, s.x);
    *solution = s;
  }
  return status;
}
