#include "inertial/inertial_link_estimate.h"

#include "inertia/log_cholesky.h"
#include "numerics/small_matrix.h"

#include <math.h>
#include <string.h>

enum { TEN = INERTIA_PARAMETERS };

unsigned inertial_link_bits(const double variance[TEN]) {
  static const unsigned BIT[TEN] = {[LOG_CHOLESKY_ALPHA] = INERTIAL_KNOWS_MASS,
                                    [LOG_CHOLESKY_T] = INERTIAL_KNOWS_COM_X,
                                    [LOG_CHOLESKY_T + 1] = INERTIAL_KNOWS_COM_Y,
                                    [LOG_CHOLESKY_T + 2] = INERTIAL_KNOWS_COM_Z};
  const double told = INERTIAL_TOLD * INERTIAL_TOLD, *d = variance + LOG_CHOLESKY_D;
  unsigned bits = d[0] < told && d[1] < told && d[2] < told ? INERTIAL_KNOWS_SHAPE : 0u;
  for (size_t i = 0; i < TEN; i++) {
    bits |= variance[i] < told ? BIT[i] : 0u;
  }
  return bits;
}

/* Diagonal of B^-1 P B^-T for the block P of a covariance of the state, B by its factors. */
static void in_units(const struct inertial_core *core, const double *P, const double LU[TEN][TEN],
                     const int pivot[TEN], double variance[TEN]) {
  double X[TEN][TEN], Z[TEN][TEN];
  for (size_t i = 0; i < TEN; i++) {
    memcpy(X[i], P + i * core->n, sizeof(X[i]));
  }
  small_lu_solve(TEN, &LU[0][0], pivot, TEN, &X[0][0], TEN);
  for (size_t i = 0; i < TEN * TEN; i++) {
    Z[i % TEN][i / TEN] = X[i / TEN][i % TEN];
  }
  small_lu_solve(TEN, &LU[0][0], pivot, TEN, &Z[0][0], TEN);
  for (size_t i = 0; i < TEN; i++) {
    variance[i] = Z[i][i];
  }
}

/* INERTIAL_KNOWS_* of the k-th link: variances of Rucker's coordinates in units of the prior's, or
 * of what they were when the estimate was last opened, if that is more. */
static unsigned known(const struct inertial_core *core, size_t k) {
  double B[TEN][TEN], variance[TEN], opened[TEN];
  int pivot[TEN];
  const size_t block = TEN * k * core->n + TEN * k;
  if (inertial_form_spread(core->settings.form, &core->pi[k], &core->settings.prior, B) !=
          STATUS_OK ||
      !small_lu(TEN, &B[0][0], pivot)) {
    return 0; /* they are no body */
  }
  in_units(core, core->P + block, (const double(*)[TEN])B, pivot, variance);
  in_units(core, core->P_prior + block, (const double(*)[TEN])B, pivot, opened);
  for (size_t i = 0; i < TEN; i++) {
    variance[i] /= core->settings.memory ? fmax(1.0, opened[i]) : 1.0;
  }
  return inertial_link_bits(variance);
}

void inertial_link_tell(const struct inertial_core *core, size_t k,
                        struct inertial_link_estimate *told) {
  told->estimate = inertial_core_told(core, k);
  inertial_core_deviations(core, k, told->covariance, &told->mass_sd, &told->com_sd);
  told->known = known(core, k);
}
