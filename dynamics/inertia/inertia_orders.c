#include "inertia/inertia_orders.h"

#include "math/sym4.h"

/* For each place in the foreign list, the place in ours. */
static const int OURS[][INERTIA_PARAMETERS] = {
    [INERTIA_ORDER_OURS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
    [INERTIA_ORDER_PINOCCHIO] = {0, 1, 2, 3, 4, 5, 7, 6, 8, 9},
    [INERTIA_ORDER_KHALIL] = {4, 5, 6, 7, 8, 9, 1, 2, 3, 0},
    [INERTIA_ORDER_SPATIAL_V2] = {0, 1, 2, 3, 4, 7, 9, 8, 6, 5},
};

struct inertia inertia_from_order(enum inertia_order order,
                                  const double parameters[INERTIA_PARAMETERS]) {
  double ours[INERTIA_PARAMETERS];
  for (int i = 0; i < INERTIA_PARAMETERS; i++) {
    ours[OURS[order][i]] = parameters[i];
  }
  return inertia_from(ours);
}

void inertia_to_order(enum inertia_order order, const struct inertia *pi,
                      double out[INERTIA_PARAMETERS]) {
  double ours[INERTIA_PARAMETERS];
  inertia_to(pi, ours);
  for (int i = 0; i < INERTIA_PARAMETERS; i++) {
    out[i] = ours[OURS[order][i]];
  }
}

struct inertia inertia_from_urdf(double mass, const struct pose *X_LI, const mat3 *I_I) {
  const struct inertia at_com = inertia_of_body(mass, VEC3_ZERO, I_I);
  return inertia_transform(X_LI, &at_com);
}

void inertia_to_urdf(const struct inertia *pi, double *mass, vec3 *c, mat3 *I_C) {
  *mass = pi->m;
  *c = inertia_com(pi);
  *I_C = inertia_tensor_at_com(pi);
}

struct inertia inertia_from_mujoco(double mass, vec3 ipos, quat iquat, vec3 principal) {
  const struct pose X_LI = {mat3_from_quat(iquat), ipos};
  const mat3 I_I = {{{principal.x, 0.0, 0.0}, {0.0, principal.y, 0.0}, {0.0, 0.0, principal.z}}};
  return inertia_from_urdf(mass, &X_LI, &I_I);
}

enum status inertia_to_mujoco(const struct inertia *pi, double *mass, vec3 *ipos, quat *iquat,
                              vec3 *principal) {
  if (pi->m <= 0.0) {
    return STATUS_NOT_CONSISTENT;
  }
  const mat3 I_C = inertia_tensor_at_com(pi);
  double moment[3];
  mat3 axes;
  if (!isfinite(pi->m) || sym3_eigen(&I_C, moment, &axes) != STATUS_OK) {
    return STATUS_NOT_FINITE;
  }
  /* ascending to descending; the middle axis turns the triad right-handed whatever the signs
   * were */
  const vec3 x = {axes.m[0][2], axes.m[1][2], axes.m[2][2]},
             z = {axes.m[0][0], axes.m[1][0], axes.m[2][0]}, y = vec3_cross(z, x);
  const mat3 R = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
  *mass = pi->m;
  *ipos = inertia_com(pi);
  *iquat = quat_from_mat3(&R);
  *principal = (vec3){moment[2], moment[1], moment[0]};
  return STATUS_OK;
}
