#include "composite.h"

#include "check.h"
#include "dispatch.h"

enum status composite_init(struct composite *composite, const struct model *model,
                           struct arena *arena) {
  *composite = (struct composite){.model = model};
  composite->own_B = ARENA_ARRAY(arena, struct inertia, model->n_links);
  composite->subtree_B = ARENA_ARRAY(arena, struct inertia, model->n_links);
  composite->F_B = ARENA_ARRAY(arena, struct force, model->n_joints);
  return arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

/* I_A = R I R^T - S(p)S(Rh) - S(Rh)S(p) - m S(p)S(p),  h_A = R h + m p */
static inline struct inertia transform(const struct pose *X, const struct inertia *I) {
  const mat3 *R = &X->R;
  const vec3 p = X->p, Rh = mat3_mul_vec3(R, I->h);
  const vec3 x = {R->m[0][0], R->m[0][1], R->m[0][2]}, y = {R->m[1][0], R->m[1][1], R->m[1][2]},
             z = {R->m[2][0], R->m[2][1], R->m[2][2]};
  const mat3 I3 = {{{I->Ixx, I->Ixy, I->Ixz}, {I->Ixy, I->Iyy, I->Iyz}, {I->Ixz, I->Iyz, I->Izz}}};
  const vec3 I_x = mat3_mul_vec3(&I3, x), I_y = mat3_mul_vec3(&I3, y), I_z = mat3_mul_vec3(&I3, z);

  /* with u = 2 Rh + m p, the shift of the symmetric part is (p.u) 1 - (p u^T + u p^T) / 2 */
  const vec3 u = vec3_axpy(vec3_scale(2.0, Rh), I->m, p);
  const double xx = p.x * u.x, yy = p.y * u.y, zz = p.z * u.z;
  return (struct inertia){.m = I->m,
                          .h = vec3_axpy(Rh, I->m, p),
                          .Ixx = vec3_dot(x, I_x) + yy + zz,
                          .Iyy = vec3_dot(y, I_y) + xx + zz,
                          .Izz = vec3_dot(z, I_z) + xx + yy,
                          .Ixy = vec3_dot(x, I_y) - 0.5 * (p.x * u.y + p.y * u.x),
                          .Ixz = vec3_dot(x, I_z) - 0.5 * (p.x * u.z + p.z * u.x),
                          .Iyz = vec3_dot(y, I_z) - 0.5 * (p.y * u.z + p.z * u.y)};
}

struct inertia inertia_transform(const struct pose *X, const struct inertia *inertia) {
  return transform(X, inertia);
}

FOR_EACH_ISA static void pass(struct composite *composite, const struct kinematics *kin,
                              const struct inertia *inertia) {
  const struct model *model = composite->model;
  for (size_t i = 0; i < model->n_links; i++) {
    composite->own_B[i] = transform(&kin->X_BL[i], &inertia[i]);
    composite->subtree_B[i] = composite->own_B[i];
  }
  for (size_t i = model->n_links - 1; i > 0; i--) { /* children before parents */
    struct inertia *parent = &composite->subtree_B[model->parent[i]];
    composite->F_B[i - 1] = inertia_apply(&composite->subtree_B[i], &kin->S_B[i - 1]);
    *parent = inertia_add(parent, &composite->subtree_B[i]);
  }
}

enum status composite_step(struct composite *composite, const struct kinematics *kin,
                           const struct inertia *inertia) {
  if (kin->order == KINEMATICS_NONE || kin->model != composite->model) {
    return STATUS_BAD_ARGUMENT;
  }
  const enum status status = check_inertias(inertia, composite->model->n_links);
  if (status == STATUS_OK) {
    pass(composite, kin, inertia);
  }
  return status;
}
