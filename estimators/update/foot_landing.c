#include "update/foot_landing.h"

#include "body/frames.h"
#include "numerics/dense_matrix.h"
#include "process/base_process.h"
#include "update/base_rows.h"

/* Where a foot may stand, m, and how it may be turned, rad, beside where the base has it: more than
 * any base is off by. */
static const double ANYWHERE = 3.0, ANYHOW = 1.0;

/* Takes a state out of a row: by how much the row saw it. */
static double take_out(struct row_update *rows, size_t row, size_t state) {
  uint16_t *states = rows->state + row * rows->terms_max;
  double *h = rows->h + row * rows->terms_max;
  const size_t last = --rows->terms[row];
  size_t at = 0;
  while (at < last && states[at] != state) {
    at++;
  }
  const double own = h[at];
  states[at] = states[last];
  h[at] = h[last];
  return own;
}

/* The three states from `first` on are as the three rows have them by all others that they see,
 * within their noise: they err with them. */
static void follow(struct row_update *rows, size_t first, double *P) {
  const struct joint_layout *l = rows->layout;
  const size_t stride = matrix_stride(rows->rows_max);
  double by[3];
  if (rows->rows < 3) { /* the foot has no Jacobian */
    return;
  }
  for (size_t i = 0; i < 3; i++) {
    by[i] = -1.0 / take_out(rows, i, first + i);
  }
  row_update_expect(rows, P);
  for (size_t i = 0; i < 3; i++) {
    const double *Pyx = rows->Pyx + i * l->stride;
    for (size_t k = 0; k < first; k++) {
      P[k * l->stride + first + i] = by[i] * Pyx[k];
    }
    for (size_t k = i; k < 3; k++) {
      P[(first + i) * l->stride + first + k] = by[i] * by[k] * rows->Pyy[i * stride + k];
    }
    for (size_t k = first + 3; k < l->size; k++) {
      P[(first + i) * l->stride + k] = by[i] * Pyx[k];
    }
  }
}

void foot_lands(struct row_update *rows, const struct kinematics *kin,
                const struct model_frame *foot, size_t index, double *J, double *x, double *P) {
  const struct joint_layout *l = rows->layout;
  const quat q_WB = base_process_rotation(l, x);
  const mat3 R = mat3_from_quat(q_WB);
  const struct pose X_BF = frame_pose(kin, foot->link, &foot->placement);
  const size_t at = l->foot + 3 * index;
  vec3_to(vec3_add(vec3_from(x + l->position), mat3_mul_vec3(&R, X_BF.p)), x + at);
  x[at + 2] -= foot->ball_radius;
  row_update_begin(rows);
  base_rows_foot(rows, kin, foot, index, VEC3_ZERO, (vec3){ANYWHERE, ANYWHERE, ANYWHERE}, J, x);
  follow(rows, at, P);
  if (index < l->n_soles) {
    base_process_set_sole(l, index, quat_mul(q_WB, quat_from_mat3(&X_BF.R)), x);
    row_update_begin(rows);
    base_rows_sole(rows, kin, foot, index, (vec3){ANYHOW, ANYHOW, ANYHOW}, J, x);
    follow(rows, l->sole + 3 * index, P);
  }
}
