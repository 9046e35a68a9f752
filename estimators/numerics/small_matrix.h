/* Products, factors and solutions of matrices of a few tens of rows, of any stride and alignment.
 *
 * For filters beside the joint filter (dense_matrix.h), whose matrices are too small for the blocks
 * of a BLAS to pay: with these the cycle needs none, nor its buffers. Matrices are row-major,
 * `stride` numbers from row to row. All functions: [real-time], no allocation. */
#ifndef SMALL_MATRIX_H
#define SMALL_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

/* A factor of a product as it stands, or transposed. */
struct small_factor {
  const double *at;
  ptrdiff_t by_row, by_column; /* numbers from one row, one column of the factor to the next */
};
static inline struct small_factor small_factor(const double *A, size_t stride) {
  return (struct small_factor){A, (ptrdiff_t)stride, 1};
}
static inline struct small_factor small_transposed(const double *A, size_t stride) {
  return (struct small_factor){A, 1, (ptrdiff_t)stride};
}

/* C = keep C + scale A B, C of rows x columns, A of rows x depth, B of depth x columns. With keep 0
 * C need not hold numbers. C overlaps neither factor. */
void small_multiply(size_t rows, size_t columns, size_t depth, double scale, struct small_factor A,
                    struct small_factor B, double keep, double *C, size_t c_stride);

/* The same where the product is symmetric, and C, of n x n: of C the lower triangle alone is read,
 * and both become the same to the last bit. */
void small_multiply_symmetric(size_t n, size_t depth, double scale, struct small_factor A,
                              struct small_factor B, double keep, double *C, size_t c_stride);

/* y = keep y + scale A x, A of rows x columns. */
void small_apply(size_t rows, size_t columns, double scale, struct small_factor A, const double *x,
                 double keep, double *y);

/* A = A + scale x y^T, A of rows x columns. */
void small_rank_one(size_t rows, size_t columns, double scale, const double *x, const double *y,
                    double *A, size_t stride);

/* y = y + scale x */
void small_add(size_t n, double scale, const double *x, double *y);
void small_scale(size_t n, double scale, double *x);
double small_dot(size_t n, const double *x, const double *y);

/* Cholesky's factor L of A = L L^T in place of the lower triangle, which alone is read; the upper
 * becomes L^T. False when A is not positive definite. Stride n. */
bool small_cholesky_lower(size_t n, double *A);

/* From small_cholesky_lower: both triangles of A's inverse in place of L. */
void small_cholesky_inverse(size_t n, double *L);

/* x = L^-1 x, x = A^-1 x, by both triangles that small_cholesky_lower has left. */
void small_cholesky_whiten(size_t n, const double *L, double *x);
void small_cholesky_solve(size_t n, const double *L, double *x);

/* X = L^-1 X, L lower triangular of n rows, X of n rows and `columns`. */
void small_solve_lower(size_t n, size_t columns, const double *L, double *X, size_t x_stride);

/* A = P L U in place, by rows with exchange; false when A is singular. Then X = A^-1 X, X of n rows
 * and `columns`. pivot: [n]. Stride n. */
bool small_lu(size_t n, double *A, int *pivot);
void small_lu_solve(size_t n, const double *LU, const int *pivot, size_t columns, double *X,
                    size_t x_stride);

#endif
