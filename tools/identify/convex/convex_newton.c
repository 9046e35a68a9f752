#include "identify/convex/convex_newton.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>

/* Of a diagonal of ones: the first ridge where a matrix is singular to rounding, by what each next
 * one is larger, and the last. */
static const double RIDGE = 1e-14, RIDGE_STEP = 100.0, LAST_RIDGE = 1e-6;

static bool factor(double *H, size_t n) {
  return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n, H, (lapack_int)n) == 0;
}

/* H + ridge again in the half that a failed factor has spoilt, from the other one. */
static void restore(double *H, size_t n, double ridge) {
  for (size_t i = 0; i < n; i++) {
    H[i * n + i] = 1.0 + ridge;
    cblas_dcopy((int)i, H + i * n, 1, H + i, (int)n); /* above the diagonal by LAPACK's columns */
  }
}

bool newton_factor(double *H, double *unit, size_t n, bool ridges) {
  for (size_t i = 0; i < n; i++) {
    if (!(H[i * n + i] > 0.0)) {
      return false;
    }
    unit[i] = 1.0 / sqrt(H[i * n + i]);
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < n; k++) {
      H[i * n + k] *= unit[i] * unit[k];
    }
    H[i * n + i] = 1.0;
  }
  bool factored = factor(H, n);
  for (double ridge = RIDGE; !factored && ridges && ridge < LAST_RIDGE; ridge *= RIDGE_STEP) {
    restore(H, n, ridge);
    factored = factor(H, n);
  }
  return factored;
}

void newton_solve(const double *H, const double *unit, double *g, size_t n) {
  for (size_t i = 0; i < n; i++) {
    g[i] *= unit[i];
  }
  cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)n, H, (int)n, g, 1);
  cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, (int)n, H, (int)n, g, 1);
  for (size_t i = 0; i < n; i++) {
    g[i] *= unit[i];
  }
}
