#include "inertia/inertia_metric.h"

#include "inertia/pseudo_inertia.h"

/* @eq Leboutet22 167
 * @differs Leboutet22 167: print has J0^-1 before the square of the difference, which is not
 * invariant; J0^-1 stands between its factors, too */
enum status inertia_pullback_matrix(const struct inertia *reference,
                                    double W[INERTIA_PARAMETERS][INERTIA_PARAMETERS]) {
  const mat4 J0 = pseudo_inertia(reference);
  mat4 L, white[INERTIA_PARAMETERS]; /* L L^T = J0 */
  const enum status status = sym4_cholesky(&J0, &L);
  if (status != STATUS_OK) {
    return status == STATUS_SINGULAR ? STATUS_NOT_CONSISTENT : status;
  }
  for (int i = 0; i < INERTIA_PARAMETERS; i++) {
    double unit[INERTIA_PARAMETERS] = {0};
    unit[i] = 1.0;
    const struct inertia pi = inertia_from(unit);
    const mat4 J = pseudo_inertia(&pi);
    white[i] = sym4_whiten(&L, &J);
  }
  for (int i = 0; i < INERTIA_PARAMETERS; i++) {
    for (int j = 0; j < INERTIA_PARAMETERS; j++) {
      W[i][j] = 0.5 * mat4_dot(&white[i], &white[j]);
    }
  }
  return STATUS_OK;
}
