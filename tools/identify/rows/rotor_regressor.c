#include "identify/rows/rotor_regressor.h"

#include "body/regressor.h"

#include <math.h>
#include <string.h>

enum { TEN = INERTIA_PARAMETERS, THIRDS = 3 };

/* R for a turn by `angle` about the unit vector `axis`. */
static mat3 turn_about(vec3 axis, double angle) {
  const double c = cos(angle), s = sin(angle), u[3] = {axis.x, axis.y, axis.z};
  const double cross[3][3] = {
      {0.0, -axis.z, axis.y}, {axis.z, 0.0, -axis.x}, {-axis.y, axis.x, 0.0}};
  mat3 R;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      R.m[i][k] = (i == k ? c : 0.0) + s * cross[i][k] + (1.0 - c) * u[i] * u[k];
    }
  }
  return R;
}

/* Column k of a link's wrench, turned to base coordinates. */
static struct force column_in_base(const mat3 *R, double A[6][TEN], int k) {
  const vec3 n = {A[0][k], A[1][k], A[2][k]}, f = {A[3][k], A[4][k], A[5][k]};
  return (struct force){mat3_mul_vec3(R, n), mat3_mul_vec3(R, f)};
}

/* What joint i feels of a wrench about `at`, all in base coordinates. */
static double felt(const struct kinematics *kin, size_t i, vec3 at, const struct force *wrench) {
  const struct pose *X = &kin->X_BL[i + 1];
  const vec3 axis = mat3_mul_vec3(&X->R, kin->model->joint[i].axis);
  const vec3 moment = vec3_add(wrench->ang, vec3_cross(vec3_sub(at, X->p), wrench->lin));
  return vec3_dot(axis, kin->model->joint[i].type == JOINT_PRISMATIC ? wrench->lin : moment);
}

/* Adds `weight` times the regressor of the rotor turned further by `angle`. */
static void add_turned(const struct kinematics *kin, size_t j, double ratio, double angle,
                       double weight, double (*Y)[TEN]) {
  const struct model *model = kin->model;
  const struct joint *joint = &model->joint[j];
  const size_t parent = (size_t)model->parent[j + 1];
  const struct pose X = pose_mul(&kin->X_BL[parent], &joint->placement);
  const struct motion v = kinematics_v_B(kin, parent), a = kinematics_a_B(kin, parent);
  const vec3 z = mat3_mul_vec3(&X.R, joint->axis);
  /* motion of the rotor, base coordinates */
  const vec3 spin = vec3_scale(ratio * kin->dq[j], z);
  const vec3 omega = vec3_add(v.ang, spin);
  const vec3 alpha = vec3_add(vec3_axpy(a.ang, ratio * kin->ddq[j], z), vec3_cross(v.ang, spin));
  const vec3 at_origin = point_acceleration(&a, v.ang, vec3_sub(X.p, kin->X_BL[parent].p));
  /* in its own */
  const mat3 turned = turn_about(joint->axis, ratio * kin->q[j] + angle);
  const mat3 R = mat3_mul(&X.R, &turned);
  double A[6][TEN];
  link_regressor(mat3_tmul_vec3(&R, omega), mat3_tmul_vec3(&R, alpha),
                 mat3_tmul_vec3(&R, at_origin), A);
  for (int k = 0; k < TEN; k++) {
    const struct force wrench = column_in_base(&R, A, k);
    Y[j][k] += weight * ratio * vec3_dot(z, wrench.ang);
    for (int link = (int)parent; link > 0; link = model->parent[link]) {
      Y[link - 1][k] += weight * felt(kin, (size_t)link - 1, X.p, &wrench);
    }
  }
}

void rotor_regressor(const struct kinematics *kin, size_t j, double ratio, double (*Y)[TEN]) {
  memset(Y, 0, kin->model->n_joints * sizeof(*Y));
  add_turned(kin, j, ratio, 0.0, 1.0, Y);
}

void rotor_regressor_balanced(const struct kinematics *kin, size_t j, double ratio,
                              double (*Y)[TEN]) {
  memset(Y, 0, kin->model->n_joints * sizeof(*Y));
  for (int i = 0; i < THIRDS; i++) { /* what goes with an angle or its double is gone */
    add_turned(kin, j, ratio, 2.0 * M_PI * i / THIRDS, 1.0 / THIRDS, Y);
  }
}
