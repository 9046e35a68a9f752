#include "support/random_matrix.h"

#include "numerics/dense_matrix.h"

#include <stdlib.h>
#include <string.h>

double *new_matrix(size_t rows, size_t columns) {
  const size_t bytes = (rows + 1) * matrix_stride(columns) * sizeof(double);
  double *A = aligned_alloc(64, (bytes + 63) / 64 * 64);
  memset(A, 0, bytes);
  return A;
}

double *random_matrix(struct random *random, size_t rows, size_t columns) {
  double *A = new_matrix(rows, columns);
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j < columns; j++) {
      A[i * matrix_stride(columns) + j] = random_normal(random);
    }
  }
  return A;
}

double *random_definite(struct random *random, size_t n) {
  double *A = random_matrix(random, n, n), *C = new_matrix(n, n);
  const size_t s = matrix_stride(n);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      C[i * s + j] = i == j ? 1.0 : 0.0;
      for (size_t k = 0; k < n; k++) {
        C[i * s + j] += A[k * s + i] * A[k * s + j];
      }
    }
  }
  return C;
}
