#include "inertial/observability.h"

#include "inertial/inertial_link_estimate.h"
#include "numerics/small_matrix.h"

#include <math.h>
#include <string.h>

enum { TEN = INERTIA_PARAMETERS, SQUARE = TEN * TEN };

void observability_init(struct observability *observability, size_t n_links, double time_s,
                        struct arena *arena) {
  *observability = (struct observability){.n_links = n_links, .time_s = time_s};
  observability->F = ARENA_ARRAY(arena, double, n_links *SQUARE);
  observability->shown = ARENA_ARRAY(arena, unsigned, n_links);
}

void observability_reset(struct observability *observability) {
  memset(observability->F, 0, observability->n_links * SQUARE * sizeof(double));
  memset(observability->shown, 0, observability->n_links * sizeof(unsigned));
}

/* F += H^T R^-1 H, with H = Y G the columns of link k */
static void add_rows(double *F, const double *G, const struct inertial_core *core,
                     const struct inertial_rows *rows, size_t k) {
  double H[INERTIAL_MAX_ROWS * TEN];
  small_multiply(rows->n, TEN, TEN, 1.0, small_factor(rows->Y + TEN * k, core->n),
                 small_factor(G, TEN), 0.0, H, TEN);
  for (size_t r = 0; r < rows->n; r++) {
    const double *h = H + TEN * r;
    small_rank_one(TEN, TEN, 1.0 / rows->R[r], h, h, F, TEN);
  }
}

/* F -= G^T E[dY^T R^-1 dY] G */
static void take_noise(double *F, const double *G, const struct inertial_core *core,
                       const struct inertial_rows *rows, size_t k) {
  if (rows->YtWY == NULL) {
    return;
  }
  const double *N = rows->YtWY + TEN * k * core->n_pi + TEN * k;
  double NG[SQUARE];
  small_multiply(TEN, TEN, TEN, 1.0, small_factor(N, core->n_pi), small_factor(G, TEN), 0.0, NG,
                 TEN);
  small_multiply(TEN, TEN, TEN, -1.0, small_transposed(G, TEN), small_factor(NG, TEN), 1.0, F, TEN);
}

/* P = (F + prior^-1)^-1, every coordinate in units of its prior deviation. */
static unsigned look(const double *F, const double sigma[TEN]) {
  double P[SQUARE], variance[TEN];
  for (size_t i = 0; i < TEN; i++) {
    for (size_t j = 0; j < TEN; j++) {
      P[TEN * i + j] = sigma[i] * F[TEN * i + j] * sigma[j] + (i == j ? 1.0 : 0.0);
    }
  }
  if (!small_cholesky_lower(TEN, P)) {
    return 0; /* nothing but noise */
  }
  small_cholesky_inverse(TEN, P);
  for (size_t i = 0; i < TEN; i++) {
    variance[i] = P[TEN * i + i];
  }
  return inertial_link_bits(variance);
}

void observability_take(struct observability *observability, const struct inertial_core *core,
                        const struct inertial_rows *rows, double dt) {
  const double kept = exp(-dt / observability->time_s);
  for (size_t k = 0; k < observability->n_links; k++) {
    double theta[TEN], G[TEN][TEN], sigma[TEN], *F = observability->F + SQUARE * k;
    small_scale(SQUARE, kept, F);
    if (log_cholesky_from_inertia(LOG_CHOLESKY_RUCKER, &core->pi[k], theta) != STATUS_OK) {
      continue;
    }
    log_cholesky_jacobian(LOG_CHOLESKY_RUCKER, theta, G);
    add_rows(F, &G[0][0], core, rows, k);
    take_noise(F, &G[0][0], core, rows, k);
    if (k == observability->next) {
      inertial_form_deviations(&core->settings.prior, theta, sigma);
      observability->shown[k] = look(F, sigma);
    }
  }
  observability->next = (observability->next + 1) % observability->n_links;
}
