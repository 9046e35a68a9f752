#include "body/regressor.h"

#include "math/dispatch.h"

#include <string.h>

static bool is_choice(const struct model *model, const size_t *link, size_t n_chosen) {
  for (size_t i = 0; i < n_chosen; i++) {
    if (link[i] >= model->n_links) {
      return false;
    }
    for (size_t k = 0; k < i; k++) {
      if (link[k] == link[i]) {
        return false;
      }
    }
  }
  return true;
}

enum status regressor_init(struct regressor *regressor, const struct model *model,
                           const size_t *link, size_t n_chosen, struct arena *arena) {
  if (link != NULL && !is_choice(model, link, n_chosen)) {
    return STATUS_BAD_ARGUMENT;
  }
  n_chosen = link != NULL ? n_chosen : model->n_links;
  *regressor = (struct regressor){.model = model,
                                  .n_chosen = n_chosen,
                                  .rows = 6 + model->n_joints,
                                  .columns = INERTIA_PARAMETERS * n_chosen};
  regressor->link = ARENA_ARRAY(arena, size_t, n_chosen);
  regressor->Y = ARENA_ARRAY(arena, double, regressor->rows * regressor->columns);
  regressor->nominal = ARENA_ARRAY(arena, struct inertia, model->n_links);
  const enum status status = rnea_init(&regressor->rnea, model, arena);
  if (status != STATUS_OK || arena_is_counting(arena)) {
    return status;
  }
  for (size_t i = 0; i < n_chosen; i++) {
    regressor->link[i] = link != NULL ? link[i] : i;
  }
  return STATUS_OK;
}

/* Three vectors as a matrix' rows of ten columns, one per parameter. */
typedef double columns[INERTIA_PARAMETERS];

/* A = [0  -S(a)                  B(omegadot) + S(omega) B(omega)]      moments
 *     [a  S(omegadot) + S(omega)^2                             0]      forces
 * with B(u) [Ixx Ixy Ixz Iyy Iyz Izz]^T = I u, and the proper acceleration a of the origin.
 * @eq Leboutet22 226, 227
 * @differs Leboutet22 226: angular rows first; `a` is classical, a_j + omega_j x v_j there */
ISA_INLINE void body_columns(vec3 w, vec3 wd, vec3 a, columns n[3], columns f[3]) {
  /* products of rates, as S(omega) B(omega) and S(omega)^2 have them */
  const double xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  const double xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  const columns moments[3] = {{0.0, 0.0, a.z, -a.y, wd.x, wd.y - xz, wd.z + xy, -yz, yy - zz, yz},
                              {0.0, -a.z, 0.0, a.x, xz, wd.x + yz, zz - xx, wd.y, wd.z - xy, -xz},
                              {0.0, a.y, -a.x, 0.0, -xy, xx - yy, wd.x - yz, xy, wd.y + xz, wd.z}};
  const columns forces[3] = {{a.x, -yy - zz, xy - wd.z, xz + wd.y, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
                             {a.y, xy + wd.z, -xx - zz, yz - wd.x, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
                             {a.z, xz - wd.y, yz + wd.x, -xx - yy, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}};
  memcpy(n, moments, sizeof(moments));
  memcpy(f, forces, sizeof(forces));
}

void link_regressor(vec3 omega, vec3 omegadot, vec3 a, double A[6][INERTIA_PARAMETERS]) {
  body_columns(omega, omegadot, a, A, A + 3);
}

/* The same wrenches in base coordinates about the base origin: f_B = R f, n_B = R n + p x f_B.
 * @eq Leboutet22 228 */
ISA_INLINE void to_base(const struct pose *X, const columns n[3], const columns f[3],
                        columns n_B[3], columns f_B[3]) {
  for (int i = 0; i < 3; i++) {
    /* turned */
    const double *R = X->R.m[i];
    for (int c = 0; c < INERTIA_PARAMETERS; c++) {
      f_B[i][c] = R[0] * f[0][c] + R[1] * f[1][c] + R[2] * f[2][c];
      n_B[i][c] = R[0] * n[0][c] + R[1] * n[1][c] + R[2] * n[2][c];
    }
  }
  for (int c = 0; c < INERTIA_PARAMETERS; c++) {
    /* and moved to the base origin */
    n_B[0][c] += X->p.y * f_B[2][c] - X->p.z * f_B[1][c];
    n_B[1][c] += X->p.z * f_B[0][c] - X->p.x * f_B[2][c];
    n_B[2][c] += X->p.x * f_B[1][c] - X->p.y * f_B[0][c];
  }
}

/* A joint feels of a wrench what acts along its axis. @eq Leboutet22 225 */
ISA_INLINE void joint_row(const struct motion *S, const columns n_B[3], const columns f_B[3],
                          double *restrict row) {
  for (int c = 0; c < INERTIA_PARAMETERS; c++) {
    row[c] = S->ang.x * n_B[0][c] + S->ang.y * n_B[1][c] + S->ang.z * n_B[2][c] +
             S->lin.x * f_B[0][c] + S->lin.y * f_B[1][c] + S->lin.z * f_B[2][c];
  }
}

/* The columns of one chosen link: base rows, then every joint from the link down to the base.
 * @eq Leboutet22 224, 229 */
ISA_INLINE void link_block(struct regressor *regressor, const struct kinematics *kin,
                           size_t chosen) {
  const size_t link = regressor->link[chosen];
  double *block = regressor->Y + INERTIA_PARAMETERS * chosen;
  columns n[3], f[3], n_B[3], f_B[3];
  /* the link's wrench per parameter, first in its own axes */
  const struct motion v = kinematics_v_L(kin, link), a = kinematics_a_L(kin, link);
  body_columns(v.ang, a.ang, a.lin, n, f);
  to_base(&kin->X_BL[link], n, f, n_B, f_B);
  for (size_t i = 0; i < 3; i++) {
    memcpy(block + i * regressor->columns, n_B[i], sizeof(columns));
    memcpy(block + (3 + i) * regressor->columns, f_B[i], sizeof(columns));
  }
  /* every joint that carries the link feels it */
  for (int i = (int)link; i > 0; i = regressor->model->parent[i]) {
    const struct motion S = kinematics_S_B(kin, (size_t)i - 1);
    joint_row(&S, n_B, f_B, block + (5 + (size_t)i) * regressor->columns);
  }
}

FOR_EACH_ISA static void pass(struct regressor *regressor, const struct kinematics *kin) {
  for (size_t i = 0; i < regressor->n_chosen; i++) {
    link_block(regressor, kin, i);
  }
}

enum status regressor_step(struct regressor *regressor, const struct kinematics *kin) {
  if (kin->order != KINEMATICS_ACCELERATION || kin->model != regressor->model) {
    return STATUS_BAD_ARGUMENT;
  }
  pass(regressor, kin);
  return STATUS_OK;
}

/* @eq Foster24 6, 7 */
enum status regressor_nominal(struct regressor *regressor, const struct kinematics *kin,
                              const struct inertia *inertia, const struct force *external,
                              enum joint_drives drives, struct force *base, double *tau) {
  memcpy(regressor->nominal, inertia, regressor->model->n_links * sizeof(*inertia));
  for (size_t i = 0; i < regressor->n_chosen; i++) {
    regressor->nominal[regressor->link[i]] = (struct inertia){0};
  }
  return rnea_step(&regressor->rnea, kin, regressor->nominal, external, drives, base, tau);
}
