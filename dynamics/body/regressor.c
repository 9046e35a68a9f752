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

/* Four columns of three rows: x, y, z. */
struct columns {
  v3 x, y, z;
};

/* Moments and forces per parameter. Ten columns of moments stand four at a time, the last four over
 * two of those before. Forces need the first four alone: moments of inertia are felt as moments. */
struct wrenches {
  struct columns n_m_h, n_Ixx_Iyy, n_Ixz_Izz, f_m_h;
};

static inline void store_row(v3 m_h, v3 Ixx_Iyy, v3 Ixz_Izz, double *to) {
  v3_store_four(m_h, to);
  v3_store_four(Ixx_Iyy, to + 4);
  v3_store_four(Ixz_Izz, to + 6);
}

/* All rows, `stride` apart. */
ISA_INLINE void store_rows(const struct wrenches *w, double *to, size_t stride) {
  store_row(w->n_m_h.x, w->n_Ixx_Iyy.x, w->n_Ixz_Izz.x, to);
  store_row(w->n_m_h.y, w->n_Ixx_Iyy.y, w->n_Ixz_Izz.y, to + stride);
  store_row(w->n_m_h.z, w->n_Ixx_Iyy.z, w->n_Ixz_Izz.z, to + 2 * stride);
  v3_store_four(w->f_m_h.x, to + 3 * stride);
  v3_store_four(w->f_m_h.y, to + 4 * stride);
  v3_store_four(w->f_m_h.z, to + 5 * stride);
}

/* What a body feels about its origin,
 *   A = [0  -S(a)                  B(omegadot) + S(omega) B(omega)]      moments
 *       [a  S(omegadot) + S(omega)^2                             0]      forces
 * with B(u) [Ixx Ixy Ixz Iyy Iyz Izz]^T = I u, and the proper acceleration a of the origin.
 * @eq Leboutet22 226, 227
 * @differs Leboutet22 226: angular rows first; `a` is classical, a_j + omega_j x v_j there */
ISA_INLINE struct columns moments_of_m_h(vec3 a) {
  return (struct columns){v3_four(0.0, 0.0, a.z, -a.y), v3_four(0.0, -a.z, 0.0, a.x),
                          v3_four(0.0, a.y, -a.x, 0.0)};
}
ISA_INLINE struct columns moments_of_Ixx_Iyy(vec3 w, vec3 wd) {
  const double xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  return (struct columns){v3_four(wd.x, wd.y - xz, wd.z + xy, -yz),
                          v3_four(xz, wd.x + yz, w.z * w.z - w.x * w.x, wd.y),
                          v3_four(-xy, w.x * w.x - w.y * w.y, wd.x - yz, xy)};
}
ISA_INLINE struct columns moments_of_Ixz_Izz(vec3 w, vec3 wd) {
  const double xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  return (struct columns){v3_four(wd.z + xy, -yz, w.y * w.y - w.z * w.z, yz),
                          v3_four(w.z * w.z - w.x * w.x, wd.y, wd.z - xy, -xz),
                          v3_four(wd.x - yz, xy, wd.y + xz, wd.z)};
}
ISA_INLINE struct columns forces_of_m_h(vec3 w, vec3 wd, vec3 a) {
  const double xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  const double xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  return (struct columns){v3_four(a.x, -yy - zz, xy - wd.z, xz + wd.y),
                          v3_four(a.y, xy + wd.z, -xx - zz, yz - wd.x),
                          v3_four(a.z, xz - wd.y, yz + wd.x, -xx - yy)};
}

void ISA(link_regressor)(vec3 omega, vec3 omegadot, vec3 a, double A[6][INERTIA_PARAMETERS]) {
  const struct wrenches wrench = {moments_of_m_h(a), moments_of_Ixx_Iyy(omega, omegadot),
                                  moments_of_Ixz_Izz(omega, omegadot),
                                  forces_of_m_h(omega, omegadot, a)};
  memset(A, 0, 6 * sizeof(*A));
  store_rows(&wrench, A[0], INERTIA_PARAMETERS);
}

/* s0 x + s1 y + s2 z */
ISA_INLINE v3 along(v3 s, const struct columns *c) {
  return v3_axpy(v3_axpy(v3_scale(v3_at(s, 0), c->x), v3_at(s, 1), c->y), v3_at(s, 2), c->z);
}
ISA_INLINE struct columns turned(const struct link_lanes *L, struct columns c) {
  return (struct columns){along(L->R_LB.x, &c), along(L->R_LB.y, &c), along(L->R_LB.z, &c)};
}
/* n + p x f */
ISA_INLINE struct columns moved(v3 p, const struct columns *n, const struct columns *f) {
  const double x = v3_at(p, 0), y = v3_at(p, 1), z = v3_at(p, 2);
  return (struct columns){v3_sub(v3_axpy(n->x, y, f->z), v3_scale(z, f->y)),
                          v3_sub(v3_axpy(n->y, z, f->x), v3_scale(x, f->z)),
                          v3_sub(v3_axpy(n->z, x, f->y), v3_scale(y, f->x))};
}

/* The same wrenches in base coordinates about the base origin: f_B = R f, n_B = R n + p x f_B. Four
 * columns after the other, so that few are in registers at a time. @eq Leboutet22 228 */
ISA_INLINE struct wrenches wrenches_at_base(const struct link_lanes *L) {
  const vec3 w = v3_vec3(L->v_L.ang), wd = v3_vec3(L->a_L.ang), a = v3_vec3(L->a_L.lin);
  struct wrenches at_base;
  at_base.n_Ixx_Iyy = turned(L, moments_of_Ixx_Iyy(w, wd));
  at_base.n_Ixz_Izz = turned(L, moments_of_Ixz_Izz(w, wd));
  at_base.f_m_h = turned(L, forces_of_m_h(w, wd, a));
  at_base.n_m_h = turned(L, moments_of_m_h(a));
  at_base.n_m_h = moved(L->p, &at_base.n_m_h, &at_base.f_m_h);
  return at_base;
}

/* The columns of one chosen link: base rows, then every joint from the link down to the base, which
 * feels of a wrench what acts along its axis. @eq Leboutet22 224, 225, 229 */
static void link_block(struct regressor *regressor, const struct kinematics *kin, size_t chosen) {
  const size_t link = regressor->link[chosen];
  double *block = regressor->Y + INERTIA_PARAMETERS * chosen;
  const struct wrenches at_base = wrenches_at_base(&kin->link[link]);
  store_rows(&at_base, block, regressor->columns);
  for (int i = (int)link; i > 0; i = regressor->model->parent[i]) {
    const struct v6 S = kin->link[i].S;
    store_row(v3_add(along(S.ang, &at_base.n_m_h), along(S.lin, &at_base.f_m_h)),
              along(S.ang, &at_base.n_Ixx_Iyy), along(S.ang, &at_base.n_Ixz_Izz),
              block + (5 + (size_t)i) * regressor->columns);
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
