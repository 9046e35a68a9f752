#include "support/layout_covariance.h"

#include <stdlib.h>
#include <string.h>

double *layout_square(const struct joint_layout *l) {
  const size_t bytes = l->size * l->stride * sizeof(double);
  double *P = aligned_alloc(64, (bytes + 63) / 64 * 64);
  memset(P, 0, bytes);
  return P;
}

double *layout_covariance(struct random *random, const struct joint_layout *l) {
  double *A = layout_square(l), *P = layout_square(l);
  for (size_t i = 0; i < l->size * l->stride; i++) {
    A[i] = random_normal(random);
  }
  for (size_t i = 0; i < l->size; i++) {
    for (size_t j = 0; j < l->size; j++) {
      for (size_t k = 0; k < l->size; k++) {
        P[i * l->stride + j] += A[i * l->stride + k] * A[j * l->stride + k];
      }
    }
  }
  free(A);
  return P;
}
