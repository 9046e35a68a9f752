#include "inertial/observability.h"

#include "inertial/inertial_link_estimate.h"
#include "inertial/inertial_prior.h"
#include "numerics/small_matrix.h"

#include <math.h>

enum { TEN = INERTIA_PARAMETERS, SQUARE = TEN * TEN };

void observability_init(struct observability *observability, size_t n_links, double time_s,
                        struct arena *arena) {
  *observability = (struct observability){.n_links = n_links, .time_s = time_s};
  observability->F = ARENA_ARRAY(arena, double, n_links *SQUARE);
  observability->shown = ARENA_ARRAY(arena, unsigned, n_links);
}

/* P = (B^T F B + 1)^-1, every coordinate of Rucker's in units of its prior deviation: B B^T is the
 * prior's covariance in the state. */
static unsigned look(const double *F, const double B[TEN][TEN]) {
  double FB[SQUARE], P[SQUARE], variance[TEN];
  small_multiply(TEN, TEN, TEN, 1.0, small_factor(F, TEN), small_factor(&B[0][0], TEN), 0.0, FB,
                 TEN);
  small_multiply_symmetric(TEN, TEN, 1.0, small_transposed(&B[0][0], TEN), small_factor(FB, TEN),
                           0.0, P, TEN);
  for (size_t i = 0; i < TEN; i++) {
    P[TEN * i + i] += 1.0;
  }
  if (!small_cholesky_lower(TEN, P)) {
    return 0; /* no numbers */
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
  double B[TEN][TEN];
  for (size_t k = 0; k < observability->n_links; k++) {
    /* F += H^T R^-1 H, of the link's columns */
    double *F = observability->F + SQUARE * k;
    small_scale(SQUARE, kept, F);
    for (size_t r = 0; r < rows->n; r++) {
      const double *h = core->H + core->n * r + TEN * k;
      small_rank_one(TEN, TEN, 1.0 / rows->R[r], h, h, F, TEN);
    }
  }
  inertial_core_spread(core, observability->next, &core->settings.prior, B);
  observability->shown[observability->next] =
      look(observability->F + SQUARE * observability->next, (const double(*)[TEN])B);
  observability->next = (observability->next + 1) % observability->n_links;
}
