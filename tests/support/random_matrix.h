/* Dense matrices for tests (numerics/dense_matrix.h), of standard normal numbers. Freed with the
 * process. */
#ifndef RANDOM_MATRIX_H
#define RANDOM_MATRIX_H

#include "support/suite.h"

/* Of zeros. */
double *new_matrix(size_t rows, size_t columns);

double *random_matrix(struct random *random, size_t rows, size_t columns);

/* n x n: 1 + A^T A of a random A. */
double *random_definite(struct random *random, size_t n);

/* Sizes at which tiles, lanes and blocks end, and beside them. */
static const size_t MATRIX_SIZES[] = {1, 5, 6, 7, 8, 9, 13, 36, 51, 99, 135, 162};
enum { N_MATRIX_SIZES = sizeof(MATRIX_SIZES) / sizeof(MATRIX_SIZES[0]) };

#endif
