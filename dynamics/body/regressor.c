#include "body/regressor.h"

#include "math/link_lanes.h"

#include <string.h>

ISA_KERNEL(regressor_init)
ISA_KERNEL(regressor_step)
ISA_KERNEL(regressor_nominal)
ISA_KERNEL(link_regressor)

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

enum status ISA(regressor_init)(struct regressor *regressor, const struct model *model,
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

/* A row's ten columns, one per parameter, four at a time, and the last four once more. Forces need
 * the first four alone: moments of inertia are felt as moments. */
struct columns {
  v3 m_h, Ixx_Iyy, Ixz_Izz;
};
/* Moments and forces, three rows each. */
struct wrenches {
  struct columns n[3];
  v3 f[3];
};

static inline void store_columns(const struct columns *row, double *to) {
  v3_store_four(row->Ixx_Iyy, to + 4);
  v3_store_four(row->Ixz_Izz, to + 6);
  v3_store_four(row->m_h, to);
}

/* A = [0  -S(a)                  B(omegadot) + S(omega) B(omega)]      moments
 *     [a  S(omegadot) + S(omega)^2                             0]      forces
 * with B(u) [Ixx Ixy Ixz Iyy Iyz Izz]^T = I u, and the proper acceleration a of the origin.
 * @eq Leboutet22 226, 227
 * @differs Leboutet22 226: angular rows first; `a` is classical, a_j + omega_j x v_j there */
ISA_INLINE struct wrenches body_columns(vec3 w, vec3 wd, vec3 a) {
  /* products of rates, as S(omega) B(omega) and S(omega)^2 have them */
  const double xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  const double xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  return (struct wrenches){
      .n = {{v3_four(0.0, 0.0, a.z, -a.y), v3_four(wd.x, wd.y - xz, wd.z + xy, -yz),
             v3_four(wd.z + xy, -yz, yy - zz, yz)},
            {v3_four(0.0, -a.z, 0.0, a.x), v3_four(xz, wd.x + yz, zz - xx, wd.y),
             v3_four(zz - xx, wd.y, wd.z - xy, -xz)},
            {v3_four(0.0, a.y, -a.x, 0.0), v3_four(-xy, xx - yy, wd.x - yz, xy),
             v3_four(wd.x - yz, xy, wd.y + xz, wd.z)}},
      .f = {v3_four(a.x, -yy - zz, xy - wd.z, xz + wd.y),
            v3_four(a.y, xy + wd.z, -xx - zz, yz - wd.x),
            v3_four(a.z, xz - wd.y, yz + wd.x, -xx - yy)}};
}

void ISA(link_regressor)(vec3 omega, vec3 omegadot, vec3 a, double A[6][INERTIA_PARAMETERS]) {
  const struct wrenches wrench = body_columns(omega, omegadot, a);
  memset(A + 3, 0, 3 * sizeof(*A));
  for (size_t i = 0; i < 3; i++) {
    store_columns(&wrench.n[i], A[i]);
    v3_store_four(wrench.f[i], A[3 + i]);
  }
}

/* s0 a + s1 b + s2 c */
ISA_INLINE v3 mixed(v3 s, v3 a, v3 b, v3 c) {
  return v3_axpy(v3_axpy(v3_scale(v3_at(s, 0), a), v3_at(s, 1), b), v3_at(s, 2), c);
}
ISA_INLINE struct columns mixed_rows(v3 s, const struct columns row[3]) {
  return (struct columns){mixed(s, row[0].m_h, row[1].m_h, row[2].m_h),
                          mixed(s, row[0].Ixx_Iyy, row[1].Ixx_Iyy, row[2].Ixx_Iyy),
                          mixed(s, row[0].Ixz_Izz, row[1].Ixz_Izz, row[2].Ixz_Izz)};
}

/* The same wrenches in base coordinates about the base origin: f_B = R f, n_B = R n + p x f_B.
 * @eq Leboutet22 228 */
ISA_INLINE struct wrenches to_base(const struct link_lanes *L, const struct wrenches *wrench) {
  const v3 *f = wrench->f, R[3] = {L->R_LB.x, L->R_LB.y, L->R_LB.z}; /* rows of R_BL */
  struct wrenches at_base;
  for (size_t i = 0; i < 3; i++) {
    at_base.n[i] = mixed_rows(R[i], wrench->n);
    at_base.f[i] = mixed(R[i], f[0], f[1], f[2]);
  }
  for (size_t i = 0; i < 3; i++) {
    const size_t next = (i + 1) % 3, last = (i + 2) % 3;
    at_base.n[i].m_h = v3_axpy(at_base.n[i].m_h, v3_at(L->p, (int)next), at_base.f[last]);
    at_base.n[i].m_h = v3_axpy(at_base.n[i].m_h, -v3_at(L->p, (int)last), at_base.f[next]);
  }
  return at_base;
}

/* A joint feels of a wrench what acts along its axis. @eq Leboutet22 225 */
ISA_INLINE struct columns joint_row(const struct v6 *S, const struct wrenches *at_base) {
  struct columns row = mixed_rows(S->ang, at_base->n);
  row.m_h = v3_add(row.m_h, mixed(S->lin, at_base->f[0], at_base->f[1], at_base->f[2]));
  return row;
}

/* The columns of one chosen link: base rows, then every joint from the link down to the base.
 * @eq Leboutet22 224, 229 */
static void link_block(struct regressor *regressor, const struct kinematics *kin, size_t chosen) {
  const size_t link = regressor->link[chosen];
  const struct link_lanes *L = &kin->link[link];
  double *block = regressor->Y + INERTIA_PARAMETERS * chosen;
  /* the link's wrench per parameter, first in its own axes */
  const struct wrenches wrench =
      body_columns(v3_vec3(L->v_L.ang), v3_vec3(L->a_L.ang), v3_vec3(L->a_L.lin));
  const struct wrenches at_base = to_base(L, &wrench);
  for (size_t i = 0; i < 3; i++) {
    store_columns(&at_base.n[i], block + i * regressor->columns);
    v3_store_four(at_base.f[i], block + (3 + i) * regressor->columns);
  }
  /* every joint that carries the link feels it */
  for (int i = (int)link; i > 0; i = regressor->model->parent[i]) {
    const struct columns row = joint_row(&kin->link[i].S, &at_base);
    store_columns(&row, block + (5 + (size_t)i) * regressor->columns);
  }
}

enum status ISA(regressor_step)(struct regressor *regressor, const struct kinematics *kin) {
  if (kin->order != KINEMATICS_ACCELERATION || kin->model != regressor->model) {
    return STATUS_BAD_ARGUMENT;
  }
  for (size_t i = 0; i < regressor->n_chosen; i++) {
    link_block(regressor, kin, i);
  }
  return STATUS_OK;
}

/* @eq Foster24 6, 7 */
enum status ISA(regressor_nominal)(struct regressor *regressor, const struct kinematics *kin,
                                   const struct inertia *inertia, const struct force *external,
                                   enum joint_drives drives, struct force *base, double *tau) {
  memcpy(regressor->nominal, inertia, regressor->model->n_links * sizeof(*inertia));
  for (size_t i = 0; i < regressor->n_chosen; i++) {
    regressor->nominal[regressor->link[i]] = (struct inertia){0};
  }
  return rnea_step(&regressor->rnea, kin, regressor->nominal, external, drives, base, tau);
}
