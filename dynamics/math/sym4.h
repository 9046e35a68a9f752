/* Four-by-four matrices, mostly symmetric: products, the two Cholesky factors, eigenvalues.
 *
 * Sizes at which a library call costs more than the work. Functions that take a symmetric matrix
 * read its lower triangle only. All functions: [any], bounded, no allocation. */
#ifndef SYM4_H
#define SYM4_H

#include "common/status.h"
#include "math/spatial.h"

typedef struct {
  double m[4][4]; /* row, column */
} mat4;

#define MAT4_ZERO ((mat4){{{0.0}}})
#define MAT4_IDENTITY                                                                              \
  ((mat4){{{1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}, {0.0, 0.0, 0.0, 1.0}}})

mat4 mat4_mul(const mat4 *A, const mat4 *B);
mat4 mat4_transpose(const mat4 *A);
/* A + s B */
mat4 mat4_axpy(const mat4 *A, double s, const mat4 *B);
/* tr(A^T B): the sum of the products of equal entries. */
double mat4_dot(const mat4 *A, const mat4 *B);

/* A = L L^T, L lower triangular with a positive diagonal.
 * STATUS_NOT_FINITE, or STATUS_SINGULAR when A is not positive definite; L is then untouched. */
enum status sym4_cholesky(const mat4 *A, mat4 *L);

/* A = U U^T, U upper triangular with a positive diagonal. Statuses as for sym4_cholesky. */
enum status sym4_reverse_cholesky(const mat4 *A, mat4 *U);

/* L^-1 B for lower triangular L with a diagonal free of zeros. */
mat4 mat4_solve_lower(const mat4 *L, const mat4 *B);

/* L^-1 A L^-T: a symmetric A in the coordinates in which L L^T is the identity. */
mat4 sym4_whiten(const mat4 *L, const mat4 *A);

/* A = V diag(lambda) V^T by Jacobi's rotations: eigenvalues in ascending order, eigenvectors in the
 * columns of V (may be NULL). Accurate to a few units in the last place of the largest eigenvalue.
 * STATUS_NOT_FINITE; outputs are then untouched. */
enum status sym4_eigen(const mat4 *A, double lambda[4], mat4 *V);
enum status sym3_eigen(const mat3 *A, double lambda[3], mat3 *V);

#endif
