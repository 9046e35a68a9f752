/* Algebra of the ten inertial parameters of a rigid body (struct inertia, model.h).
 *
 * They are always about the origin of the frame in which they are written. They add like the
 * bodies do: about one point, in one frame, the parameters of two bodies together are the sums.
 * All functions: [any], a few dozen flops, any finite input (consistency is pseudo_inertia.h's
 * work). */
#ifndef INERTIA_H
#define INERTIA_H

#include "math/bounds.h"
#include "math/spatial.h"
#include "model/model.h"

#define INERTIA_PARAMETERS 10

/* Flattened in the order m, hx, hy, hz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz. */
void inertia_to(const struct inertia *pi, double out[INERTIA_PARAMETERS]);
struct inertia inertia_from(const double parameters[INERTIA_PARAMETERS]);

/* The inertia tensor about the origin, kg m^2. */
static inline mat3 inertia_tensor(const struct inertia *pi) {
  return (mat3){
      {{pi->Ixx, pi->Ixy, pi->Ixz}, {pi->Ixy, pi->Iyy, pi->Iyz}, {pi->Ixz, pi->Iyz, pi->Izz}}};
}

/* Both bodies together, rigidly joined; same origin, same frame. */
static inline struct inertia inertia_add(const struct inertia *a, const struct inertia *b) {
  return (struct inertia){a->m + b->m,     vec3_add(a->h, b->h), a->Ixx + b->Ixx, a->Ixy + b->Ixy,
                          a->Ixz + b->Ixz, a->Iyy + b->Iyy,      a->Iyz + b->Iyz, a->Izz + b->Izz};
}

/* a + s b; s = -1 takes a part away. */
struct inertia inertia_axpy(const struct inertia *a, double s, const struct inertia *b);

/* A point of mass m (kg) at p (m). */
struct inertia inertia_of_point(double m, vec3 p);

/* A body of mass m with its centre at c (m) and the inertia tensor I_C (kg m^2) about its centre,
 * axes parallel to the frame's: the parallel-axis theorem. The upper triangle of I_C is read. */
struct inertia inertia_of_body(double m, vec3 c, const mat3 *I_C);

/* The centre of mass, m; pi->m must not be 0. */
static inline vec3 inertia_com(const struct inertia *pi) {
  return vec3_scale(1.0 / pi->m, pi->h);
}

/* The inertia tensor about the centre of mass, axes parallel to the frame's; pi->m not 0. */
mat3 inertia_tensor_at_com(const struct inertia *pi);

/* The same body seen from frame A. X_AB: pose of B in A; pi: about B's origin, B coordinates.
 *
 * I_A = R I R^T - S(p) S(R h) - S(R h) S(p) - m S(p) S(p),  h_A = R h + m p */
static inline struct inertia inertia_transform(const struct pose *X_AB, const struct inertia *pi) {
  const mat3 *R = &X_AB->R;
  const vec3 p = X_AB->p, Rh = mat3_mul_vec3(R, pi->h);
  const vec3 x = {R->m[0][0], R->m[0][1], R->m[0][2]}, y = {R->m[1][0], R->m[1][1], R->m[1][2]},
             z = {R->m[2][0], R->m[2][1], R->m[2][2]};
  const mat3 I = inertia_tensor(pi);
  const vec3 I_x = mat3_mul_vec3(&I, x), I_y = mat3_mul_vec3(&I, y), I_z = mat3_mul_vec3(&I, z);

  /* with u = 2 R h + m p the shift is (p.u) 1 - (p u^T + u p^T) / 2 */
  const vec3 u = vec3_axpy(vec3_scale(2.0, Rh), pi->m, p);
  const double xx = p.x * u.x, yy = p.y * u.y, zz = p.z * u.z;
  return (struct inertia){.m = pi->m,
                          .h = vec3_axpy(Rh, pi->m, p),
                          .Ixx = vec3_dot(x, I_x) + yy + zz,
                          .Ixy = vec3_dot(x, I_y) - 0.5 * (p.x * u.y + p.y * u.x),
                          .Ixz = vec3_dot(x, I_z) - 0.5 * (p.x * u.z + p.z * u.x),
                          .Iyy = vec3_dot(y, I_y) + xx + zz,
                          .Iyz = vec3_dot(y, I_z) - 0.5 * (p.y * u.z + p.z * u.y),
                          .Izz = vec3_dot(z, I_z) + xx + yy};
}

/* The spatial inertia times a spatial vector about the same origin: momentum from velocity, or the
 * part of the force that is linear in the acceleration (rad/s and m/s, or per second more). */
static inline struct force inertia_apply(const struct inertia *pi, const struct motion *v) {
  const mat3 I = inertia_tensor(pi);
  return (struct force){vec3_add(mat3_mul_vec3(&I, v->ang), vec3_cross(pi->h, v->lin)),
                        vec3_add(vec3_scale(pi->m, v->lin), vec3_cross(v->ang, pi->h))};
}

/* The 6 x 6 spatial inertia [ I  S(h) ; S(h)^T  m 1 ], angular first, row by row. */
void inertia_matrix(const struct inertia *pi, double out[6][6]);

/* kg, kg m, kg m^2: no inertial parameter of a robot is larger. */
#define INERTIA_LIMIT 1e9

/* inertia: [n]. Consistency is not asked for: estimators pass any ten numbers, also zeros. */
static inline enum status check_inertias(const struct inertia *inertia, size_t n) {
  _Static_assert(sizeof(struct inertia) == 10 * sizeof(double), "ten numbers in a row");
  return check_within(&inertia[0].m, 10 * n, INERTIA_LIMIT);
}

#endif
