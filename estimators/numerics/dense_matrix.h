/* Products and factorisations of the small dense matrices in the joint filter (50 to 200 rows).
 *
 * Written for this size: one register tile of 6 x 8 serves products, Cholesky factors and
 * triangular solves alike, two to four times faster here than a general BLAS. Matrices are
 * row-major; the distance between rows is a multiple of MATRIX_LANES and every matrix starts on a
 * cache line, so that rows may be worked on in whole vectors: what lies between the last column and
 * the end of a row is overwritten with finite numbers that mean nothing. All functions:
 * [real-time], no allocation. */
#ifndef DENSE_MATRIX_H
#define DENSE_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

#define MATRIX_LANES ((size_t)8)

/* Distance between rows for `columns` columns. */
static inline size_t matrix_stride(size_t columns) {
  return (columns + MATRIX_LANES - 1) / MATRIX_LANES * MATRIX_LANES;
}

/* A factor that is read one number at a time, so it may be transposed, reversed or strided: element
 * (k, i) is at[k * by_k + i * by_i]. */
struct matrix_factor {
  const double *at;
  ptrdiff_t by_k, by_i;
};

/* C[i][j] = sum over k of A(k, i) B[k][j], for i < rows, j < columns, k < depth.
 * C and B must not overlap. B and C start at a multiple of MATRIX_LANES columns. */
void matrix_multiply(double *C, size_t c_stride, size_t rows, size_t columns,
                     struct matrix_factor A, const double *B, size_t b_stride, size_t depth);

/* The same added to C, with a sign: C[i][j] += sign * sum over k of A(k, i) B[k][j]. */
void matrix_multiply_add(double *C, size_t c_stride, size_t rows, size_t columns, double sign,
                         struct matrix_factor A, const double *B, size_t b_stride, size_t depth);

/* The upper triangle (with diagonal) of C = A^T A, A of depth x size. Some entries below the
 * diagonal are overwritten, the others left. `upper` tells that A itself is upper triangular with
 * zeros below its diagonal. */
void matrix_gram(double *C, size_t c_stride, size_t size, const double *A, size_t a_stride,
                 size_t depth, bool upper);

/* The same added to C, with a sign: C += sign * A^T A. */
void matrix_gram_add(double *C, size_t c_stride, size_t size, double sign, const double *A,
                     size_t a_stride, size_t depth, bool upper);

/* Of the upper triangle of C = B^T B + S becomes A^T A + S, where S has nothing in the first `rows`
 * rows. A, B: [rows][stride], upper triangular with zeros below the diagonal. `stride` is that of
 * all three. */
void matrix_gram_exchange(double *C, size_t stride, size_t size, const double *A, const double *B,
                          size_t rows);

/* The upper triangle of S = A A^T, A of at most MATRIX_FEW rows and `columns`, which begin at a
 * multiple of MATRIX_LANES and are followed by zeros up to the next. */
#define MATRIX_FEW ((size_t)6)
void matrix_row_products(double *S, size_t s_stride, size_t rows, size_t columns, const double *A,
                         size_t a_stride);

/* Copies the upper triangle onto the lower. */
void matrix_mirror(double *C, size_t stride, size_t size);

/* Upper factor in place: A = R^T R, from A's upper triangle; zeros below the diagonal.
 * False, with A void, when A is not positive definite (a pivot at or below `floor` times its own
 * diagonal element, or not finite). */
bool matrix_cholesky(double *A, size_t stride, size_t size, double floor);

/* The same factor's first `rows` rows alone, in R [rows][stride]; A stays as it is, or is R. */
bool matrix_cholesky_rows(double *R, const double *A, size_t stride, size_t size, size_t rows,
                          double floor);

/* x = R^-T x: the first of the two solves with R^T R. */
void matrix_solve_transposed(const double *R, size_t stride, size_t size, double *x);
/* x = R^-1 x: the second. */
void matrix_solve_upper(const double *R, size_t stride, size_t size, double *x);

/* X[i][.] = (X[i][.] - sum_{k<i} T(k, i) X[k][.]) / T(i, i), rows in rising order: X = L^-1 X with
 * L_ik = T(k, i). All rows have `columns` columns. */
void matrix_solve_rows(double *X, size_t stride, size_t rows, size_t columns,
                       struct matrix_factor T);

/* X = U^-1 B for upper triangular B [size][columns >= size] and upper triangular U,
 * U_ik = T(k, i), k >= i: rows in falling order. X may be B; else what stands below its diagonal
 * is left as it is, but close to it, where B's zeros are written. */
void matrix_solve_upper_rows(double *X, const double *B, size_t stride, size_t size, size_t columns,
                             struct matrix_factor T);

/* sum of a[j] b[j], j < count; both aligned, padding beyond `count` not read. */
double matrix_dot(const double *a, const double *b, size_t count);

#endif
