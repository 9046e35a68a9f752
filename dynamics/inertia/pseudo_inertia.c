#include "inertia/pseudo_inertia.h"

#include <stddef.h>

/* @eq Leboutet22 59 165 170 @eq Wensing17 7 */
mat4 pseudo_inertia(const struct inertia *pi) {
  const double half_trace = 0.5 * (pi->Ixx + pi->Iyy + pi->Izz);
  return (mat4){{{half_trace - pi->Ixx, -pi->Ixy, -pi->Ixz, pi->h.x},
                 {-pi->Ixy, half_trace - pi->Iyy, -pi->Iyz, pi->h.y},
                 {-pi->Ixz, -pi->Iyz, half_trace - pi->Izz, pi->h.z},
                 {pi->h.x, pi->h.y, pi->h.z, pi->m}}};
}

/* @eq Leboutet22 60 */
struct inertia inertia_from_pseudo(const mat4 *J) {
  return (struct inertia){.m = J->m[3][3],
                          .h = {J->m[3][0], J->m[3][1], J->m[3][2]},
                          .Ixx = J->m[1][1] + J->m[2][2],
                          .Ixy = -J->m[1][0],
                          .Ixz = -J->m[2][0],
                          .Iyy = J->m[0][0] + J->m[2][2],
                          .Iyz = -J->m[2][1],
                          .Izz = J->m[0][0] + J->m[1][1]};
}

/* Second moments of the mass about its centre, ascending: the Schur complement Sigma - h h^T /
 * m. */
static enum status central_second_moments(const mat4 *J, double lambda[3]) {
  const double m = J->m[3][3];
  mat3 Sigma_C;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      Sigma_C.m[i][j] = J->m[i][j] - J->m[3][i] * J->m[3][j] / m;
    }
  }
  return sym3_eigen(&Sigma_C, lambda, NULL);
}

static struct inertia_verdict judge(const struct inertia *pi, double margin) {
  const mat4 J = pseudo_inertia(pi);
  if (!isfinite(mat4_dot(&J, &J))) {
    return (struct inertia_verdict){INERTIA_NOT_FINITE, (double)NAN, 0.0};
  }
  if (pi->m <= 0.0) {
    return (struct inertia_verdict){INERTIA_MASS_NOT_POSITIVE, pi->m, 0.0};
  }
  double lambda[3];
  if (central_second_moments(&J, lambda) != STATUS_OK) {
    return (struct inertia_verdict){INERTIA_NOT_FINITE, (double)NAN, 0.0};
  }
  /* principal moments are sums of two second moments; the triangle inequality is lambda[0] > 0 */
  const double smallest_moment = lambda[0] + lambda[1];
  if (smallest_moment <= 0.0) {
    return (struct inertia_verdict){INERTIA_MOMENT_NOT_POSITIVE, smallest_moment, 0.0};
  }
  if (lambda[0] <= 0.0) {
    return (struct inertia_verdict){INERTIA_TRIANGLE_VIOLATED, 2.0 * lambda[0], 0.0};
  }
  const double spread = sqrt(lambda[0] / pi->m);
  return (struct inertia_verdict){spread < margin ? INERTIA_TOO_THIN : INERTIA_CONSISTENT, spread,
                                  margin};
}

enum status inertia_consistency(const struct inertia *pi, double margin,
                                struct inertia_verdict *verdict) {
  const struct inertia_verdict found = judge(pi, margin);
  if (verdict != NULL) {
    *verdict = found;
  }
  switch (found.condition) {
  case INERTIA_CONSISTENT:
    return STATUS_OK;
  case INERTIA_NOT_FINITE:
    return STATUS_NOT_FINITE;
  default:
    return STATUS_NOT_CONSISTENT;
  }
}

const char *inertia_condition_text(enum inertia_condition condition) {
  switch (condition) {
  case INERTIA_CONSISTENT:
    return "physically consistent";
  case INERTIA_NOT_FINITE:
    return "a parameter is not finite";
  case INERTIA_MASS_NOT_POSITIVE:
    return "mass is not positive";
  case INERTIA_MOMENT_NOT_POSITIVE:
    return "a principal moment of inertia about the centre of mass is not positive";
  case INERTIA_TRIANGLE_VIOLATED:
    return "the principal moments of inertia violate the triangle inequality";
  case INERTIA_TOO_THIN:
    return "the mass is spread too thinly in one direction";
  }
  return "unknown condition";
}
