#include "inertia/inertia.h"

void inertia_to(const struct inertia *pi, double out[INERTIA_PARAMETERS]) {
  out[0] = pi->m;
  vec3_to(pi->h, out + 1);
  out[4] = pi->Ixx;
  out[5] = pi->Ixy;
  out[6] = pi->Ixz;
  out[7] = pi->Iyy;
  out[8] = pi->Iyz;
  out[9] = pi->Izz;
}

struct inertia inertia_from(const double p[INERTIA_PARAMETERS]) {
  return (struct inertia){.m = p[0],
                          .h = {p[1], p[2], p[3]},
                          .Ixx = p[4],
                          .Ixy = p[5],
                          .Ixz = p[6],
                          .Iyy = p[7],
                          .Iyz = p[8],
                          .Izz = p[9]};
}

struct inertia inertia_axpy(const struct inertia *a, double s, const struct inertia *b) {
  return (struct inertia){.m = a->m + s * b->m,
                          .h = vec3_axpy(a->h, s, b->h),
                          .Ixx = a->Ixx + s * b->Ixx,
                          .Ixy = a->Ixy + s * b->Ixy,
                          .Ixz = a->Ixz + s * b->Ixz,
                          .Iyy = a->Iyy + s * b->Iyy,
                          .Iyz = a->Iyz + s * b->Iyz,
                          .Izz = a->Izz + s * b->Izz};
}

struct inertia inertia_of_point(double m, vec3 p) {
  return (struct inertia){.m = m,
                          .h = vec3_scale(m, p),
                          .Ixx = m * (p.y * p.y + p.z * p.z),
                          .Ixy = -m * p.x * p.y,
                          .Ixz = -m * p.x * p.z,
                          .Iyy = m * (p.x * p.x + p.z * p.z),
                          .Iyz = -m * p.y * p.z,
                          .Izz = m * (p.x * p.x + p.y * p.y)};
}

struct inertia inertia_of_body(double m, vec3 c, const mat3 *I_C) {
  struct inertia pi = inertia_of_point(m, c);
  pi.Ixx += I_C->m[0][0];
  pi.Ixy += I_C->m[0][1];
  pi.Ixz += I_C->m[0][2];
  pi.Iyy += I_C->m[1][1];
  pi.Iyz += I_C->m[1][2];
  pi.Izz += I_C->m[2][2];
  return pi;
}

mat3 inertia_tensor_at_com(const struct inertia *pi) {
  /* less what the mass, as a point at its centre, adds about the origin */
  const struct inertia at_com = inertia_of_point(pi->m, inertia_com(pi));
  const struct inertia about_com = inertia_axpy(pi, -1.0, &at_com);
  return inertia_tensor(&about_com);
}

void inertia_matrix(const struct inertia *pi, double out[6][6]) {
  /* [I, S(h); S(h)^T, m 1] */
  const mat3 I = inertia_tensor(pi), S = mat3_skew(pi->h);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      out[i][j] = I.m[i][j];
      out[i][j + 3] = S.m[i][j];
      out[i + 3][j] = S.m[j][i];
      out[i + 3][j + 3] = i == j ? pi->m : 0.0;
    }
  }
}
