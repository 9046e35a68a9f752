#include "identify/convex/primal_dual.h"

#include "identify/convex/convex_newton.h"
#include "math/jacobi.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 40 };

/* Of the way to the border a step may go. */
static const double NEAR = 0.95;
/* Share of the slope's first residual that may be left; of the last weight that is near it. */
static const double CLOSED = 1e-7, NEAR_LAST = 1.5;
/* A step shorter than this leads nowhere. */
static const double SHORTEST = 1e-4;

/* One cone on the way; all matrices [size][size]. */
struct pair {
  double Z[CONE_ENTRIES];  /* multiplier */
  double T[CONE_ENTRIES];  /* scaling */
  double D[CONE_SIZE];     /* what F and Z both are in it */
  double dF[CONE_ENTRIES]; /* step of F, scaled */
  double dZ[CONE_ENTRIES]; /* step of Z, scaled */
};

struct way {
  const struct convex_fit *fit;
  struct pair *pair;            /* [n_cones] */
  double *x, *H;                /* [n], [n][n] */
  double *s, *g, *slope, *unit; /* [n] step, its right side, A x - b, scratch of the solve */
};

/* -- small matrices --------------------------------------------------------------------------- */

/* out = A B, or A^T B. */
static void multiply(const double *A, bool turned, const double *B, int size, double *out) {
  for (int i = 0; i < size; i++) {
    for (int k = 0; k < size; k++) {
      double sum = 0.0;
      for (int l = 0; l < size; l++) {
        sum += (turned ? A[l * size + i] : A[i * size + l]) * B[l * size + k];
      }
      out[i * size + k] = sum;
    }
  }
}

/* T E T^T in place of the symmetric E, or T^T E T. */
static void congruence(const double *T, bool turned, int size, double *E) {
  double half[CONE_ENTRIES], back[CONE_ENTRIES];
  multiply(T, turned, E, size, half); /* T E, whose transpose is E T^T */
  for (int i = 0; i < size; i++) {
    for (int k = 0; k < size; k++) {
      back[k * size + i] = half[i * size + k];
    }
  }
  multiply(T, turned, back, size, E);
}

static double dot(const double *A, const double *B, int entries) {
  double sum = 0.0;
  for (int i = 0; i < entries; i++) {
    sum += A[i] * B[i];
  }
  return sum;
}

/* F = L L^T, L^T Z L = V D^2 V^T, T = D^1/2 V^T L^-1. False outside of the cone. */
static bool find_scaling(const struct convex_cone *cone, const double *x, struct pair *p) {
  const int size = cone->size;
  double F[CONE_ENTRIES], L[CONE_ENTRIES], LT[CONE_ENTRIES], E[CONE_ENTRIES], V[CONE_ENTRIES];
  int order[CONE_SIZE];
  cone_at(cone, x, F);
  if (!cone_factor(F, size, L)) {
    return false;
  }
  for (int i = 0; i < size * size; i++) {
    LT[i % size * size + i / size] = L[i];
  }
  memcpy(E, p->Z, sizeof(E));
  congruence(LT, false, size, E);
  jacobi_eigen(E, V, size, size, order);
  for (int i = 0; i < size; i++) {
    if (!(E[i * size + i] > 0.0)) {
      return false;
    }
    p->D[i] = sqrt(E[i * size + i]);
    /* row i of T: root of D_i times what solves L^T t = (column i of V), from below */
    for (int k = size - 1; k >= 0; k--) {
      double rest = V[k * size + i];
      for (int l = k + 1; l < size; l++) {
        rest -= L[l * size + k] * p->T[i * size + l];
      }
      p->T[i * size + k] = rest / L[k * size + k];
    }
    cblas_dscal(size, sqrt(p->D[i]), p->T + i * size, 1);
  }
  return true;
}

/* Adds tr(T S_k T^T T S_l T^T) of a cone to H. */
static void add_curvature(const struct convex_fit *fit, const struct convex_cone *cone,
                          const struct pair *p, double *H) {
  double S[CONE_COLUMNS][CONE_ENTRIES];
  const int entries = cone->size * cone->size;
  for (size_t k = 0; k < cone->columns; k++) {
    memcpy(S[k], cone->slope[k], (size_t)entries * sizeof(double));
    congruence(p->T, false, cone->size, S[k]);
    for (size_t l = 0; l <= k; l++) {
      const double sum = dot(S[k], S[l], entries);
      H[(cone->first + k) * fit->n + cone->first + l] += sum;
      if (l < k) {
        H[(cone->first + l) * fit->n + cone->first + k] += sum;
      }
    }
  }
}

/* -- a step ----------------------------------------------------------------------------------- */

/* Adds the slope of tr(Y F), Y = T^T X T, to g. */
static void add_pull(const struct convex_cone *cone, const double *T, const double *X, double *g) {
  double Y[CONE_ENTRIES];
  const int entries = cone->size * cone->size;
  memcpy(Y, X, (size_t)entries * sizeof(double));
  congruence(T, true, cone->size, Y);
  for (size_t k = 0; k < cone->columns; k++) {
    g[cone->first + k] += dot(cone->slope[k], Y, entries);
  }
}

/* What F + Z is to change by, scaled, for F Z = target: D and, where `bend` says what the predictor
 * has shown, the product of its steps. */
static void wanted(const struct pair *p, int size, double target, bool bend, double *X) {
  double FZ[CONE_ENTRIES] = {0.0};
  if (bend) {
    multiply(p->dF, false, p->dZ, size, FZ);
  }
  for (int i = 0; i < size; i++) {
    for (int k = 0; k < size; k++) {
      X[i * size + k] = -(FZ[i * size + k] + FZ[k * size + i]) / (p->D[i] + p->D[k]);
    }
    X[i * size + i] += target / p->D[i] - p->D[i];
  }
}

/* Step s of x and steps of every F and Z, towards F Z = target. */
static void find_step(struct way *w, double target, bool bend) {
  const size_t n = w->fit->n;
  double X[CONE_ENTRIES];
  for (size_t i = 0; i < n; i++) {
    w->g[i] = -w->slope[i];
  }
  /* -(A x - b) + F*(Z) + F*(T^T X T); Z is T^T D T */
  for (size_t c = 0; c < w->fit->n_cones; c++) {
    const struct convex_cone *cone = &w->fit->cone[c];
    wanted(&w->pair[c], cone->size, target, bend, X);
    for (int i = 0; i < cone->size; i++) {
      X[i * cone->size + i] += w->pair[c].D[i];
    }
    add_pull(cone, w->pair[c].T, X, w->g);
  }
  memcpy(w->s, w->g, n * sizeof(*w->s));
  newton_solve(w->H, w->unit, w->s, n);
  for (size_t c = 0; c < w->fit->n_cones; c++) {
    const struct convex_cone *cone = &w->fit->cone[c];
    struct pair *p = &w->pair[c];
    const int entries = cone->size * cone->size;
    wanted(p, cone->size, target, bend, X);
    memset(p->dF, 0, sizeof(p->dF));
    for (size_t k = 0; k < cone->columns; k++) {
      for (int i = 0; i < entries; i++) {
        p->dF[i] += w->s[cone->first + k] * cone->slope[k][i];
      }
    }
    congruence(p->T, false, cone->size, p->dF);
    for (int i = 0; i < entries; i++) {
      p->dZ[i] = X[i] - p->dF[i];
    }
  }
}

/* The t at which D + t E leaves the cone; infinite when it does not. */
static double to_border(const double *D, const double *E, int size) {
  double W[CONE_ENTRIES], lambda[CONE_SIZE], least = 0.0;
  for (int i = 0; i < size; i++) {
    for (int k = 0; k < size; k++) {
      W[i * size + k] = E[i * size + k] / sqrt(D[i] * D[k]);
    }
  }
  cone_eigenvalues(W, size, lambda);
  for (int i = 0; i < size; i++) {
    least = fmin(least, lambda[i]);
  }
  return least < 0.0 ? -1.0 / least : HUGE_VAL;
}

/* The longest step, 1 at most, that keeps `near` of the way to every border. */
static double longest(const struct way *w, double near) {
  double t = HUGE_VAL;
  for (size_t c = 0; c < w->fit->n_cones; c++) {
    const struct pair *p = &w->pair[c];
    const int size = w->fit->cone[c].size;
    t = fmin(t, fmin(to_border(p->D, p->dF, size), to_border(p->D, p->dZ, size)));
  }
  return fmin(1.0, near * t);
}

/* sum tr(F Z) after a step t. */
static double product(const struct way *w, double t) {
  double sum = 0.0;
  for (size_t c = 0; c < w->fit->n_cones; c++) {
    const struct pair *p = &w->pair[c];
    const int size = w->fit->cone[c].size;
    for (int i = 0; i < size; i++) {
      sum += p->D[i] * (p->D[i] + t * (p->dF[i * size + i] + p->dZ[i * size + i]));
    }
    sum += t * t * dot(p->dF, p->dZ, size * size);
  }
  return sum;
}

static void move(struct way *w, double t) {
  cblas_daxpy((int)w->fit->n, t, w->s, 1, w->x, 1);
  for (size_t c = 0; c < w->fit->n_cones; c++) {
    struct pair *p = &w->pair[c];
    const int size = w->fit->cone[c].size;
    congruence(p->T, true, size, p->dZ);
    for (int i = 0; i < size; i++) {
      for (int k = 0; k <= i; k++) {
        const double both = 0.5 * (p->dZ[i * size + k] + p->dZ[k * size + i]);
        p->Z[i * size + k] += t * both;
        p->Z[k * size + i] = p->Z[i * size + k];
      }
    }
  }
}

/* -- the way ---------------------------------------------------------------------------------- */

/* Scalings and the factor of A + sum T S T^T . T S T^T at x. */
static enum status prepare(struct way *w) {
  const struct convex_fit *fit = w->fit;
  memcpy(w->H, fit->A, fit->n * fit->n * sizeof(*w->H));
  for (size_t c = 0; c < fit->n_cones; c++) {
    if (!find_scaling(&fit->cone[c], w->x, &w->pair[c])) {
      return STATUS_NO_CONVERGENCE;
    }
    add_curvature(fit, &fit->cone[c], &w->pair[c], w->H);
  }
  convex_slope(fit, w->x, w->slope);
  return newton_factor(w->H, w->unit, fit->n, true) ? STATUS_OK : STATUS_SINGULAR;
}

/* One predictor and one corrector; *open shrinks as the slope's residual does. */
static enum status step(struct way *w, double sizes, double last, double *mu, double *open) {
  const enum status status = prepare(w);
  if (status != STATUS_OK) {
    return status;
  }
  /* straight for the border: how far would it lead? */
  find_step(w, 0.0, false);
  const double left = product(w, longest(w, 1.0)) / (sizes * *mu);
  /* so much is left of mu, and the product of that step's parts is what it bends */
  const double target = fmax(last, left * left * left * *mu);
  find_step(w, target, true);
  const double t = longest(w, NEAR);
  if (!(t > SHORTEST)) {
    return STATUS_NO_CONVERGENCE;
  }
  *mu = product(w, t) / sizes;
  *open *= 1.0 - t;
  move(w, t);
  return STATUS_OK;
}

/* R = L^-1. */
static void invert_lower(const double *L, int size, double *R) {
  for (int k = 0; k < size; k++) {
    for (int i = 0; i < size; i++) {
      double rest = i == k ? 1.0 : 0.0;
      for (int l = k; l < i; l++) {
        rest -= L[i * size + l] * R[l * size + k];
      }
      R[i * size + k] = i < k ? 0.0 : rest / L[i * size + i];
    }
  }
}

/* Z = mu F^-1. */
static bool begin(struct way *w, double mu) {
  for (size_t c = 0; c < w->fit->n_cones; c++) {
    double F[CONE_ENTRIES], L[CONE_ENTRIES], R[CONE_ENTRIES];
    const int size = w->fit->cone[c].size;
    cone_at(&w->fit->cone[c], w->x, F);
    if (!cone_factor(F, size, L)) {
      return false;
    }
    invert_lower(L, size, R);
    multiply(R, true, R, size, w->pair[c].Z);
    cblas_dscal(size * size, mu, w->pair[c].Z, 1);
  }
  return true;
}

enum status primal_dual_follow(const struct convex_fit *fit, double mu, double last, double *x,
                               double *H, double *vectors, int *steps) {
  const size_t n = fit->n;
  struct way w = {fit,
                  calloc(fit->n_cones + 1, sizeof(struct pair)),
                  x,
                  H,
                  vectors,
                  vectors + n,
                  vectors + 2 * n,
                  vectors + 3 * n};
  double sizes = 0.0, open = 1.0;
  enum status status = w.pair == NULL ? STATUS_NO_MEMORY : STATUS_OK;
  for (size_t c = 0; c < fit->n_cones; c++) {
    sizes += fit->cone[c].size;
  }
  if (status == STATUS_OK && !begin(&w, mu)) {
    status = STATUS_NO_CONVERGENCE;
  }
  for (int k = 0; status == STATUS_OK && (mu > NEAR_LAST * last || open > CLOSED); k++) {
    status = k < MOST_STEPS ? step(&w, sizes, last, &mu, &open) : STATUS_NO_CONVERGENCE;
    *steps += status == STATUS_OK;
  }
  free(w.pair);
  return status;
}
