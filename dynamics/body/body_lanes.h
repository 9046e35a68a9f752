/* A rigid body's mechanics in vector registers: Newton's and Euler's laws, and changes of frame.
 *
 * The same as inertia.h, for the inner passes of the algorithms. All functions: [any]. */
#ifndef BODY_LANES_H
#define BODY_LANES_H

#include "math/link_lanes.h"
#include "model/model.h"

/* Ten inertial parameters about some origin. */
struct body_lanes {
  double m;
  v3 h;
  struct m3 I;
};

ISA_INLINE struct body_lanes body_of(const struct inertia *pi) {
  return (struct body_lanes){.m = pi->m,
                             .h = v3_of(pi->h),
                             .I = {{pi->Ixx, pi->Ixy, pi->Ixz, 0.0},
                                   {pi->Ixy, pi->Iyy, pi->Iyz, 0.0},
                                   {pi->Ixz, pi->Iyz, pi->Izz, 0.0}}};
}
/* The same for who multiplies with whole columns, not with single numbers: the ten stand in a row,
 * so four loads of four, each put in place by one turn, instead of ten by insertions. */
ISA_INLINE struct body_lanes body_of_columns(const struct inertia *pi) {
  typedef double four __attribute__((vector_size(32), aligned(8), may_alias));
  _Static_assert(sizeof(struct inertia) == 10 * sizeof(double), "ten numbers in a row");
  const double *at = &pi->m;
  const v3 zero = {0.0, 0.0, 0.0, 0.0};
  const v3 m_h = *(const four *)at, from_xx = *(const four *)(at + 4),
           from_xy = *(const four *)(at + 5), from_xz = *(const four *)(at + 6);
  return (struct body_lanes){.m = pi->m,
                             .h = __builtin_shufflevector(m_h, zero, 1, 2, 3, 4),
                             .I = {__builtin_shufflevector(from_xx, zero, 0, 1, 2, 4),
                                   __builtin_shufflevector(from_xy, zero, 0, 2, 3, 4),
                                   __builtin_shufflevector(from_xz, zero, 0, 2, 3, 4)}};
}
static inline struct inertia body_inertia(const struct body_lanes *b) {
  return (struct inertia){b->m,      v3_vec3(b->h), b->I.x[0], b->I.x[1],
                          b->I.x[2], b->I.y[1],     b->I.y[2], b->I.z[2]};
}
ISA_INLINE struct body_lanes body_add(const struct body_lanes *a, const struct body_lanes *b) {
  return (struct body_lanes){
      a->m + b->m, a->h + b->h, {a->I.x + b->I.x, a->I.y + b->I.y, a->I.z + b->I.z}};
}

/* Momentum about the origin: spatial inertia times spatial velocity. */
ISA_INLINE struct v6 body_momentum(const struct body_lanes *b, struct v6 v) {
  return (struct v6){m3_mul_v3(&b->I, v.ang) + v3_cross(b->h, v.lin),
                     b->m * v.lin + v3_cross(v.ang, b->h)};
}

/* Moment and force that a motion takes; a.lin: proper, classical acceleration of the origin. */
ISA_INLINE struct v6 body_force(const struct body_lanes *b, v3 omega, struct v6 a) {
  const v3 I_w = m3_mul_v3(&b->I, omega), I_alpha = m3_mul_v3(&b->I, a.ang);
  const v3 moment = v3_half_cross(omega, I_w) + v3_half_cross(b->h, a.lin),
           force = v3_half_cross(a.ang, b->h) + v3_half_cross(omega, v3_cross(omega, b->h));
  return (struct v6){I_alpha + v3_turned(moment), b->m * a.lin + v3_turned(force)};
}

/* A wrench or momentum about a link's origin in link coordinates, brought to the base origin. */
ISA_INLINE struct v6 wrench_to_base(const struct link_lanes *L, struct v6 f_L) {
  const v3 f = m3_mul_v3(&L->R_BL, f_L.lin);
  return (struct v6){m3_mul_v3(&L->R_BL, f_L.ang) + v3_cross(L->p, f), f};
}

/* The body about the base origin in base coordinates (inertia.h):
 *   I_B = R I R^T + (p.u) 1 - (p u^T + u p^T)/2   with   u = 2 R h + m p */
ISA_INLINE struct body_lanes body_to_base(const struct link_lanes *L, const struct body_lanes *b) {
  const v3 e_x = {1.0, 0.0, 0.0, 0.0}, e_y = {0.0, 1.0, 0.0, 0.0}, e_z = {0.0, 0.0, 1.0, 0.0};
  const struct m3 R_I = m3_mul(&L->R_BL, &b->I);
  struct m3 I = m3_mul(&R_I, &L->R_LB);
  const v3 R_h = m3_mul_v3(&L->R_BL, b->h), p = L->p;
  const v3 u = 2.0 * R_h + b->m * p, half_p = 0.5 * p, half_u = 0.5 * u;
  const double p_u = v3_dot(p, u);
  I.x += p_u * e_x - half_p * u[0] - half_u * p[0];
  I.y += p_u * e_y - half_p * u[1] - half_u * p[1];
  I.z += p_u * e_z - half_p * u[2] - half_u * p[2];
  return (struct body_lanes){b->m, R_h + b->m * p, I};
}

#endif
