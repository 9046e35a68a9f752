#include "update/base_rows.h"

#include "body/frames.h"
#include "body/jacobian.h"
#include "process/base_process.h"

#include <math.h>

/* Adds `row` of m as terms by the three states from `state` on. */
static void add_terms(struct row_update *rows, size_t state, const mat3 *m, int row, double scale) {
  for (int k = 0; k < 3; k++) {
    row_update_term(rows, state + (size_t)k, scale * m->m[row][k]);
  }
}

static double part(vec3 v, int i) {
  return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

static void add_gyro(struct row_update *rows, const mat3 *to_imu, const struct base_reading *z,
                     const double *x) {
  const struct joint_layout *l = rows->layout;
  const vec3 rate = vec3_add(vec3_from(x + l->omega), vec3_from(x + l->gyro_bias));
  const vec3 off = vec3_sub(z->rate, mat3_mul_vec3(to_imu, rate));
  for (int i = 0; i < 3; i++) {
    if (isfinite(part(off, i))) {
      row_update_row(rows, part(off, i) / z->rate_sd);
      add_terms(rows, l->omega, to_imu, i, 1.0 / z->rate_sd);
      add_terms(rows, l->gyro_bias, to_imu, i, 1.0 / z->rate_sd);
    }
  }
}

/* d(omega x (omega x r)) / d omega. */
static mat3 centripetal_derivative(vec3 omega, vec3 r) {
  const double w[3] = {omega.x, omega.y, omega.z}, p[3] = {r.x, r.y, r.z};
  mat3 out;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      out.m[i][j] = w[i] * p[j] - 2.0 * p[i] * w[j] + (i == j ? vec3_dot(omega, r) : 0.0);
    }
  }
  return out;
}

static void add_accelerometer(struct row_update *rows, const mat3 *to_imu, vec3 r,
                              const struct base_reading *z, const double *x) {
  const struct joint_layout *l = rows->layout;
  const bool biased = l->biases > 0;
  const vec3 omega = vec3_from(x + l->omega);
  struct motion a = {vec3_from(x + l->omegadot), vec3_from(x + l->force)};
  if (biased) {
    a.ang = vec3_sub(a.ang, vec3_from(x + l->bias_ang));
    a.lin = vec3_sub(a.lin, vec3_from(x + l->bias_lin));
  }
  const vec3 felt =
      vec3_add(point_acceleration(&a, omega, r), vec3_from(x + l->accelerometer_bias));
  const vec3 off = vec3_sub(z->force, mat3_mul_vec3(to_imu, felt));
  const mat3 by_omega = centripetal_derivative(omega, r), Sr = mat3_skew(r);
  const mat3 turned = mat3_mul(to_imu, &by_omega), lever = mat3_mul(to_imu, &Sr);
  const double scale = 1.0 / z->force_sd;
  for (int i = 0; i < 3; i++) {
    if (!isfinite(part(off, i))) {
      continue;
    }
    row_update_row(rows, part(off, i) * scale);
    add_terms(rows, l->force, to_imu, i, scale);
    add_terms(rows, l->accelerometer_bias, to_imu, i, scale);
    add_terms(rows, l->omegadot, &lever, i, -scale);
    add_terms(rows, l->omega, &turned, i, scale);
    if (biased) {
      add_terms(rows, l->bias_lin, to_imu, i, -scale);
      add_terms(rows, l->bias_ang, &lever, i, scale);
    }
  }
}

size_t base_rows_imu(struct row_update *rows, const struct pose *imu,
                     const struct base_reading *reading, const double *x) {
  const mat3 to_imu = mat3_transpose(&imu->R);
  const size_t before = rows->rows;
  add_gyro(rows, &to_imu, reading, x);
  const size_t gyro = rows->rows - before;
  add_accelerometer(rows, &to_imu, imu->p, reading, x);
  return gyro;
}

/* -- feet ------------------------------------------------------------------------------------- */

void base_rows_foot(struct row_update *rows, const struct kinematics *kin,
                    const struct model_frame *foot, size_t index, vec3 rolled, vec3 sd, double *J,
                    const double *x) {
  const struct joint_layout *l = rows->layout;
  const vec3 sole = frame_pose(kin, foot->link, &foot->placement).p;
  const vec3 landed = {-rolled.x, -rolled.y, -rolled.z - foot->ball_radius}; /* from the centre */
  if (jacobian(kin, foot->link, &foot->placement, JACOBIAN_IN_BASE, J) != STATUS_OK) {
    return;
  }
  const mat3 R = mat3_from_quat(base_process_rotation(l, x)), S = mat3_skew(sole);
  const mat3 by_theta = mat3_mul(&R, &S);
  const vec3 centre = vec3_add(vec3_from(x + l->position), mat3_mul_vec3(&R, sole));
  const vec3 at = vec3_add(centre, landed);
  const vec3 off = vec3_sub(at, vec3_from(x + l->foot + 3 * index)); /* 0 less its prediction */
  const size_t columns = 6 + l->n;
  for (int i = 0; i < 3; i++) {
    const double scale = 1.0 / part(sd, i);
    row_update_row(rows, scale * part(off, i));
    row_update_term(rows, l->foot + 3 * index + (size_t)i, scale);
    row_update_term(rows, l->position + (size_t)i, -scale);
    add_terms(rows, l->attitude, &by_theta, i, scale);
    for (size_t j = 0; j < l->n; j++) {
      const vec3 by_q = {J[3 * columns + 6 + j], J[4 * columns + 6 + j], J[5 * columns + 6 + j]};
      row_update_term(rows, l->q + j, -scale * vec3_dot(vec3_from(R.m[i]), by_q));
    }
  }
}

void base_rows_sole(struct row_update *rows, const struct kinematics *kin,
                    const struct model_frame *foot, size_t index, vec3 sd, const double *J,
                    const double *x) {
  const struct joint_layout *l = rows->layout;
  const struct pose X_BF = frame_pose(kin, foot->link, &foot->placement);
  const quat q_WF = base_process_sole(l, index, x), back = {-q_WF.x, -q_WF.y, -q_WF.z, q_WF.w};
  const quat now = quat_mul(base_process_rotation(l, x), quat_from_mat3(&X_BF.R));
  const vec3 turned = quat_to_rotation_vector(quat_mul(back, now)); /* measured to be 0 */
  const mat3 to_sole = mat3_transpose(&X_BF.R);
  const size_t columns = 6 + l->n;
  for (int i = 0; i < 3; i++) {
    const double scale = 1.0 / part(sd, i);
    row_update_row(rows, -scale * part(turned, i));
    row_update_term(rows, l->sole + 3 * index + (size_t)i, -scale);
    add_terms(rows, l->attitude, &to_sole, i, scale);
    for (size_t j = 0; j < l->n; j++) {
      const vec3 by_q = {J[6 + j], J[columns + 6 + j], J[2 * columns + 6 + j]};
      row_update_term(rows, l->q + j, scale * vec3_dot(vec3_from(to_sole.m[i]), by_q));
    }
  }
}

void base_rows_level(struct row_update *rows, size_t index, double sd, const double *x) {
  const struct joint_layout *l = rows->layout;
  const mat3 R = mat3_from_quat(base_process_sole(l, index, x));
  const mat3 S = mat3_skew((vec3){0.0, 0.0, 1.0}), by = mat3_mul(&R, &S);
  for (int i = 0; i < 2; i++) { /* R e_z turns by R (phi x e_z) = -R S(e_z) phi */
    row_update_row(rows, -R.m[i][2] / sd);
    add_terms(rows, l->sole + 3 * index, &by, i, -1.0 / sd);
  }
}

void base_rows_height(struct row_update *rows, size_t index, double height, double sd,
                      const double *x) {
  const size_t state = rows->layout->foot + 3 * index + 2;
  row_update_row(rows, (height - x[state]) / sd);
  row_update_term(rows, state, 1.0 / sd);
}

/* Three states are zero. */
static void add_zero(struct row_update *rows, size_t state, double sd, const double *x) {
  for (size_t i = state; i < state + 3; i++) {
    row_update_row(rows, -x[i] / sd);
    row_update_term(rows, i, 1.0 / sd);
  }
}

void base_rows_stay(struct row_update *rows, double sd, const double *x) {
  add_zero(rows, rows->layout->velocity, sd, x);
}

void base_rows_still(struct row_update *rows, double sd, const double *x) {
  add_zero(rows, rows->layout->omega, sd, x);
}

void base_rows_orientation(struct row_update *rows, quat q_WB, double sd, const double *x) {
  const struct joint_layout *l = rows->layout;
  const quat q = base_process_rotation(l, x), back = {-q.x, -q.y, -q.z, q.w};
  const vec3 off = quat_to_rotation_vector(quat_mul(back, q_WB));
  for (int i = 0; i < 3; i++) {
    row_update_row(rows, part(off, i) / sd);
    row_update_term(rows, l->attitude + (size_t)i, 1.0 / sd);
  }
}
