/* Base parameters alone: what torques tell, whatever body may be behind it. */
#include "identify/fit/robot_fitter.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

/* Normal equations of the base parameters: A [n][n], b [n], and tau^T tau. */
static double base_equations(const struct fitter *f, double *A, double *b) {
  const struct base_parameters *base = f->base;
  const size_t n = base->n_base, all = f->unknowns->n;
  double constant = 0.0;
  for (size_t block = 0; block < FIT_BLOCKS; block++) {
    const struct normal_equations *e = &f->block[block];
    for (size_t i = 0; i < n; i++) {
      b[i] += e->b[base->order[i]];
      for (size_t k = 0; k < n; k++) {
        A[i * n + k] += e->A[base->order[i] * all + base->order[k]];
      }
    }
    constant += e->constant;
  }
  return constant;
}

/* x and the diagonal of the covariance into b and A. */
static lapack_int least_squares(size_t n, double *A, double *b) {
  const lapack_int size = (lapack_int)n;
  const lapack_int failed = LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', size, 1, A, size, b, size);
  return failed != 0 ? failed : LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', size, A, size);
}

/* The same where columns are as noisy as torques: all of one length, the direction in which [W y]
 * says least. Covariance (1 + |beta|^2) S^2 / rows (W^T W - S^2)^-1. M: [n + 1][n + 1], length:
 * [n + 1], value: [n + 1]. @eq Leboutet22 22 23 */
static lapack_int total_least_squares(size_t n, double constant, double rows, double *A, double *b,
                                      double *M, double *length, double *value) {
  const size_t all = n + 1;
  for (size_t i = 0; i < all; i++) {
    length[i] = sqrt(i < n ? A[i * n + i] : constant);
  }
  for (size_t i = 0; i < all; i++) {
    for (size_t k = 0; k < all; k++) {
      const double entry = i < n && k < n ? A[i * n + k] : i < n ? b[i] : k < n ? b[k] : constant;
      M[i * all + k] = entry / (length[i] * length[k]);
    }
  }
  const lapack_int size = (lapack_int)all;
  lapack_int failed = LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'L', size, M, size, value);
  if (failed != 0 || !(fabs(M[n]) > 0.0)) { /* the first column is the least eigenvalue's */
    return 1;
  }
  double squares = 0.0;
  for (size_t i = 0; i < n; i++) {
    const double beta = -M[i] / M[n];
    squares += beta * beta;
    b[i] = beta * length[n] / length[i];
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < n; k++) {
      A[i * n + k] /= length[i] * length[k];
    }
    A[i * n + i] -= fmax(value[0], 0.0);
  }
  failed = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (lapack_int)n, A, (lapack_int)n);
  if (failed == 0) {
    failed = LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', (lapack_int)n, A, (lapack_int)n);
  }
  const double scale = length[n] * sqrt((1.0 + squares) * fmax(value[0], 0.0) / rows);
  for (size_t i = 0; i < n; i++) {
    A[i * n + i] *= pow(scale / length[i], 2.0);
  }
  return failed;
}

enum status fitter_solve_base(struct fitter *f) {
  const struct base_parameters *base = f->base;
  const size_t n = base->n_base;
  double *A = fitter_numbers(n * n), *b = fitter_numbers(n), *M = fitter_numbers((n + 1) * (n + 1)),
         *length = fitter_numbers(n + 1), *value = fitter_numbers(n + 1), rows = 0.0;
  lapack_int failed =
      A == NULL || b == NULL || M == NULL || length == NULL || value == NULL ? 1 : 0;
  for (size_t j = 0; j < f->rows->n_channels; j++) {
    rows += (double)f->weighed.used[j];
  }
  if (failed == 0) {
    const double constant = base_equations(f, A, b);
    failed = f->settings->method == FIT_TLS
                 ? total_least_squares(n, constant, rows, A, b, M, length, value)
                 : least_squares(n, A, b);
  }
  memset(f->fit->x, 0, f->unknowns->n * sizeof(double));
  for (size_t i = 0; i < n && failed == 0; i++) {
    f->fit->x[base->order[i]] = b[i];
    f->fit->sd[base->order[i]] = sqrt(A[i * n + i]);
  }
  double *const scratch[] = {A, b, M, length, value};
  for (size_t i = 0; i < sizeof(scratch) / sizeof(scratch[0]); i++) {
    free(scratch[i]);
  }
  return failed == 0 ? STATUS_OK : STATUS_TOO_FEW;
}
