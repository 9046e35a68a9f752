#include "observability.h"

#include "inertial_link_estimate.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { TEN = INERTIA_PARAMETERS, SQUARE = TEN * TEN };

enum status observability_init(struct observability *observability, size_t n_links, double time_s,
                               struct arena *arena) {
  *observability = (struct observability){.n_links = n_links, .time_s = time_s};
  observability->F = ARENA_ARRAY(arena, double, n_links *SQUARE);
  observability->shown = ARENA_ARRAY(arena, unsigned, n_links);
  return arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

void observability_reset(struct observability *observability) {
  memset(observability->F, 0, observability->n_links * SQUARE * sizeof(double));
  memset(observability->shown, 0, observability->n_links * sizeof(unsigned));
}

/* F = kept F + H^T R^-1 H, with H = Y G the columns of link k */
static void add_rows(double *F, const struct inertial_core *core, const struct inertial_rows *rows,
                     size_t k, double kept) {
  cblas_dscal(SQUARE, kept, F, 1);
  for (size_t r = 0; r < rows->n; r++) {
    const double *h = core->H + r * core->n + TEN * k;
    cblas_dger(CblasRowMajor, TEN, TEN, 1.0 / rows->R[r], h, 1, h, 1, F, TEN);
  }
}

/* F -= G^T E[dY^T R^-1 dY] G */
static void take_noise(double *F, const struct inertial_core *core,
                       const struct inertial_rows *rows, size_t k) {
  if (rows->YtWY == NULL) {
    return;
  }
  const double *N = rows->YtWY + TEN * k * core->n + TEN * k, *G = core->G + SQUARE * k;
  double NG[SQUARE];
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, TEN, TEN, TEN, 1.0, N, (int)core->n, G,
              TEN, 0.0, NG, TEN);
  cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, TEN, TEN, TEN, -1.0, G, TEN, NG, TEN, 1.0, F,
              TEN);
}

/* P = (F + prior^-1)^-1, every coordinate in units of its prior deviation. */
static unsigned look(const double *F, const double *prior_sd) {
  double P[SQUARE];
  bool told[TEN];
  for (size_t i = 0; i < TEN; i++) {
    for (size_t j = 0; j < TEN; j++) {
      P[TEN * i + j] = prior_sd[i] * F[TEN * i + j] * prior_sd[j] + (i == j ? 1.0 : 0.0);
    }
  }
  if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', TEN, P, TEN) != 0 ||
      LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', TEN, P, TEN) != 0) {
    return 0; /* nothing but noise */
  }
  for (size_t i = 0; i < TEN; i++) {
    told[i] = P[TEN * i + i] < INERTIAL_TOLD * INERTIAL_TOLD;
  }
  return inertial_link_bits(told);
}

void observability_take(struct observability *observability, const struct inertial_core *core,
                        const struct inertial_rows *rows, double dt, double prior_sd[][TEN]) {
  const double kept = exp(-dt / observability->time_s);
  for (size_t k = 0; k < observability->n_links; k++) {
    add_rows(observability->F + SQUARE * k, core, rows, k, kept);
    take_noise(observability->F + SQUARE * k, core, rows, k);
  }
  const size_t k = observability->next;
  observability->shown[k] = look(observability->F + SQUARE * k, prior_sd[k]);
  observability->next = (k + 1) % observability->n_links;
}
