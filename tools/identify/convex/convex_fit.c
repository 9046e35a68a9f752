#include "identify/convex/convex_fit.h"

#include "inertia/inertia_metric.h"
#include "inertia/pseudo_inertia.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct inertia convex_body(const double *x, size_t body) {
  return inertia_from(x + CONVEX_TEN * body);
}

enum status convex_begin(struct convex_fit *fit, size_t bodies, size_t others) {
  const size_t n = CONVEX_TEN * bodies + others;
  *fit = (struct convex_fit){.bodies = bodies, .n = n, .gap = CONVEX_GAP};
  fit->A = calloc(n * n, sizeof(double));
  fit->b = calloc(n, sizeof(double));
  fit->work = calloc(n * n + 6 * n, sizeof(double));
  enum status status =
      fit->A != NULL && fit->b != NULL && fit->work != NULL ? STATUS_OK : STATUS_NO_MEMORY;
  for (size_t i = 0; i < bodies && status == STATUS_OK; i++) {
    const struct convex_cone cone = cone_of_body(CONVEX_TEN * i);
    status = convex_add_cone(fit, &cone);
  }
  if (status != STATUS_OK) {
    convex_free(fit);
  }
  return status;
}

void convex_free(struct convex_fit *fit) {
  free(fit->A);
  free(fit->b);
  free(fit->work);
  free(fit->cone);
  free(fit->divergence);
  *fit = (struct convex_fit){0};
}

void convex_clear(struct convex_fit *fit) {
  memset(fit->A, 0, fit->n * fit->n * sizeof(*fit->A));
  memset(fit->b, 0, fit->n * sizeof(*fit->b));
  for (size_t c = 0; c < fit->n_cones; c++) {
    fit->divergence[c] = 0.0;
  }
}

enum status convex_add_cone(struct convex_fit *fit, const struct convex_cone *cone) {
  if (cone->first + cone->columns > fit->n || cone->columns > CONE_COLUMNS ||
      cone->size > CONE_SIZE) {
    return STATUS_BAD_ARGUMENT;
  }
  if (fit->n_cones == fit->room) {
    const size_t room = 2 * fit->room + 16;
    struct convex_cone *cones = realloc(fit->cone, room * sizeof(*cones));
    if (cones == NULL) {
      return STATUS_NO_MEMORY;
    }
    fit->cone = cones;
    double *divergence = realloc(fit->divergence, room * sizeof(*divergence));
    if (divergence == NULL) {
      return STATUS_NO_MEMORY;
    }
    fit->divergence = divergence;
    fit->room = room;
  }
  fit->divergence[fit->n_cones] = 0.0;
  fit->cone[fit->n_cones++] = *cone;
  return STATUS_OK;
}

void convex_row(struct convex_fit *fit, const double *Y, double z, double variance) {
  for (size_t i = 0; i < fit->n; i++) {
    const double share = Y[i] / variance;
    fit->b[i] += share * z;
    for (size_t k = 0; share != 0.0 && k < fit->n; k++) {
      fit->A[i * fit->n + k] += share * Y[k];
    }
  }
}

void convex_rows(struct convex_fit *fit, const double *Y, const double *z, size_t rows,
                 double variance) {
  const int n = (int)fit->n;
  cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, n, (int)rows, 1.0 / variance, Y, n, 1.0,
              fit->A, n);
  cblas_dgemv(CblasRowMajor, CblasTrans, (int)rows, n, 1.0 / variance, Y, n, z, 1, 1.0, fit->b, 1);
  for (size_t i = 1; i < fit->n; i++) {
    cblas_dcopy((int)i, fit->A + i, n, fit->A + i * fit->n, 1);
  }
}

void convex_pull_one(struct convex_fit *fit, size_t i, double likely, double sd) {
  const double weight = 1.0 / (sd * sd);
  fit->A[i * fit->n + i] += weight;
  fit->b[i] += weight * likely;
}

enum status convex_pull(struct convex_fit *fit, size_t body, const struct inertia *likely,
                        double sd) {
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

/* tr(J0^-1 J) - log det J: a linear term, and a barrier that does not fade. */
enum status convex_pull_entropic(struct convex_fit *fit, size_t body, const struct inertia *likely,
                                 double sd) {
  double pi[CONVEX_TEN], L[16];
  inertia_to(likely, pi);
  struct convex_cone own = cone_of_body(0);
  double J[16];
  cone_at(&own, pi, J);
  if (!cone_factor(J, 4, L)) {
    return STATUS_NOT_CONSISTENT;
  }
  for (size_t k = 0; k < CONVEX_TEN; k++) {
    cone_whiten(L, 4, own.slope[k]);
    for (int i = 0; i < 4; i++) {
      fit->b[CONVEX_TEN * body + k] -= own.slope[k][5 * i] / (sd * sd);
    }
  }
  fit->divergence[body] += 1.0 / (sd * sd);
  return STATUS_OK;
}

void convex_slope(const struct convex_fit *fit, const double *x, double *r) {
  const int n = (int)fit->n;
  memcpy(r, fit->b, fit->n * sizeof(*r));
  cblas_dgemv(CblasRowMajor, CblasNoTrans, n, n, 1.0, fit->A, n, x, 1, -1.0, r, 1);
}

double convex_cost(const struct convex_fit *fit, const double *x) {
  double cost = 0.0;
  for (size_t i = 0; i < fit->n; i++) {
    const double Ax = cblas_ddot((int)fit->n, fit->A + i * fit->n, 1, x, 1);
    cost += x[i] * (0.5 * Ax - fit->b[i]);
  }
  return cost;
}
