#include "inertial/inertial_link_estimate.h"

#include "inertia/log_cholesky.h"
#include "numerics/small_matrix.h"

#include <math.h>

enum { TEN = INERTIA_PARAMETERS };

unsigned inertial_link_bits(const double variance[TEN]) {
  bool told[TEN];
  for (size_t i = 0; i < TEN; i++) {
    told[i] = variance[i] < INERTIAL_TOLD * INERTIAL_TOLD;
  }
  return (told[LOG_CHOLESKY_ALPHA] ? INERTIAL_KNOWS_MASS : 0u) |
         (told[LOG_CHOLESKY_T] ? INERTIAL_KNOWS_COM_X : 0u) |
         (told[LOG_CHOLESKY_T + 1] ? INERTIAL_KNOWS_COM_Y : 0u) |
         (told[LOG_CHOLESKY_T + 2] ? INERTIAL_KNOWS_COM_Z : 0u) |
         (told[LOG_CHOLESKY_D] && told[LOG_CHOLESKY_D + 1] && told[LOG_CHOLESKY_D + 2]
              ? INERTIAL_KNOWS_SHAPE
              : 0u);
}

/* Diagonal of T P T^T for the block P of a covariance of the state. */
static void diagonal_in_rucker(const struct inertial_core *core, const double *P,
                               const double T[TEN][TEN], double variance[TEN]) {
  double TP[TEN][TEN];
  small_multiply(TEN, TEN, TEN, 1.0, small_factor(&T[0][0], TEN), small_factor(P, core->n), 0.0,
                 &TP[0][0], TEN);
  for (size_t i = 0; i < TEN; i++) {
    variance[i] = small_dot(TEN, TP[i], T[i]);
  }
}

/* Variances of Rucker's coordinates in units of the prior's, or of what they were when the estimate
 * was last opened, if that is more. False when the k-th link's parameters are no body. */
static bool rucker_variances(const struct inertial_core *core, size_t k, double variance[TEN]) {
  double theta[TEN], T[TEN][TEN], sigma[TEN], opened[TEN];
  const size_t block = TEN * k * core->n + TEN * k;
  if (inertial_form_rucker(core->settings.form, core->x + TEN * k, theta, T) != STATUS_OK) {
    return false;
  }
  inertial_form_deviations(&core->settings.prior, theta, sigma);
  diagonal_in_rucker(core, core->P + block, (const double(*)[TEN])T, variance);
  diagonal_in_rucker(core, core->P_prior + block, (const double(*)[TEN])T, opened);
  for (size_t i = 0; i < TEN; i++) {
    variance[i] /= fmax(sigma[i] * sigma[i], core->settings.memory ? opened[i] : 0.0);
  }
  return true;
}

void inertial_link_tell(const struct inertial_core *core, size_t k,
                        struct inertial_link_estimate *told) {
  double variance[TEN];
  told->estimate = inertial_core_told(core, k);
  inertial_core_deviations(core, k, told->covariance, &told->mass_sd, &told->com_sd);
  told->known = rucker_variances(core, k, variance) ? inertial_link_bits(variance) : 0;
}
