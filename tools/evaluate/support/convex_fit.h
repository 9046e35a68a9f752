/* Bodies that fit measured rows best among all bodies that can be: linear least squares under the
 * linear matrix inequalities J(pi) > 0, to the global optimum and with a proof of it.
 *
 *   minimise  f(x) = 1/2 x^T A x - b^T x   subject to  J(pi_i) > 0 for every body i
 *
 * x holds ten parameters per body, then unknowns without a constraint (friction, offsets). With A =
 * sum Y^T R^-1 Y and b = sum Y^T R^-1 z, f is the negative log-likelihood of the rows in nats, and
 * the number of rows does not enter the solution's cost. The path follows the log-barrier f - mu
 * sum log det J with Newton steps s. The proof is Lagrange's dual: with J = L L^T and W = L^-1 J(s)
 * L^-T the matrices Z = mu L^-T (1 + W) L^-1 are multipliers of the full step x - s exactly, they
 * are positive when all eigenvalues of W are within -1 and 1, and then nothing that can be is
 * better than f(x - s) by more than tr(Z J(x - s)) = mu tr(1 - W W), at most 4 mu for each body.
 * @eq Wensing17 7 25
 *
 * A reference for what runs online: the whole record at once, nothing bounded in time. All
 * functions: [start]. */
#ifndef CONVEX_FIT_H
#define CONVEX_FIT_H

#include "inertia/inertia_metric.h"
#include "inertia/pseudo_inertia.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#define CONVEX_MOST 128 /* unknowns */

enum { CONVEX_TEN = INERTIA_PARAMETERS, CONVEX_STEPS = 60 };

/* The barrier begins at this weight and shrinks by this share, until the gap is below CONVEX_GAP,
 * all in nats: one standard deviation costs half a nat. */
static const double CONVEX_BARRIER = 1e2, CONVEX_SHRINK = 0.2, CONVEX_GAP = 1e-3;
/* A step is short when its decrement is below this share of mu: no eigenvalue of W is beyond 1/3,
 * and Newton's method converges quadratically. */
static const double CONVEX_SHORT = 0.1;

struct convex_fit {
  size_t bodies, n;                    /* n = 10 bodies + unknowns without a constraint */
  double A[CONVEX_MOST * CONVEX_MOST]; /* [n][n] */
  double b[CONVEX_MOST];               /* [n] */
};

struct convex_solution {
  double x[CONVEX_MOST]; /* [n] */
  double cost;           /* nats: f(x) */
  double gap;            /* nats: f(x) - f(best) is at most this */
  int steps;             /* Newton's */
};

static inline struct inertia convex_body(const double *x, size_t body) {
  return inertia_from(x + CONVEX_TEN * body);
}

static inline void convex_begin(struct convex_fit *fit, size_t bodies, size_t others) {
  memset(fit, 0, sizeof(*fit));
  fit->bodies = bodies;
  fit->n = CONVEX_TEN * bodies + others;
}

/* Takes one measured row, Y x = z + noise. Y: [n]; variance > 0. */
static inline void convex_row(struct convex_fit *fit, const double *Y, double z, double variance) {
  for (size_t i = 0; i < fit->n; i++) {
    const double share = Y[i] / variance;
    fit->b[i] += share * z;
    for (size_t k = 0; share != 0.0 && k < fit->n; k++) {
      fit->A[i * fit->n + k] += share * Y[k];
    }
  }
}

/* Takes that a body is about `likely`, to `sd` as a share of its size: the cost is the pullback
 * metric's squared distance over sd^2, quadratic in the parameters. STATUS_NOT_CONSISTENT. */
static inline enum status convex_pull(struct convex_fit *fit, size_t body,
                                      const struct inertia *likely, double sd) {
  double W[CONVEX_TEN][CONVEX_TEN], pi[CONVEX_TEN];
  const enum status status = inertia_pullback_matrix(likely, W);
  if (status != STATUS_OK) {
    return status;
  }
  inertia_to(likely, pi);
  const size_t first = CONVEX_TEN * body;
  for (size_t i = 0; i < CONVEX_TEN; i++) {
    for (size_t k = 0; k < CONVEX_TEN; k++) {
      const double weight = 2.0 * W[i][k] / (sd * sd); /* f has 1/2 x^T A x */
      fit->A[(first + i) * fit->n + first + k] += weight;
      fit->b[first + i] += weight * pi[k];
    }
  }
  return STATUS_OK;
}

/* f(x) */
static inline double convex_cost(const struct convex_fit *fit, const double *x) {
  double cost = 0.0;
  for (size_t i = 0; i < fit->n; i++) {
    double Ax = 0.0;
    for (size_t k = 0; k < fit->n; k++) {
      Ax += fit->A[i * fit->n + k] * x[k];
    }
    cost += x[i] * (0.5 * Ax - fit->b[i]);
  }
  return cost;
}

/* Solves H s = g in place of g, by Cholesky's factor in units in which H's diagonal is one; H's
 * content is lost. False when H is not positive definite. */
static inline bool convex_newton(double *H, double *g, size_t n) {
  double unit[CONVEX_MOST];
  for (size_t i = 0; i < n; i++) {
    if (!(H[i * n + i] > 0.0)) {
      return false;
    }
    unit[i] = 1.0 / sqrt(H[i * n + i]);
    g[i] *= unit[i];
  }
  for (size_t i = 0; i < n * n; i++) {
    H[i] *= unit[i / n] * unit[i % n];
  }
  if (LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n, 1, H, (lapack_int)n, g,
                         (lapack_int)n) != 0) {
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    g[i] *= unit[i];
  }
  return true;
}

/* The optimum without constraints, ordinary least squares. STATUS_SINGULAR: the rows do not tell
 * all unknowns. */
static inline enum status convex_unconstrained(const struct convex_fit *fit, double *x) {
  static double H[CONVEX_MOST * CONVEX_MOST];
  double g[CONVEX_MOST];
  memcpy(H, fit->A, sizeof(H));
  memcpy(g, fit->b, sizeof(g));
  if (!convex_newton(H, g, fit->n)) {
    return STATUS_SINGULAR;
  }
  memcpy(x, g, fit->n * sizeof(*x));
  return STATUS_OK;
}

/* Adds the barrier's slope to g and its curvature to H: with J = L L^T and W_k = L^-1 E_k L^-T,
 * where E_k is J of the k-th unit vector, -mu tr W_k and mu tr(W_k W_l). */
static inline enum status convex_add_barrier(const struct convex_fit *fit, const double *x,
                                             double mu, double *g, double *H) {
  for (size_t body = 0; body < fit->bodies; body++) {
    const struct inertia pi = convex_body(x, body);
    const mat4 J = pseudo_inertia(&pi);
    mat4 L, W[CONVEX_TEN];
    const enum status status = sym4_cholesky(&J, &L);
    if (status != STATUS_OK) {
      return status;
    }
    for (size_t k = 0; k < CONVEX_TEN; k++) {
      double unit[CONVEX_TEN] = {0.0};
      unit[k] = 1.0;
      const struct inertia e = inertia_from(unit);
      const mat4 E = pseudo_inertia(&e);
      W[k] = sym4_whiten(&L, &E);
    }
    const size_t first = CONVEX_TEN * body;
    for (size_t k = 0; k < CONVEX_TEN; k++) {
      g[first + k] -= mu * (W[k].m[0][0] + W[k].m[1][1] + W[k].m[2][2] + W[k].m[3][3]);
      for (size_t l = 0; l < CONVEX_TEN; l++) {
        H[(first + k) * fit->n + first + l] += mu * mat4_dot(&W[k], &W[l]);
      }
    }
  }
  return STATUS_OK;
}

/* r = A x - b */
static inline void convex_slope(const struct convex_fit *fit, const double *x, double *r) {
  for (size_t i = 0; i < fit->n; i++) {
    r[i] = -fit->b[i];
    for (size_t k = 0; k < fit->n; k++) {
      r[i] += fit->A[i * fit->n + k] * x[k];
    }
  }
}

/* Eigenvalues of L^-1 J(s) L^-T, four per body: at x - t s the pseudo-inertias are L (1 - t
 * lambda) L^T, positive definite as long as all t lambda < 1. */
static inline enum status convex_direction(const struct convex_fit *fit, const double *x,
                                           const double *s, double (*lambda)[4]) {
  enum status status = STATUS_OK;
  for (size_t body = 0; body < fit->bodies && status == STATUS_OK; body++) {
    const struct inertia pi = convex_body(x, body), step = convex_body(s, body);
    const mat4 J = pseudo_inertia(&pi), dJ = pseudo_inertia(&step);
    mat4 L;
    status = sym4_cholesky(&J, &L);
    if (status == STATUS_OK) {
      const mat4 W = sym4_whiten(&L, &dJ);
      status = sym4_eigen(&W, lambda[body], NULL);
    }
  }
  return status;
}

/* How much -mu sum log det J changes from x to x - t s; infinite beyond the last body that can be.
 * Written for the difference, which may be far below the rounding of either value. */
static inline double convex_barrier_change(const struct convex_fit *fit, double mu, double t,
                                           double (*lambda)[4]) {
  double change = 0.0;
  for (size_t body = 0; body < fit->bodies; body++) {
    for (int i = 0; i < 4; i++) {
      const double share = t * lambda[body][i];
      change -= share < 1.0 ? mu * log1p(-share) : -HUGE_VAL;
    }
  }
  return change;
}

/* One Newton step on f + barrier, shortened until it gains, in full once it is short. `*decrement`
 * in nats: twice what the step can gain; it bounds mu tr(W W). STATUS_SINGULAR: the rows leave an
 * unknown open. */
static inline enum status convex_step(const struct convex_fit *fit, double mu, double *x,
                                      double *decrement) {
  static double H[CONVEX_MOST * CONVEX_MOST];
  double slope[CONVEX_MOST] = {0.0}, g[CONVEX_MOST], s[CONVEX_MOST];
  double lambda[CONVEX_MOST / CONVEX_TEN][4];
  memcpy(H, fit->A, sizeof(H));
  convex_slope(fit, x, slope);
  memcpy(g, slope, sizeof(g));
  enum status status = convex_add_barrier(fit, x, mu, g, H);
  memcpy(s, g, sizeof(s));
  if (status == STATUS_OK && !convex_newton(H, s, fit->n)) {
    status = STATUS_SINGULAR;
  }
  if (status == STATUS_OK) {
    status = convex_direction(fit, x, s, lambda);
  }
  if (status != STATUS_OK) {
    return status;
  }
  double along = 0.0, bend = 0.0;
  *decrement = 0.0;
  for (size_t i = 0; i < fit->n; i++) {
    *decrement += g[i] * s[i];
    along += slope[i] * s[i];
    for (size_t k = 0; k < fit->n; k++) {
      bend += s[i] * fit->A[i * fit->n + k] * s[k];
    }
  }
  double t = 1.0;
  for (int halvings = 0; *decrement > CONVEX_SHORT * mu && halvings < CONVEX_STEPS; halvings++) {
    const double change = t * (0.5 * t * bend - along);
    if (change + convex_barrier_change(fit, mu, t, lambda) <= -0.25 * t * *decrement) {
      break;
    }
    t *= 0.5;
  }
  for (size_t i = 0; i < fit->n; i++) {
    x[i] -= t * s[i];
  }
  return STATUS_OK;
}

/* Solves from bodies [bodies] that can be, other unknowns from zero. STATUS_NOT_CONSISTENT: a start
 * that cannot; STATUS_SINGULAR: rows and pull leave an unknown open; STATUS_NO_CONVERGENCE: not
 * solved in the steps allowed. `solution` is written with STATUS_OK only. */
static inline enum status convex_solve(const struct convex_fit *fit, const struct inertia *start,
                                       struct convex_solution *solution) {
  struct convex_solution s = {.gap = HUGE_VAL};
  for (size_t body = 0; body < fit->bodies; body++) {
    if (inertia_consistency(&start[body], 0.0, NULL) != STATUS_OK) {
      return STATUS_NOT_CONSISTENT;
    }
    inertia_to(&start[body], s.x + CONVEX_TEN * body);
  }
  for (double mu = CONVEX_BARRIER; s.gap > CONVEX_GAP; mu *= CONVEX_SHRINK) {
    double decrement = HUGE_VAL;
    const int most = s.steps + CONVEX_STEPS;
    while (decrement > CONVEX_SHORT * mu && s.steps++ < most) {
      const enum status status = convex_step(fit, mu, s.x, &decrement);
      if (status != STATUS_OK) {
        return status;
      }
    }
    if (decrement > CONVEX_SHORT * mu) {
      return STATUS_NO_CONVERGENCE;
    }
    s.gap = 4.0 * mu * (double)fit->bodies;
  }
  s.cost = convex_cost(fit, s.x);
  *solution = s;
  return STATUS_OK;
}

#endif
