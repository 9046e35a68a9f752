/* Small dense matrices as the joint filter has them, of 50 to 200 rows: how they lie in memory.
 *
 * Row-major; the distance between rows is a multiple of MATRIX_LANES and every matrix starts on a
 * cache line, so that rows may be worked on in whole vectors: what lies between the last column and
 * the end of a row is overwritten with finite numbers that mean nothing. What is written for this
 * size (matrix_products.h, matrix_cholesky.h) is two to four times faster here than a general
 * BLAS: one register tile (matrix_tile.h) serves products, Cholesky factors and triangular solves
 * alike. */
#ifndef DENSE_MATRIX_H
#define DENSE_MATRIX_H

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

#endif
