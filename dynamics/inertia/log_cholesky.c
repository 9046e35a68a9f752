#include "inertia/log_cholesky.h"

#include "inertia/pseudo_inertia.h"

/* Row and column of s12, s13, s23 in U. */
static const int S_ROW[3] = {0, 0, 1}, S_COLUMN[3] = {1, 2, 2};

/* @eq Foster24 16 */
static mat4 factor(const double theta[LOG_CHOLESKY_SIZE]) {
  const double scale = exp(theta[LOG_CHOLESKY_ALPHA]);
  mat4 U = MAT4_ZERO;
  for (int i = 0; i < 3; i++) {
    U.m[i][i] = scale * exp(theta[LOG_CHOLESKY_D + i]);
    U.m[S_ROW[i]][S_COLUMN[i]] = scale * theta[LOG_CHOLESKY_S + i];
    U.m[i][3] = scale * theta[LOG_CHOLESKY_T + i];
  }
  U.m[3][3] = scale;
  return U;
}

/* dU / dtheta[j] */
static mat4 factor_derivative(const mat4 *U, double scale, int j) {
  mat4 dU = MAT4_ZERO;
  if (j == LOG_CHOLESKY_ALPHA) {
    return *U;
  }
  if (j < LOG_CHOLESKY_S) {
    const int i = j - LOG_CHOLESKY_D;
    dU.m[i][i] = U->m[i][i];
  } else if (j < LOG_CHOLESKY_T) {
    const int i = j - LOG_CHOLESKY_S;
    dU.m[S_ROW[i]][S_COLUMN[i]] = scale;
  } else {
    dU.m[j - LOG_CHOLESKY_T][3] = scale;
  }
  return dU;
}

static mat4 product(enum log_cholesky_form form, const mat4 *U) {
  const mat4 Ut = mat4_transpose(U);
  return form == LOG_CHOLESKY_RUCKER ? mat4_mul(U, &Ut) : mat4_mul(&Ut, U);
}

/* @eq Foster24 17 for the printed form; Rucker and Wensing's follows from J = U U^T */
struct inertia log_cholesky_inertia(enum log_cholesky_form form,
                                    const double theta[LOG_CHOLESKY_SIZE]) {
  const mat4 U = factor(theta), J = product(form, &U);
  return inertia_from_pseudo(&J);
}

/* U of J: upper triangular with a positive diagonal in either form. */
static enum status factor_of(enum log_cholesky_form form, const mat4 *J, mat4 *U) {
  if (form == LOG_CHOLESKY_RUCKER) {
    return sym4_reverse_cholesky(J, U);
  }
  mat4 L;
  const enum status status = sym4_cholesky(J, &L);
  if (status == STATUS_OK) {
    *U = mat4_transpose(&L);
  }
  return status;
}

enum status log_cholesky_from_inertia(enum log_cholesky_form form, const struct inertia *pi,
                                      double theta[LOG_CHOLESKY_SIZE]) {
  const mat4 J = pseudo_inertia(pi);
  mat4 U;
  const enum status status = factor_of(form, &J, &U);
  if (status != STATUS_OK) {
    return status == STATUS_SINGULAR ? STATUS_NOT_CONSISTENT : status;
  }
  const double scale = U.m[3][3];
  theta[LOG_CHOLESKY_ALPHA] = log(scale);
  for (int i = 0; i < 3; i++) {
    theta[LOG_CHOLESKY_D + i] = log(U.m[i][i] / scale);
    theta[LOG_CHOLESKY_S + i] = U.m[S_ROW[i]][S_COLUMN[i]] / scale;
    theta[LOG_CHOLESKY_T + i] = U.m[i][3] / scale;
  }
  return STATUS_OK;
}

/* dJ = dU U^T + U dU^T, and the parameters are linear in J. @eq Foster24 21 */
void log_cholesky_jacobian(enum log_cholesky_form form, const double theta[LOG_CHOLESKY_SIZE],
                           double G[INERTIA_PARAMETERS][LOG_CHOLESKY_SIZE]) {
  const mat4 U = factor(theta), Ut = mat4_transpose(&U);
  for (int j = 0; j < LOG_CHOLESKY_SIZE; j++) {
    const mat4 dU = factor_derivative(&U, U.m[3][3], j), dUt = mat4_transpose(&dU);
    const mat4 half = form == LOG_CHOLESKY_RUCKER ? mat4_mul(&dU, &Ut) : mat4_mul(&dUt, &U);
    const mat4 other = mat4_transpose(&half), dJ = mat4_axpy(&half, 1.0, &other);
    const struct inertia dpi = inertia_from_pseudo(&dJ);
    double column[INERTIA_PARAMETERS];
    inertia_to(&dpi, column);
    for (int i = 0; i < INERTIA_PARAMETERS; i++) {
      G[i][j] = column[i];
    }
  }
}
