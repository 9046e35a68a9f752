/* Products of dense matrices (dense_matrix.h). All functions: [real-time], no allocation. */
#ifndef MATRIX_PRODUCTS_H
#define MATRIX_PRODUCTS_H

#include "numerics/dense_matrix.h"

#include <stdbool.h>

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

/* sum of a[j] b[j], j < count. They begin anywhere, what stands behind them is not read. */
double matrix_dot(const double *a, const double *b, size_t count);

#endif
