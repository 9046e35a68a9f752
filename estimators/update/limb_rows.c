#include "update/limb_rows.h"

#include <math.h>

/* A point that moves, base coordinates: place from the base's origin, velocity and specific force,
 * the base's own velocity left out, which only enters differences. */
struct moving_point {
  vec3 p, v, f; /* m, m/s, m/s^2 */
};

/* The IMU's axes seen from the base. */
static mat3 to_imu_of(const struct kinematics *kin, const struct limb_imu *imu) {
  const mat3 R_BI = mat3_mul(&kin->X_BL[imu->link].R, &imu->placement.R);
  return mat3_transpose(&R_BI);
}

/* A point at `r` of a link, link coordinates. */
static struct moving_point point_on(const struct kinematics *kin, size_t link, vec3 r) {
  const mat3 *R = &kin->X_BL[link].R;
  const struct motion v_L = kinematics_v_L(kin, link), a_L = kinematics_a_L(kin, link);
  return (struct moving_point){
      .p = vec3_add(kin->X_BL[link].p, mat3_mul_vec3(R, r)),
      .v = mat3_mul_vec3(R, vec3_add(v_L.lin, vec3_cross(v_L.ang, r))),
      .f = mat3_mul_vec3(R, point_acceleration(&a_L, v_L.ang, r)),
  };
}

static double part(vec3 v, int i) {
  return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

/* Adds `scale` times row `row` of `by` times `v` as a term. */
static void add_term(struct row_update *rows, size_t state, const mat3 *by, int row, vec3 v,
                     double scale) {
  row_update_term(rows, state, scale * vec3_dot(vec3_from(by->m[row]), v));
}

/* ... and of `by` as terms of the three states from `state` on. */
static void add_terms(struct row_update *rows, size_t state, const mat3 *by, int row,
                      double scale) {
  for (int k = 0; k < 3; k++) {
    row_update_term(rows, state + (size_t)k, scale * by->m[row][k]);
  }
}

/* -- gyro ------------------------------------------------------------------------------------- */

void limb_rows_gyro(struct row_update *rows, const struct kinematics *kin,
                    const struct limb_imu *imu, size_t bias, vec3 reading, const double *x) {
  const struct joint_layout *l = rows->layout;
  const struct model *model = kin->model;
  const mat3 to_imu = to_imu_of(kin, imu);
  const vec3 turns = mat3_mul_vec3(&to_imu, kinematics_v_B(kin, imu->link).ang);
  const vec3 off = vec3_sub(reading, vec3_add(turns, vec3_from(x + bias)));
  const double scale = 1.0 / imu->rate_sd;
  for (int row = 0; row < 3; row++) {
    if (!isfinite(part(off, row))) {
      continue;
    }
    row_update_row(rows, scale * part(off, row));
    row_update_term(rows, bias + (size_t)row, scale);
    if (l->base > 0) {
      add_terms(rows, l->omega, &to_imu, row, scale);
    }
    /* every joint between the base and the limb */
    for (size_t i = imu->link; i > 0; i = (size_t)model->parent[i]) {
      const struct joint *joint = &model->joint[i - 1];
      if (joint->type != JOINT_PRISMATIC) {
        const vec3 z = mat3_mul_vec3(&kin->X_BL[i].R, joint->axis);
        add_term(rows, l->dq + i - 1, &to_imu, row, z, scale);
        add_term(rows, l->q + i - 1, &to_imu, row, vec3_cross(kinematics_v_B(kin, i).ang, z),
                 scale);
      }
    }
  }
}

/* -- accelerometer ---------------------------------------------------------------------------- */

/* How the force at the IMU changes with one joint. */
struct joint_share {
  vec3 by_q, by_dq, by_ddq; /* base axes */
};

/* Link i, which joint i - 1 moves. */
static struct joint_share share_of(const struct kinematics *kin, size_t i,
                                   const struct moving_point *imu) {
  const struct joint *joint = &kin->model->joint[i - 1];
  const vec3 z = mat3_mul_vec3(&kin->X_BL[i].R, joint->axis);
  const vec3 w = kinematics_v_B(kin, i).ang, alpha = kinematics_a_B(kin, i).ang;
  /* the axis stands still in its link */
  const vec3 Dz = vec3_cross(w, z);
  const vec3 DDz = vec3_add(vec3_cross(alpha, z), vec3_cross(w, Dz));
  if (joint->type == JOINT_PRISMATIC) {
    return (struct joint_share){DDz, vec3_scale(2.0, Dz), z};
  }
  const struct moving_point origin = point_on(kin, i, VEC3_ZERO);
  const vec3 r = vec3_sub(imu->p, origin.p), Dr = vec3_sub(imu->v, origin.v),
             DDr = vec3_sub(imu->f, origin.f);
  const vec3 DJ = vec3_add(vec3_cross(Dz, r), vec3_cross(z, Dr));
  vec3 DDJ = vec3_add(vec3_cross(DDz, r), vec3_cross(z, DDr));
  DDJ = vec3_axpy(DDJ, 2.0, vec3_cross(Dz, Dr));
  /* the IMU's axes turn too */
  return (struct joint_share){vec3_sub(DDJ, vec3_cross(z, imu->f)), vec3_scale(2.0, DJ),
                              vec3_cross(z, r)};
}

/* d f_P / d omega of the base: omega x (omega x p) + 2 omega x p', p' as seen from the base. */
static mat3 by_base_rate(vec3 omega, const struct moving_point *imu) {
  const vec3 p = imu->p, slip = vec3_sub(imu->v, vec3_cross(omega, p));
  const double w[3] = {omega.x, omega.y, omega.z}, r[3] = {p.x, p.y, p.z};
  const mat3 S = mat3_skew(slip);
  mat3 out;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      out.m[i][j] =
          w[i] * r[j] - 2.0 * r[i] * w[j] + (i == j ? vec3_dot(omega, p) : 0.0) - 2.0 * S.m[i][j];
    }
  }
  return out;
}

/* What the base's motion does; states of force and omegadot hold what skin is off by. */
static void add_base(struct row_update *rows, const mat3 *to_imu, const mat3 *lever,
                     const mat3 *turned, int row, double scale) {
  const struct joint_layout *l = rows->layout;
  add_terms(rows, l->force, to_imu, row, scale);
  add_terms(rows, l->omegadot, lever, row, -scale);
  add_terms(rows, l->omega, turned, row, scale);
  if (l->biases > 0) {
    add_terms(rows, l->bias_lin, to_imu, row, -scale);
    add_terms(rows, l->bias_ang, lever, row, scale);
  }
}

static void add_joint(struct row_update *rows, const mat3 *to_imu, size_t j,
                      const struct joint_share *share, int row, double scale) {
  const struct joint_layout *l = rows->layout;
  add_term(rows, l->q + j, to_imu, row, share->by_q, scale);
  add_term(rows, l->dq + j, to_imu, row, share->by_dq, scale);
  add_term(rows, l->ddq + j, to_imu, row, share->by_ddq, scale);
  if (l->biases > 0) {
    add_term(rows, l->bias + j, to_imu, row, share->by_ddq, -scale);
  }
}

void limb_rows_accelerometer(struct row_update *rows, const struct kinematics *kin,
                             const struct limb_imu *imu, size_t bias, vec3 reading,
                             const double *x) {
  const struct joint_layout *l = rows->layout;
  const struct model *model = kin->model;
  const mat3 to_imu = to_imu_of(kin, imu);
  const struct moving_point at = point_on(kin, imu->link, imu->placement.p);
  const vec3 felt = vec3_add(mat3_mul_vec3(&to_imu, at.f), vec3_from(x + bias));
  const vec3 off = vec3_sub(reading, felt), omega = kinematics_v_B(kin, 0).ang;
  const mat3 Sp = mat3_skew(at.p), lever = mat3_mul(&to_imu, &Sp);
  const mat3 by_omega = by_base_rate(omega, &at), turned = mat3_mul(&to_imu, &by_omega);
  const double scale = 1.0 / imu->force_sd;
  /* each joint's share is the same in all rows */
  struct joint_share share[MODEL_MAX_JOINTS];
  for (size_t i = imu->link; i > 0; i = (size_t)model->parent[i]) {
    share[i - 1] = share_of(kin, i, &at);
  }
  for (int row = 0; row < 3; row++) {
    if (!isfinite(part(off, row))) {
      continue;
    }
    row_update_row(rows, scale * part(off, row));
    row_update_term(rows, bias + (size_t)row, scale);
    if (l->base > 0) {
      add_base(rows, &to_imu, &lever, &turned, row, scale);
    }
    for (size_t i = imu->link; i > 0; i = (size_t)model->parent[i]) {
      add_joint(rows, &to_imu, i - 1, &share[i - 1], row, scale);
    }
  }
}
