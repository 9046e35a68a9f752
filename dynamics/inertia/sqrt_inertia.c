#include "inertia/sqrt_inertia.h"

#include "inertia/pseudo_inertia.h"

/* Row by row, as rho lists them. @eq Leboutet22 169 */
static mat4 lower_from(const double rho[SQRT_INERTIA_SIZE]) {
  mat4 C = MAT4_ZERO;
  for (int i = 0, k = 0; i < 4; i++) {
    for (int j = 0; j <= i; j++) {
      C.m[i][j] = rho[k++];
    }
  }
  return C;
}

/* @eq Leboutet22 168 171 172 */
struct inertia sqrt_inertia(const double rho[SQRT_INERTIA_SIZE], double eps) {
  const mat4 C = lower_from(rho), Ct = mat4_transpose(&C), one = MAT4_IDENTITY;
  const mat4 CCt = mat4_mul(&C, &Ct), J = mat4_axpy(&CCt, eps, &one);
  return inertia_from_pseudo(&J);
}

enum status sqrt_inertia_from(const struct inertia *pi, double eps, double rho[SQRT_INERTIA_SIZE]) {
  const mat4 J = pseudo_inertia(pi), one = MAT4_IDENTITY, rest = mat4_axpy(&J, -eps, &one);
  mat4 C;
  const enum status status = sym4_cholesky(&rest, &C);
  if (status != STATUS_OK) {
    return status == STATUS_SINGULAR ? STATUS_NOT_CONSISTENT : status;
  }
  for (int i = 0, k = 0; i < 4; i++) {
    for (int j = 0; j <= i; j++) {
      rho[k++] = C.m[i][j];
    }
  }
  return STATUS_OK;
}

/* J's lower triangle as the parameters, in one column of a 10 x 10 matrix. */
static void set_column(const mat4 *J, double M[INERTIA_PARAMETERS][SQRT_INERTIA_SIZE], int k) {
  const struct inertia pi = inertia_from_pseudo(J);
  double column[INERTIA_PARAMETERS];
  inertia_to(&pi, column);
  for (int i = 0; i < INERTIA_PARAMETERS; i++) {
    M[i][k] = column[i];
  }
}

/* J_rj = sum_c C_rc C_jc for j <= r, hence the entry C_rc has the factor C_jc in J_rj.
 * @eq Leboutet22 173 */
void sqrt_inertia_matrix(const double rho[SQRT_INERTIA_SIZE],
                         double A[INERTIA_PARAMETERS][SQRT_INERTIA_SIZE]) {
  const mat4 C = lower_from(rho);
  for (int r = 0, k = 0; r < 4; r++) {
    for (int c = 0; c <= r; c++) {
      mat4 J = MAT4_ZERO;
      for (int j = c; j <= r; j++) {
        J.m[r][j] = C.m[j][c];
      }
      set_column(&J, A, k++);
    }
  }
}

/* dJ = E C^T + C E^T for the entry of C that is one in E. */
void sqrt_inertia_jacobian(const double rho[SQRT_INERTIA_SIZE],
                           double G[INERTIA_PARAMETERS][SQRT_INERTIA_SIZE]) {
  const mat4 C = lower_from(rho), Ct = mat4_transpose(&C);
  for (int k = 0; k < SQRT_INERTIA_SIZE; k++) {
    double unit[SQRT_INERTIA_SIZE] = {0};
    unit[k] = 1.0;
    const mat4 E = lower_from(unit), half = mat4_mul(&E, &Ct), other = mat4_transpose(&half),
               dJ = mat4_axpy(&half, 1.0, &other);
    set_column(&dJ, G, k);
  }
}
