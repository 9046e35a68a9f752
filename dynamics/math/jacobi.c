#include "math/jacobi.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

/* Jacobi converges quadratically: matrices of this size are diagonal to rounding after five to
 * seven sweeps. */
enum { MOST_SWEEPS = 16 };
/* An element of this size relative to its two diagonals, squared, moves none of their digits. */
static const double NEGLIGIBLE = 0.1 * DBL_EPSILON * DBL_EPSILON;

/* One rotation in the plane (p, q) that makes A[p][q] zero; V collects the rotations. */
static void annihilate(double *A, double *V, int n, int stride, int p, int q) {
  double *const row_p = A + p * stride, *const row_q = A + q * stride;
  const double apq = row_p[q];
  if (apq * apq <= NEGLIGIBLE * fabs(row_p[p] * row_q[q])) {
    row_p[q] = row_q[p] = 0.0;
    return;
  }
  const double theta = 0.5 * (row_q[q] - row_p[p]) / apq;
  /* the smaller root of t^2 + 2 theta t - 1 = 0; 0 where theta^2 is beyond all numbers */
  const double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
  const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
  for (int k = 0; k < n; k++) {
    double *const row = A + k * stride;
    const double akp = row[p], akq = row[q];
    row[p] = c * akp - s * akq;
    row[q] = s * akp + c * akq;
  }
  for (int k = 0; k < n; k++) {
    const double apk = row_p[k], aqk = row_q[k];
    row_p[k] = c * apk - s * aqk;
    row_q[k] = s * apk + c * aqk;
  }
  row_p[q] = row_q[p] = 0.0;
  for (int k = 0; V != NULL && k < n; k++) {
    double *const v = V + k * stride;
    const double vkp = v[p], vkq = v[q];
    v[p] = c * vkp - s * vkq;
    v[q] = s * vkp + c * vkq;
  }
}

static double off_diagonal(const double *A, int n, int stride) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      sum += fabs(A[i * stride + j]);
    }
  }
  return sum;
}

/* Ascending eigenvalues: the columns' order by insertion. */
static void sort_ascending(const double *A, int n, int stride, int *order) {
  for (int i = 0; i < n; i++) {
    int k = i;
    for (; k > 0 && A[order[k - 1] * (stride + 1)] > A[i * (stride + 1)]; k--) {
      order[k] = order[k - 1];
    }
    order[k] = i;
  }
}

void jacobi_eigen(double *A, double *V, int n, int stride, int *order) {
  for (int i = 0; V != NULL && i < n; i++) {
    for (int j = 0; j < n; j++) {
      V[i * stride + j] = i == j ? 1.0 : 0.0;
    }
  }
  for (int sweep = 0; sweep < MOST_SWEEPS && off_diagonal(A, n, stride) > 0.0; sweep++) {
    for (int p = 0; p < n - 1; p++) {
      for (int q = p + 1; q < n; q++) {
        annihilate(A, V, n, stride, p, q);
      }
    }
  }
  sort_ascending(A, n, stride, order);
}
