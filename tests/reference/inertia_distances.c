#include "reference/inertia_distances.h"

#include "inertia/pseudo_inertia.h"

#include <math.h>

/* The Cholesky factor L of a's pseudo-inertia: L L^T is the unit in the coordinates used below. */
static enum status unit_of(const struct inertia *a, mat4 *L) {
  const mat4 J = pseudo_inertia(a);
  const enum status status = sym4_cholesky(&J, L);
  return status == STATUS_SINGULAR ? STATUS_NOT_CONSISTENT : status;
}

/* Eigenvalues of Ja^-1 Jb (those of L^-1 Jb L^-T), all positive; V may be NULL. */
static enum status relative_eigen(const mat4 *L, const struct inertia *b, double lambda[4],
                                  mat4 *V) {
  const mat4 J = pseudo_inertia(b), white = sym4_whiten(L, &J);
  const enum status status = sym4_eigen(&white, lambda, V);
  if (status == STATUS_OK && !(lambda[0] > 0.0)) {
    return STATUS_NOT_CONSISTENT;
  }
  return status;
}

/* @eq Leboutet22 160 163: lambda(Di^-1/2 Dj Di^-1/2) are the eigenvalues of Di^-1 Dj
 * @differs Leboutet22 163: print whitens Dj once more inside Log; the eigenvalue form is meant */
enum status inertia_distance(const struct inertia *a, const struct inertia *b, double *distance) {
  mat4 L;
  double lambda[4];
  enum status status = unit_of(a, &L);
  if (status == STATUS_OK) {
    status = relative_eigen(&L, b, lambda, NULL);
  }
  if (status != STATUS_OK) {
    return status;
  }
  double sum = 0.0;
  for (int i = 0; i < 4; i++) {
    sum += log(lambda[i]) * log(lambda[i]);
  }
  *distance = sqrt(sum);
  return STATUS_OK;
}

/* @eq Leboutet22 167
 * @differs Leboutet22 167: print has J0^-1 before the square of the difference, which is not
 * invariant; J0^-1 stands between its factors, too */
enum status inertia_pullback_squared(const struct inertia *reference, const struct inertia *a,
                                     const struct inertia *b, double *squared) {
  mat4 L;
  const enum status status = unit_of(reference, &L);
  if (status != STATUS_OK) {
    return status;
  }
  const struct inertia difference = inertia_axpy(a, -1.0, b);
  const mat4 dJ = pseudo_inertia(&difference), white = sym4_whiten(&L, &dJ);
  const double found = 0.5 * mat4_dot(&white, &white);
  if (!isfinite(found)) {
    return STATUS_NOT_FINITE;
  }
  *squared = found;
  return STATUS_OK;
}

enum status inertia_divergence(const struct inertia *a, const struct inertia *b,
                               double *divergence) {
  mat4 L;
  double lambda[4];
  enum status status = unit_of(b, &L);
  if (status == STATUS_OK) {
    status = relative_eigen(&L, a, lambda, NULL);
  }
  if (status != STATUS_OK) {
    return status;
  }
  double sum = 0.0;
  for (int i = 0; i < 4; i++) {
    sum += lambda[i] - 1.0 - log(lambda[i]);
  }
  *divergence = sum;
  return STATUS_OK;
}

/* Ja^1/2 (Ja^-1/2 Jb Ja^-1/2)^t Ja^1/2 = L (V diag(lambda^t) V^T) L^T, whatever root of Ja is
 * taken.
 * @eq Leboutet22 161 162 164 184 */
enum status inertia_geodesic(const struct inertia *a, const struct inertia *b, double t,
                             struct inertia *out) {
  if (!isfinite(t)) {
    return STATUS_NOT_FINITE;
  }
  mat4 L, V;
  double lambda[4];
  enum status status = unit_of(a, &L);
  if (status == STATUS_OK) {
    status = relative_eigen(&L, b, lambda, &V);
  }
  if (status != STATUS_OK) {
    return status;
  }
  /* half of the power on either side keeps the product symmetric and positive definite */
  mat4 half = mat4_mul(&L, &V);
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      half.m[i][j] *= pow(lambda[j], 0.5 * t);
    }
  }
  const mat4 transposed = mat4_transpose(&half), J = mat4_mul(&half, &transposed);
  *out = inertia_from_pseudo(&J);
  return STATUS_OK;
}

/* @eq Leboutet22 185 */
enum status inertia_geodesic_low_pass(const struct inertia *previous,
                                      const struct inertia *measured, double keep,
                                      struct inertia *out) {
  if (!(keep >= 0.0 && keep <= 1.0)) {
    return STATUS_BAD_ARGUMENT;
  }
  return inertia_geodesic(previous, measured, 1.0 - keep, out);
}
