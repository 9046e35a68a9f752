#include "math/sym4.h"

#include "math/jacobi.h"

#include <stddef.h>

mat4 mat4_mul(const mat4 *A, const mat4 *B) {
  mat4 C;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      C.m[i][j] = A->m[i][0] * B->m[0][j] + A->m[i][1] * B->m[1][j] + A->m[i][2] * B->m[2][j] +
                  A->m[i][3] * B->m[3][j];
    }
  }
  return C;
}

mat4 mat4_transpose(const mat4 *A) {
  mat4 T;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      T.m[i][j] = A->m[j][i];
    }
  }
  return T;
}

mat4 mat4_axpy(const mat4 *A, double s, const mat4 *B) {
  mat4 C;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      C.m[i][j] = A->m[i][j] + s * B->m[i][j];
    }
  }
  return C;
}

double mat4_dot(const mat4 *A, const mat4 *B) {
  double sum = 0.0;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      sum += A->m[i][j] * B->m[i][j];
    }
  }
  return sum;
}

static bool lower_is_finite(const mat4 *A) {
  double sum = 0.0;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j <= i; j++) {
      sum += A->m[i][j] * 0.0; /* NaN as soon as one entry is not finite */
    }
  }
  return sum == 0.0;
}

enum status sym4_cholesky(const mat4 *A, mat4 *L) {
  if (!lower_is_finite(A)) {
    return STATUS_NOT_FINITE;
  }
  /* row by row; a pivot that is not positive ends it */
  mat4 F = MAT4_ZERO;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = A->m[i][j];
      for (int k = 0; k < j; k++) {
        sum -= F.m[i][k] * F.m[j][k];
      }
      if (i > j) {
        F.m[i][j] = sum / F.m[j][j];
      } else if (sum > 0.0) {
        F.m[i][i] = sqrt(sum);
      } else {
        return STATUS_SINGULAR;
      }
    }
  }
  *L = F;
  return STATUS_OK;
}

/* Turned by half a turn, an upper factor is a lower one: P A P = (P U P)(P U P)^T. */
static mat4 reversed(const mat4 *A) {
  mat4 R;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      R.m[i][j] = A->m[3 - i][3 - j];
    }
  }
  return R;
}

enum status sym4_reverse_cholesky(const mat4 *A, mat4 *U) {
  mat4 full = *A; /* the half turn puts the upper triangle where the lower one is read */
  for (int i = 0; i < 4; i++) {
    for (int j = i + 1; j < 4; j++) {
      full.m[i][j] = A->m[j][i];
    }
  }
  /* the factor of the turned matrix, turned back */
  const mat4 turned = reversed(&full);
  mat4 L;
  const enum status status = sym4_cholesky(&turned, &L);
  if (status == STATUS_OK) {
    *U = reversed(&L);
  }
  return status;
}

mat4 mat4_solve_lower(const mat4 *L, const mat4 *B) {
  mat4 X = MAT4_ZERO;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      /* forward substitution, column by column */
      double sum = B->m[i][j];
      for (int k = 0; k < i; k++) {
        sum -= L->m[i][k] * X.m[k][j];
      }
      X.m[i][j] = sum / L->m[i][i];
    }
  }
  return X;
}

mat4 sym4_whiten(const mat4 *L, const mat4 *A) {
  mat4 full = *A;
  for (int i = 0; i < 4; i++) {
    for (int j = i + 1; j < 4; j++) {
      full.m[i][j] = A->m[j][i];
    }
  }
  /* L^-1 A L^-T: solved from the left, turned, solved again */
  const mat4 half = mat4_solve_lower(L, &full), turned = mat4_transpose(&half);
  return mat4_solve_lower(L, &turned);
}

enum status sym4_eigen(const mat4 *A, double lambda[4], mat4 *V) {
  if (!lower_is_finite(A)) {
    return STATUS_NOT_FINITE;
  }
  mat4 D = *A, W;
  for (int i = 0; i < 4; i++) {
    for (int j = i + 1; j < 4; j++) {
      D.m[i][j] = A->m[j][i];
    }
  }
  /* Jacobi's rotations, then eigenvalues in rising order */
  int order[4];
  jacobi_eigen(&D.m[0][0], &W.m[0][0], 4, 4, order);
  for (int j = 0; j < 4; j++) {
    lambda[j] = D.m[order[j]][order[j]];
    for (int i = 0; V != NULL && i < 4; i++) {
      V->m[i][j] = W.m[i][order[j]];
    }
  }
  return STATUS_OK;
}

enum status sym3_eigen(const mat3 *A, double lambda[3], mat3 *V) {
  mat4 D = MAT4_ZERO, W;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j <= i; j++) {
      D.m[i][j] = D.m[j][i] = A->m[i][j];
    }
  }
  if (!lower_is_finite(&D)) {
    return STATUS_NOT_FINITE;
  }
  /* as above, with an empty fourth row */
  int order[4];
  jacobi_eigen(&D.m[0][0], &W.m[0][0], 3, 4, order);
  for (int j = 0; j < 3; j++) {
    lambda[j] = D.m[order[j]][order[j]];
    for (int i = 0; V != NULL && i < 3; i++) {
      V->m[i][j] = W.m[i][order[j]];
    }
  }
  return STATUS_OK;
}
