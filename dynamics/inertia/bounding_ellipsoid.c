#include "inertia/bounding_ellipsoid.h"

#include "inertia/pseudo_inertia.h"

struct ellipsoid ellipsoid_from_axes(const struct pose *X_LE, vec3 half_axes) {
  const mat3 *R = &X_LE->R;
  const double squared[3] = {half_axes.x * half_axes.x, half_axes.y * half_axes.y,
                             half_axes.z * half_axes.z};
  struct ellipsoid ellipsoid = {.centre = X_LE->p};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      for (int k = 0; k < 3; k++) {
        ellipsoid.Q.m[i][j] += R->m[i][k] * squared[k] * R->m[j][k];
      }
    }
  }
  return ellipsoid;
}

/* The Cholesky factor of Q, in the upper left corner of a 4 x 4 matrix with a one at the end. */
static enum status factor_of(const struct ellipsoid *ellipsoid, mat4 *L) {
  mat4 Q = MAT4_IDENTITY;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      Q.m[i][j] = ellipsoid->Q.m[i][j];
    }
  }
  if (!vec3_is_finite(ellipsoid->centre)) {
    return STATUS_NOT_FINITE;
  }
  return sym4_cholesky(&Q, L);
}

/* With K = L^-1 [1 -centre], Qbar = e e^T - K^T K, e = (0 0 0 1): no inverse of Q is formed.
 * @eq Wensing17 23 */
enum status ellipsoid_matrix(const struct ellipsoid *ellipsoid, mat4 *Qbar) {
  mat4 L;
  const enum status status = factor_of(ellipsoid, &L);
  if (status != STATUS_OK) {
    return status;
  }
  const vec3 c = ellipsoid->centre;
  const mat4 shift = {{{1.0, 0.0, 0.0, -c.x}, {0.0, 1.0, 0.0, -c.y}, {0.0, 0.0, 1.0, -c.z}, {0.0}}};
  const mat4 K = mat4_solve_lower(&L, &shift), Kt = mat4_transpose(&K), KtK = mat4_mul(&Kt, &K);
  mat4 one = MAT4_ZERO;
  one.m[3][3] = 1.0;
  *Qbar = mat4_axpy(&one, -1.0, &KtK);
  return STATUS_OK;
}

/* @eq Wensing17 23 */
enum status ellipsoid_room(const struct ellipsoid *ellipsoid, const struct inertia *pi,
                           double *room) {
  mat4 Qbar;
  const enum status status = ellipsoid_matrix(ellipsoid, &Qbar);
  if (status != STATUS_OK) {
    return status;
  }
  if (pi->m <= 0.0) {
    return STATUS_NOT_CONSISTENT;
  }
  const mat4 J = pseudo_inertia(pi);
  const double found = mat4_dot(&J, &Qbar) / pi->m;
  if (!isfinite(found)) {
    return STATUS_NOT_FINITE;
  }
  *room = found;
  return STATUS_OK;
}

/* [ m  (h - m c)^T ; (h - m c)  m Q ] >= 0, by its Schur complement. @eq Wensing17 22 */
enum status ellipsoid_holds_com(const struct ellipsoid *ellipsoid, const struct inertia *pi,
                                bool *inside) {
  const struct inertia at_com = inertia_of_point(pi->m, inertia_com(pi));
  double room;
  const enum status status = ellipsoid_room(ellipsoid, &at_com, &room);
  if (status == STATUS_OK) {
    *inside = room >= 0.0;
  }
  return status;
}
