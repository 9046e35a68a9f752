#include "joints/foot_landing.h"

#include "body/frames.h"
#include "body/jacobian.h"
#include "joints/base_process.h"

/* Where a foot may stand, m, and how it may be turned, rad, beside where the base has it: more than
 * any base is off by. */
static const double ANYWHERE = 3.0, ANYHOW = 1.0;

/* How three states that follow others depend on them. */
struct follows {
  size_t count;
  size_t state[6 + MODEL_MAX_JOINTS];
  double by[3][6 + MODEL_MAX_JOINTS];
};

static void add_followed(struct follows *f, size_t state, const mat3 *by) {
  for (size_t k = 0; k < 3; k++, f->count++) {
    f->state[f->count] = state + k;
    for (size_t i = 0; i < 3; i++) {
      f->by[i][f->count] = by->m[i][k];
    }
  }
}

/* The rows of J from `row` on, turned, of the joints between. */
static void add_joints(struct follows *f, const struct joint_layout *l, const double *J, size_t row,
                       const mat3 *turned) {
  const size_t columns = 6 + l->n;
  for (size_t j = 0; j < l->n; j++) {
    const double *by_q = J + row * columns + 6 + j;
    double by[3];
    vec3_to(mat3_mul_vec3(turned, (vec3){by_q[0], by_q[columns], by_q[2 * columns]}), by);
    if (by[0] == 0.0 && by[1] == 0.0 && by[2] == 0.0) {
      continue;
    }
    f->state[f->count] = l->q + j;
    for (size_t i = 0; i < 3; i++) {
      f->by[i][f->count] = by[i];
    }
    f->count++;
  }
}

/* The three states from `first` on become what follows from others, within sd: they err with them.
 * Those others all stand before them, so that each row is whole by its own columns. */
static void follow(const struct joint_layout *l, size_t first, const struct follows *f, double sd,
                   double *P) {
  for (size_t i = 0; i < 3; i++) {
    for (size_t k = 0; k < l->size; k++) {
      double sum = 0.0;
      for (size_t c = 0; c < f->count; c++) {
        sum += f->by[i][c] * joint_process_upper(l, P, f->state[c], k);
      }
      P[(first + i) * l->stride + k] = P[k * l->stride + first + i] = sum;
    }
    P[(first + i) * (l->stride + 1)] += sd * sd;
  }
}

void foot_lands(const struct joint_layout *layout, const struct kinematics *kin,
                const struct model_frame *foot, size_t index, double *J, double *x, double *P) {
  const struct joint_layout *l = layout;
  const quat q_WB = base_process_rotation(l, x);
  const mat3 R = mat3_from_quat(q_WB), one = MAT3_IDENTITY;
  const struct pose X_BF = frame_pose(kin, foot->link, &foot->placement);
  const mat3 S = mat3_skew(vec3_neg(X_BF.p)), by_theta = mat3_mul(&R, &S);
  const size_t at = l->foot + 3 * index;
  if (jacobian(kin, foot->link, &foot->placement, JACOBIAN_IN_BASE, J) != STATUS_OK) {
    return;
  }
  vec3_to(vec3_add(vec3_from(x + l->position), mat3_mul_vec3(&R, X_BF.p)), x + at);
  x[at + 2] -= foot->ball_radius;
  struct follows place = {0};
  add_followed(&place, l->position, &one);
  add_followed(&place, l->attitude, &by_theta);
  add_joints(&place, l, J, 3, &R);
  follow(l, at, &place, ANYWHERE, P);
  if (index < l->n_soles) {
    const quat q_WF = quat_mul(q_WB, quat_from_mat3(&X_BF.R));
    const mat3 to_sole = mat3_transpose(&X_BF.R);
    struct follows turned = {0};
    add_followed(&turned, l->attitude, &to_sole);
    add_joints(&turned, l, J, 0, &to_sole);
    base_process_set_sole(l, index, q_WF, x);
    follow(l, l->sole + 3 * index, &turned, ANYHOW, P);
  }
}
