/* Cholesky factors of dense matrices (dense_matrix.h), and solves with triangles. All functions:
 * [real-time], no allocation. */
#ifndef MATRIX_CHOLESKY_H
#define MATRIX_CHOLESKY_H

#include "numerics/dense_matrix.h"

#include <stdbool.h>

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

#endif
