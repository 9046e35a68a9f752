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
                             .I = {v3_xyz(pi->Ixx, pi->Ixy, pi->Ixz),
                                   v3_xyz(pi->Ixy, pi->Iyy, pi->Iyz),
                                   v3_xyz(pi->Ixz, pi->Iyz, pi->Izz)}};
}
/* The same for who multiplies with whole columns, not with single numbers: the ten stand in a row,
 * so four loads of four, each put in place by one turn, instead of ten by insertions. */
#if REGISTER_BYTES >= 32
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
#else
ISA_INLINE struct body_lanes body_of_columns(const struct inertia *pi) {
  return body_of(pi);
}
#endif
static inline struct inertia body_inertia(const struct body_lanes *b) {
  const vec3 x = v3_vec3(b->I.x), y = v3_vec3(b->I.y), z = v3_vec3(b->I.z);
  return (struct inertia){b->m, v3_vec3(b->h), x.x, x.y, x.z, y.y, y.z, z.z};
}
ISA_INLINE struct body_lanes body_add(const struct body_lanes *a, const struct body_lanes *b) {
  return (struct body_lanes){
      a->m + b->m,
      v3_add(a->h, b->h),
      {v3_add(a->I.x, b->I.x), v3_add(a->I.y, b->I.y), v3_add(a->I.z, b->I.z)}};
}

/* Momentum about the origin: spatial inertia times spatial velocity. */
ISA_INLINE struct v6 body_momentum(const struct body_lanes *b, struct v6 v) {
  return (struct v6){v3_add(m3_mul_v3(&b->I, v.ang), v3_cross(b->h, v.lin)),
                     v3_axpy(v3_cross(v.ang, b->h), b->m, v.lin)};
}

/* Moment and force that a motion takes; a.lin: proper, classical acceleration of the origin. */
ISA_INLINE struct v6 body_force(const struct body_lanes *b, v3 omega, struct v6 a) {
  const v3 I_w = m3_mul_v3(&b->I, omega), I_alpha = m3_mul_v3(&b->I, a.ang);
  const v3 moment = v3_add(v3_half_cross(omega, I_w), v3_half_cross(b->h, a.lin)),
           force = v3_add(v3_half_cross(a.ang, b->h), v3_half_cross(omega, v3_cross(omega, b->h)));
  return (struct v6){v3_add(I_alpha, v3_turned(moment)), v3_axpy(v3_turned(force), b->m, a.lin)};
}

/* A wrench or momentum about a link's origin in link coordinates, brought to the base origin. */
ISA_INLINE struct v6 wrench_to_base(const struct link_lanes *L, struct v6 f_L) {
  const v3 f = m3_mul_v3(&L->R_BL, f_L.lin);
  return (struct v6){v3_add(m3_mul_v3(&L->R_BL, f_L.ang), v3_cross(L->p, f)), f};
}

/* The body about the base origin in base coordinates (inertia.h):
 *   I_B = R I R^T + (p.u) 1 - (p u^T + u p^T)/2   with   u = 2 R h + m p */
ISA_INLINE struct body_lanes body_to_base(const struct link_lanes *L, const struct body_lanes *b) {
  const struct m3 R_I = m3_mul(&L->R_BL, &b->I);
  struct m3 I = m3_mul(&R_I, &L->R_LB);
  const v3 R_h = m3_mul_v3(&L->R_BL, b->h), p = L->p;
  const v3 u = v3_axpy(v3_scale(2.0, R_h), b->m, p), half_p = v3_scale(0.5, p),
           half_u = v3_scale(0.5, u);
  const double p_u = v3_dot(p, u);
  /* column k: (p.u) e_k - (p u_k + u p_k)/2 */
  I.x = v3_add(I.x, v3_xyz(p_u, 0.0, 0.0));
  I.x = v3_sub(I.x, v3_axpy(v3_scale(v3_at(u, 0), half_p), v3_at(p, 0), half_u));
  I.y = v3_add(I.y, v3_xyz(0.0, p_u, 0.0));
  I.y = v3_sub(I.y, v3_axpy(v3_scale(v3_at(u, 1), half_p), v3_at(p, 1), half_u));
  I.z = v3_add(I.z, v3_xyz(0.0, 0.0, p_u));
  I.z = v3_sub(I.z, v3_axpy(v3_scale(v3_at(u, 2), half_p), v3_at(p, 2), half_u));
  return (struct body_lanes){b->m, v3_axpy(R_h, b->m, p), I};
}

#endif
