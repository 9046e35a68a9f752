#include "body/jacobians.h"

#include "math/dispatch.h"

enum { BASE_COLUMNS = 6, WIDEST = 8 };

enum status jacobians_init(struct jacobians *jacobians, const struct model *model,
                           struct arena *arena) {
  const size_t columns = BASE_COLUMNS + model->n_joints;
  const size_t stride = (columns + WIDEST - 1) / WIDEST * WIDEST;
  *jacobians = (struct jacobians){.model = model, .columns = columns, .stride = stride};
  jacobians->moves = ARENA_ARRAY(arena, double, model->n_links *stride);
  jacobians->touched = ARENA_ARRAY(arena, bool, model->n_links *(stride / WIDEST));
  jacobians->S = ARENA_ARRAY(arena, double, 6 * stride);
  jacobians->J = ARENA_ARRAY(arena, double, 6 * model->n_links * stride);
  if (arena_is_counting(arena)) {
    return STATUS_OK;
  }
  if (arena->failed) {
    return STATUS_NO_MEMORY;
  }
  for (size_t i = 0; i < model->n_links; i++) {
    double *moves = jacobians->moves + i * stride;
    for (size_t c = 0; c < BASE_COLUMNS; c++) {
      moves[c] = 1.0;
    }
    for (int link = (int)i; link > 0; link = model->parent[link]) {
      moves[BASE_COLUMNS + link - 1] = 1.0;
    }
    for (size_t c = 0; c < stride; c++) {
      jacobians->touched[(i * stride + c) / WIDEST] |= moves[c] > 0.0;
    }
  }
  for (size_t c = 0; c < BASE_COLUMNS; c++) { /* the base's own: unit motions */
    jacobians->S[c * stride + c] = 1.0;
  }
  return STATUS_OK;
}

ISA_INLINE void fill_axes(const struct jacobians *jacobians, const struct kinematics *kin) {
  const size_t stride = jacobians->stride;
  for (size_t j = 0; j < jacobians->model->n_joints; j++) {
    const struct motion S = kinematics_S_B(kin, j);
    double *column = jacobians->S + BASE_COLUMNS + j;
    column[0] = S.ang.x;
    column[stride] = S.ang.y;
    column[2 * stride] = S.ang.z;
    column[3 * stride] = S.lin.x;
    column[4 * stride] = S.lin.y;
    column[5 * stride] = S.lin.z;
  }
}

/* One vector's width of columns: R^T [S.ang; S.lin + S.ang x p], zeros where the joint does not
 * move the link. in_frame: a constant where this is inlined; without it R is the identity. */
ISA_INLINE void columns(const double *restrict S, const double *restrict moves, size_t stride,
                        const mat3 *R, vec3 p, bool in_frame, double *restrict J) {
  INDEPENDENT_TURNS
  for (size_t k = 0; k < WIDEST; k++) {
    vec3 ang = vec3_scale(moves[k], (vec3){S[k], S[stride + k], S[2 * stride + k]});
    vec3 lin =
        vec3_scale(moves[k], (vec3){S[3 * stride + k], S[4 * stride + k], S[5 * stride + k]});
    lin = vec3_add(lin, vec3_cross(ang, p));
    ang = in_frame ? mat3_tmul_vec3(R, ang) : ang;
    lin = in_frame ? mat3_tmul_vec3(R, lin) : lin;
    J[k] = ang.x;
    J[stride + k] = ang.y;
    J[2 * stride + k] = ang.z;
    J[3 * stride + k] = lin.x;
    J[4 * stride + k] = lin.y;
    J[5 * stride + k] = lin.z;
  }
}

/* Where no column moves the link, J has been zero since the start. */
ISA_INLINE void link_jacobian(const struct jacobians *jacobians, size_t link,
                              const struct pose *X_BL, bool in_frame) {
  const size_t stride = jacobians->stride;
  const double *moves = jacobians->moves + link * stride;
  const bool *touched = jacobians->touched + link * stride / WIDEST;
  const mat3 R = X_BL->R;
  const vec3 p = X_BL->p;
  double *J = jacobians->J + 6 * link * stride;
  for (size_t c = 0; c < stride; c += WIDEST) {
    if (touched[c / WIDEST]) {
      columns(jacobians->S + c, moves + c, stride, &R, p, in_frame, J + c);
    }
  }
}

FOR_EACH_ISA
static void pass(const struct jacobians *jacobians, const struct kinematics *kin,
                 enum jacobian_coordinates coordinates) {
  fill_axes(jacobians, kin);
  for (size_t i = 0; i < jacobians->model->n_links; i++) {
    if (coordinates == JACOBIAN_IN_FRAME) {
      link_jacobian(jacobians, i, &kin->X_BL[i], true);
    } else {
      link_jacobian(jacobians, i, &kin->X_BL[i], false);
    }
  }
}

enum status jacobians_step(struct jacobians *jacobians, const struct kinematics *kin,
                           enum jacobian_coordinates coordinates) {
  if (kin->order == KINEMATICS_NONE || kin->model != jacobians->model) {
    return STATUS_BAD_ARGUMENT;
  }
  pass(jacobians, kin, coordinates);
  return STATUS_OK;
}
