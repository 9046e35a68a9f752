#include "inertia/nearest_inertia.h"

#include "math/sym4.h"

#include <math.h>

static double trace(const mat3 *A) {
  return A->m[0][0] + A->m[1][1] + A->m[2][2];
}

/* tr(A) share 1 - A: with share 1/2 from moments to spread, with 1 back again. */
static mat3 trace_minus(const mat3 *A, double share) {
  const double t = share * trace(A);
  mat3 out;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      out.m[i][j] = (i == j ? t : 0.0) - A->m[i][j];
    }
  }
  return out;
}

/* V diag(lambda) V^T */
static mat3 put_together(const mat3 *V, const double lambda[3]) {
  mat3 out;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      out.m[i][j] = 0.0;
      for (int k = 0; k < 3; k++) {
        out.m[i][j] += V->m[i][k] * lambda[k] * V->m[j][k];
      }
    }
  }
  return out;
}

enum status nearest_inertia(struct inertia *pi, double least_spread, double *change) {
  if (!(pi->m > 0.0)) {
    return STATUS_NOT_CONSISTENT;
  }
  /* twice what would do, so that rounding leaves it consistent */
  const double least = 4.0 * pi->m * least_spread * least_spread;
  const mat3 I_C = inertia_tensor_at_com(pi), spread = trace_minus(&I_C, 0.5);
  double lambda[3], before[3], after[3], largest = 0.0;
  mat3 V;
  if (sym3_eigen(&spread, lambda, &V) != STATUS_OK || sym3_eigen(&I_C, before, NULL) != STATUS_OK) {
    return STATUS_NOT_CONSISTENT;
  }
  for (int k = 0; k < 3; k++) {
    lambda[k] = fmax(lambda[k], least);
  }
  const mat3 raised = put_together(&V, lambda), I_new = trace_minus(&raised, 1.0);
  const vec3 c = vec3_scale(1.0 / pi->m, pi->h);
  sym3_eigen(&I_new, after, NULL);
  for (int k = 0; k < 3; k++) {
    largest = fmax(largest, fabs(after[k] - before[k]) / after[2]);
  }
  if (change != NULL) {
    *change = largest;
  }
  *pi = inertia_of_body(pi->m, c, &I_new);
  return STATUS_OK;
}
