/* Vectors, rotations and spatial vectors in three dimensions.
 *
 * Everything by value and inline: the compiler keeps these in registers. Spatial vectors follow
 * Featherstone with named parts, `.ang` and `.lin`, so that nobody depends on the order of six
 * numbers; where they are flattened, angular first. Rotations are named for the frames they join,
 * `v_A = R_AB v_B`. All functions: [any]. */
#ifndef SPATIAL_H
#define SPATIAL_H

#include "propriod/vector.h"

#include <math.h>
#include <stdbool.h>

#define STANDARD_GRAVITY 9.81 /* m/s^2, g = (0, 0, -9.81) in the world frame */

typedef propriod_vec3 vec3;

typedef struct {
  double m[3][3]; /* row, column */
} mat3;

/* Unit quaternion: rotates B coordinates into A coordinates when it stands for R_AB. */
typedef propriod_quat quat;

/* A motion vector: angular velocity (or acceleration) and linear velocity (or acceleration) of a
 * named point. */
struct motion {
  vec3 ang; /* rad/s or rad/s^2 */
  vec3 lin; /* m/s or m/s^2 */
};

/* A force vector: moment about a named point, and force. */
struct force {
  vec3 ang; /* N m */
  vec3 lin; /* N */
};

/* The pose of frame B in frame A: x_A = R x_B + p, with R = R_AB and p = the origin of B in A
 * coordinates. */
struct pose {
  mat3 R;
  vec3 p; /* m */
};

#define VEC3_ZERO     ((vec3){0.0, 0.0, 0.0})
#define MAT3_IDENTITY ((mat3){{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}})
#define QUAT_IDENTITY ((quat){0.0, 0.0, 0.0, 1.0})
#define POSE_IDENTITY ((struct pose){MAT3_IDENTITY, VEC3_ZERO})

static inline vec3 vec3_add(vec3 a, vec3 b) {
  return (vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline vec3 vec3_sub(vec3 a, vec3 b) {
  return (vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline vec3 vec3_neg(vec3 a) {
  return (vec3){-a.x, -a.y, -a.z};
}
static inline vec3 vec3_scale(double s, vec3 a) {
  return (vec3){s * a.x, s * a.y, s * a.z};
}
/* a + s b */
static inline vec3 vec3_axpy(vec3 a, double s, vec3 b) {
  return (vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double vec3_dot(vec3 a, vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline vec3 vec3_cross(vec3 a, vec3 b) {
  return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/* The largest of the three without their signs. */
static inline double vec3_largest(vec3 a) {
  return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
}
static inline double vec3_norm(vec3 a) {
  return sqrt(vec3_dot(a, a));
}
static inline bool vec3_is_finite(vec3 a) {
  return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}
static inline vec3 vec3_from(const double a[3]) {
  return (vec3){a[0], a[1], a[2]};
}
static inline void vec3_to(vec3 a, double out[3]) {
  out[0] = a.x;
  out[1] = a.y;
  out[2] = a.z;
}

static inline vec3 mat3_mul_vec3(const mat3 *A, vec3 b) {
  return (vec3){A->m[0][0] * b.x + A->m[0][1] * b.y + A->m[0][2] * b.z,
                A->m[1][0] * b.x + A->m[1][1] * b.y + A->m[1][2] * b.z,
                A->m[2][0] * b.x + A->m[2][1] * b.y + A->m[2][2] * b.z};
}
/* A^T b */
static inline vec3 mat3_tmul_vec3(const mat3 *A, vec3 b) {
  return (vec3){A->m[0][0] * b.x + A->m[1][0] * b.y + A->m[2][0] * b.z,
                A->m[0][1] * b.x + A->m[1][1] * b.y + A->m[2][1] * b.z,
                A->m[0][2] * b.x + A->m[1][2] * b.y + A->m[2][2] * b.z};
}
static inline mat3 mat3_mul(const mat3 *A, const mat3 *B) {
  mat3 C;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      C.m[i][j] = A->m[i][0] * B->m[0][j] + A->m[i][1] * B->m[1][j] + A->m[i][2] * B->m[2][j];
    }
  }
  return C;
}
static inline mat3 mat3_transpose(const mat3 *A) {
  mat3 T;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      T.m[i][j] = A->m[j][i];
    }
  }
  return T;
}
/* The cross-product matrix: S(a) b = a x b. */
static inline mat3 mat3_skew(vec3 a) {
  return (mat3){{{0.0, -a.z, a.y}, {a.z, 0.0, -a.x}, {-a.y, a.x, 0.0}}};
}

/* Rotation by `angle` radians about the unit vector `axis` (Rodrigues). */
mat3 mat3_from_axis_angle(vec3 axis, double angle);
/* Rotation of URDF's fixed-axis roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll). */
mat3 mat3_from_rpy(vec3 rpy);
/* Roll, pitch, yaw of a rotation; yaw takes the free angle when pitch is +-pi/2. */
vec3 mat3_to_rpy(const mat3 *R);
/* Rotation of the quaternion, which need not be normalised exactly. */
mat3 mat3_from_quat(quat q);
/* The unit quaternion of a rotation, with w >= 0. */
quat quat_from_mat3(const mat3 *R);
quat quat_mul(quat a, quat b);
quat quat_normalized(quat q);
/* The rotation vector's exponential and its inverse (angle in [0, pi]). */
quat quat_from_rotation_vector(vec3 phi);
vec3 quat_to_rotation_vector(quat q);

/* Pose of C in A from B in A and C in B. */
static inline struct pose pose_mul(const struct pose *AB, const struct pose *BC) {
  return (struct pose){mat3_mul(&AB->R, &BC->R), vec3_add(mat3_mul_vec3(&AB->R, BC->p), AB->p)};
}
static inline struct pose pose_inverse(const struct pose *AB) {
  return (struct pose){mat3_transpose(&AB->R), vec3_neg(mat3_tmul_vec3(&AB->R, AB->p))};
}
static inline vec3 pose_apply(const struct pose *AB, vec3 x_B) {
  return vec3_add(mat3_mul_vec3(&AB->R, x_B), AB->p);
}

#endif
