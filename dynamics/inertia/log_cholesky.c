#include "inertia/log_cholesky.h"

#include "inertia/pseudo_inertia.h"

/* Row and column in U of alpha, d1, d2, d3, s12, s13, s23, t1, t2, t3. */
static const int ROW[LOG_CHOLESKY_SIZE] = {3, 0, 1, 2, 0, 0, 1, 0, 1, 2},
                 COLUMN[LOG_CHOLESKY_SIZE] = {3, 0, 1, 2, 1, 2, 2, 3, 3, 3};

/* @eq Foster24 16 */
static mat4 factor(const double theta[LOG_CHOLESKY_SIZE]) {
  const double scale = exp(theta[LOG_CHOLESKY_ALPHA]);
  mat4 U = MAT4_ZERO;
  U.m[3][3] = scale;
  for (int j = LOG_CHOLESKY_D; j < LOG_CHOLESKY_SIZE; j++) {
    U.m[ROW[j]][COLUMN[j]] = scale * (j < LOG_CHOLESKY_S ? exp(theta[j]) : theta[j]);
  }
  return U;
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
  for (int j = LOG_CHOLESKY_D; j < LOG_CHOLESKY_SIZE; j++) {
    const double share = U.m[ROW[j]][COLUMN[j]] / scale;
    theta[j] = j < LOG_CHOLESKY_S ? log(share) : share;
  }
  return STATUS_OK;
}

/* dU has one entry but for alpha, of which it is U; dJ = dU U^T + U dU^T in Rucker and Wensing's
 * form, and the parameters are linear in J. @eq Foster24 21 */
void log_cholesky_jacobian(enum log_cholesky_form form, const double theta[LOG_CHOLESKY_SIZE],
                           double G[INERTIA_PARAMETERS][LOG_CHOLESKY_SIZE]) {
  const mat4 U = factor(theta), J = product(form, &U);
  for (int j = 0; j < LOG_CHOLESKY_SIZE; j++) {
    const int row = ROW[j], column = COLUMN[j];
    const double entry = row == column ? U.m[row][row] : U.m[3][3];
    const bool rucker = form == LOG_CHOLESKY_RUCKER;
    const int at = rucker ? row : column;
    mat4 dJ = MAT4_ZERO;
    for (int i = 0; i < 4; i++) {
      const double half = entry * (rucker ? U.m[i][column] : U.m[row][i]);
      dJ.m[at][i] += half;
      dJ.m[i][at] += half;
    }
    if (j == LOG_CHOLESKY_ALPHA) {
      dJ = mat4_axpy(&J, 1.0, &J);
    }
    const struct inertia dpi = inertia_from_pseudo(&dJ);
    double of[INERTIA_PARAMETERS];
    inertia_to(&dpi, of);
    for (int i = 0; i < INERTIA_PARAMETERS; i++) {
      G[i][j] = of[i];
    }
  }
}
