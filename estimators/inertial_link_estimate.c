#include "inertial_link_estimate.h"

#include "log_cholesky.h"

#include <math.h>

enum { TEN = INERTIA_PARAMETERS };

unsigned inertial_link_bits(const bool told[TEN]) {
  return (told[LOG_CHOLESKY_ALPHA] ? INERTIAL_KNOWS_MASS : 0u) |
         (told[LOG_CHOLESKY_T] ? INERTIAL_KNOWS_COM_X : 0u) |
         (told[LOG_CHOLESKY_T + 1] ? INERTIAL_KNOWS_COM_Y : 0u) |
         (told[LOG_CHOLESKY_T + 2] ? INERTIAL_KNOWS_COM_Z : 0u) |
         (told[LOG_CHOLESKY_D] && told[LOG_CHOLESKY_D + 1] && told[LOG_CHOLESKY_D + 2]
              ? INERTIAL_KNOWS_SHAPE
              : 0u);
}

static unsigned known_parameters(const struct inertial_core *core, size_t k,
                                 const double *prior_sd) {
  bool known[TEN];
  for (size_t i = 0; i < TEN; i++) {
    const size_t at = TEN * k + i;
    known[i] = sqrt(core->P[at * core->n + at]) < INERTIAL_TOLD * prior_sd[i];
  }
  return inertial_link_bits(known);
}

void inertial_link_tell(const struct inertial_core *core, size_t k, const double *prior_sd,
                        struct inertial_link_estimate *told) {
  told->estimate = core->pi[k];
  inertial_core_deviations(core, k, told->covariance, &told->mass_sd, &told->com_sd);
  told->known = known_parameters(core, k, prior_sd);
}
