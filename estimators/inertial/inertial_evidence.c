#include "inertial/inertial_evidence.h"

#include "inertial/inertial_update.h"
#include "numerics/small_matrix.h"

#include <math.h>
#include <string.h>

/* The information of the rows and what they say beyond the prior's mean, in the state. */
static void beyond_the_mean(struct inertial_core *core, double *A, double *g) {
  inertial_core_linearise(core, core->x_prior);
  row_memory_fit(&core->rows, 0, core->flat, A, core->b_fit);
  memset(g, 0, core->n * sizeof(*g));
  inertial_core_add_slope(core, A, core->b_fit, g);
  inertial_core_to_state(core, A, core->n);
}

double inertial_evidence(struct inertial_core *core, const double *P, double *fit) {
  const size_t n = core->n;
  double *A = core->A_fit, *g = core->delta, *L = core->Lambda, *AL = core->work;
  double *M = core->Lambda0, *u = core->x_new;
  beyond_the_mean(core, A, g);
  /* P's factor, with nothing above it */
  memcpy(L, P, n * n * sizeof(*L));
  if (!small_cholesky_lower(n, L)) {
    return -HUGE_VAL;
  }
  for (size_t i = 0; i < n; i++) {
    memset(L + i * n + i + 1, 0, (n - i - 1) * sizeof(*L));
  }
  /* M = 1 + L^T A L, and its factor */
  small_multiply(n, n, n, 1.0, small_factor(A, n), small_factor(L, n), 0.0, AL, n);
  small_multiply_symmetric(n, n, 1.0, small_transposed(L, n), small_factor(AL, n), 0.0, M, n);
  for (size_t i = 0; i < n; i++) {
    M[i * n + i] += 1.0;
  }
  if (!small_cholesky_lower(n, M)) {
    return -HUGE_VAL;
  }
  /* M^-1 u and ln det M */
  double *v = core->delta, log_det = 0.0;
  small_apply(n, n, 1.0, small_transposed(L, n), g, 0.0, u);
  memcpy(v, u, n * sizeof(*v));
  small_cholesky_solve(n, M, v);
  for (size_t i = 0; i < n; i++) {
    log_det += 2.0 * log(M[i * n + i]);
  }
  if (fit != NULL) {
    memcpy(fit, core->x_prior, n * sizeof(*fit));
    small_apply(n, n, 1.0, small_factor(L, n), v, 1.0, fit);
  }
  return 0.5 * (small_dot(n, u, v) - log_det);
}
