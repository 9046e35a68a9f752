/* Vectors and rotations in vector registers: spatial.h's algebra at a third of the instructions.
 *
 * For the inner passes of the algorithms; their interfaces speak vec3 and mat3. A `v3` holds x, y,
 * z and a fourth lane that stays zero: in one register, or in two where registers hold two
 * numbers. It stands in memory alike everywhere. Files that calculate with it are compiled for each
 * instruction set (ISA_KERNEL, dispatch.h). All functions: [any]. */
#ifndef LANES_H
#define LANES_H

#include "math/dispatch.h"
#include "math/spatial.h"

#if REGISTER_BYTES >= 32

typedef double v3 __attribute__((vector_size(32)));

ISA_INLINE v3 v3_xyz(double x, double y, double z) {
  return (v3){x, y, z, 0.0};
}
ISA_INLINE double v3_at(v3 a, int i) {
  return a[i];
}
ISA_INLINE v3 v3_add(v3 a, v3 b) {
  return a + b;
}
ISA_INLINE v3 v3_sub(v3 a, v3 b) {
  return a - b;
}
/* Lane by lane. */
ISA_INLINE v3 v3_mul(v3 a, v3 b) {
  return a * b;
}
ISA_INLINE v3 v3_scale(double s, v3 a) {
  return s * a;
}
/* Four numbers that are no vector, for what is done lane by lane, and their way out. */
ISA_INLINE v3 v3_four(double a, double b, double c, double d) {
  return (v3){a, b, c, d};
}
ISA_INLINE void v3_store_four(v3 a, double *to) {
  typedef double four __attribute__((vector_size(32), aligned(8), may_alias));
  *(four *)to = a;
}
/* y, z, x */
ISA_INLINE v3 v3_turned(v3 a) {
  return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}
/* Sum of the lanes. */
ISA_INLINE double v3_sum(v3 a) {
  return (a[0] + a[1]) + (a[2] + a[3]);
}

#else

typedef double v2 __attribute__((vector_size(16)));
typedef struct {
  v2 xy, z0;
} __attribute__((aligned(32))) v3;

ISA_INLINE v3 v3_xyz(double x, double y, double z) {
  return (v3){{x, y}, {z, 0.0}};
}
ISA_INLINE double v3_at(v3 a, int i) {
  return i < 2 ? a.xy[i] : a.z0[i - 2];
}
ISA_INLINE v3 v3_add(v3 a, v3 b) {
  return (v3){a.xy + b.xy, a.z0 + b.z0};
}
ISA_INLINE v3 v3_sub(v3 a, v3 b) {
  return (v3){a.xy - b.xy, a.z0 - b.z0};
}
ISA_INLINE v3 v3_mul(v3 a, v3 b) {
  return (v3){a.xy * b.xy, a.z0 * b.z0};
}
ISA_INLINE v3 v3_scale(double s, v3 a) {
  return (v3){s * a.xy, s * a.z0};
}
ISA_INLINE v3 v3_four(double a, double b, double c, double d) {
  return (v3){{a, b}, {c, d}};
}
ISA_INLINE void v3_store_four(v3 a, double *to) {
  typedef double two __attribute__((vector_size(16), aligned(8), may_alias));
  ((two *)to)[0] = a.xy;
  ((two *)to)[1] = a.z0;
}
ISA_INLINE v3 v3_turned(v3 a) {
  return (v3){__builtin_shufflevector(a.xy, a.z0, 1, 2), __builtin_shufflevector(a.xy, a.z0, 0, 3)};
}
ISA_INLINE double v3_sum(v3 a) {
  const v2 sum = a.xy + a.z0;
  return sum[0] + sum[1];
}

#endif

ISA_INLINE v3 v3_of(vec3 a) {
  return v3_xyz(a.x, a.y, a.z);
}
ISA_INLINE vec3 v3_vec3(v3 a) {
  return (vec3){v3_at(a, 0), v3_at(a, 1), v3_at(a, 2)};
}
/* a + s b */
ISA_INLINE v3 v3_axpy(v3 a, double s, v3 b) {
  return v3_add(a, v3_scale(s, b));
}
ISA_INLINE v3 v3_neg(v3 a) {
  return v3_scale(-1.0, a);
}
/* A cross product before its last turn: sums of several are turned once. */
ISA_INLINE v3 v3_half_cross(v3 a, v3 b) {
  return v3_sub(v3_mul(a, v3_turned(b)), v3_mul(v3_turned(a), b));
}
ISA_INLINE v3 v3_cross(v3 a, v3 b) {
  return v3_turned(v3_half_cross(a, b));
}
ISA_INLINE double v3_dot(v3 a, v3 b) {
  return v3_sum(v3_mul(a, b));
}

/* A rotation, or any 3x3 matrix, by columns. */
struct m3 {
  v3 x, y, z;
};

ISA_INLINE struct m3 m3_of(const mat3 *A) {
  return (struct m3){v3_xyz(A->m[0][0], A->m[1][0], A->m[2][0]),
                     v3_xyz(A->m[0][1], A->m[1][1], A->m[2][1]),
                     v3_xyz(A->m[0][2], A->m[1][2], A->m[2][2])};
}
ISA_INLINE v3 m3_mul_v3(const struct m3 *A, v3 b) {
  return v3_axpy(v3_axpy(v3_scale(v3_at(b, 0), A->x), v3_at(b, 1), A->y), v3_at(b, 2), A->z);
}
ISA_INLINE struct m3 m3_mul(const struct m3 *A, const struct m3 *B) {
  return (struct m3){m3_mul_v3(A, B->x), m3_mul_v3(A, B->y), m3_mul_v3(A, B->z)};
}

#if REGISTER_BYTES >= 32

ISA_INLINE struct m3 m3_transpose(const struct m3 *A) {
  const v3 zero = {0.0, 0.0, 0.0, 0.0};
  const v3 xy_02 = __builtin_shufflevector(A->x, A->y, 0, 4, 2, 6);
  const v3 xy_1 = __builtin_shufflevector(A->x, A->y, 1, 5, 1, 5);
  return (struct m3){
      __builtin_shufflevector(xy_02, A->z, 0, 1, 4, 7),
      __builtin_shufflevector(xy_1, A->z, 0, 1, 5, 7),
      __builtin_shufflevector(xy_02, __builtin_shufflevector(A->z, zero, 2, 4, 2, 4), 2, 3, 4, 5)};
}

/* Writes a pose, given the rows of its rotation: twelve numbers without gaps in three stores, or
 * in six. */
ISA_INLINE void pose_store(struct pose *to, const struct m3 *rows, v3 p) {
  typedef double four __attribute__((vector_size(32), aligned(8), may_alias));
  _Static_assert(sizeof(struct pose) == 3 * sizeof(v3), "rotation and position have no gaps");
  four *out = (four *)to;
  out[0] = __builtin_shufflevector(rows->x, rows->y, 0, 1, 2, 4);
  out[1] = __builtin_shufflevector(rows->y, rows->z, 1, 2, 4, 5);
  out[2] = __builtin_shufflevector(rows->z, p, 2, 4, 5, 6);
}

#else

ISA_INLINE struct m3 m3_transpose(const struct m3 *A) {
  const v2 zero = {0.0, 0.0};
  return (struct m3){{__builtin_shufflevector(A->x.xy, A->y.xy, 0, 2),
                      __builtin_shufflevector(A->z.xy, zero, 0, 2)},
                     {__builtin_shufflevector(A->x.xy, A->y.xy, 1, 3),
                      __builtin_shufflevector(A->z.xy, zero, 1, 2)},
                     {__builtin_shufflevector(A->x.z0, A->y.z0, 0, 2), A->z.z0}};
}

ISA_INLINE void pose_store(struct pose *to, const struct m3 *rows, v3 p) {
  typedef double two __attribute__((vector_size(16), aligned(8), may_alias));
  _Static_assert(sizeof(struct pose) == 3 * sizeof(v3), "rotation and position have no gaps");
  two *out = (two *)to;
  out[0] = rows->x.xy;
  out[1] = __builtin_shufflevector(rows->x.z0, rows->y.xy, 0, 2);
  out[2] = __builtin_shufflevector(rows->y.xy, rows->y.z0, 1, 2);
  out[3] = rows->z.xy;
  out[4] = __builtin_shufflevector(rows->z.z0, p.xy, 0, 2);
  out[5] = __builtin_shufflevector(p.xy, p.z0, 1, 2);
}

#endif

/* A spatial vector: motion or force. */
struct v6 {
  v3 ang, lin;
};
ISA_INLINE struct v6 v6_add(struct v6 a, struct v6 b) {
  return (struct v6){v3_add(a.ang, b.ang), v3_add(a.lin, b.lin)};
}
ISA_INLINE struct v6 v6_sub(struct v6 a, struct v6 b) {
  return (struct v6){v3_sub(a.ang, b.ang), v3_sub(a.lin, b.lin)};
}
ISA_INLINE struct v6 v6_scale(double s, struct v6 a) {
  return (struct v6){v3_scale(s, a.ang), v3_scale(s, a.lin)};
}
ISA_INLINE double v6_dot(struct v6 a, struct v6 b) {
  return v3_sum(v3_add(v3_mul(a.ang, b.ang), v3_mul(a.lin, b.lin)));
}
ISA_INLINE struct v6 v6_of_motion(const struct motion *m) {
  return (struct v6){v3_of(m->ang), v3_of(m->lin)};
}
static inline struct motion v6_motion(const struct v6 *a) {
  return (struct motion){v3_vec3(a->ang), v3_vec3(a->lin)};
}
ISA_INLINE struct v6 v6_of_force(const struct force *f) {
  return (struct v6){v3_of(f->ang), v3_of(f->lin)};
}
static inline struct force v6_force(const struct v6 *a) {
  return (struct force){v3_vec3(a->ang), v3_vec3(a->lin)};
}

#endif
