#include "body/aba.h"

#include "body/body_lanes.h"
#include "inertia/inertia.h"
#include "math/dispatch.h"

ISA_KERNEL(aba_init)
ISA_KERNEL(aba_step)

enum status ISA(aba_init)(struct aba *aba, const struct model *model, struct arena *arena) {
  const size_t n = model->n_links;
  *aba = (struct aba){.model = model};
  aba->I_A = ARENA_ARRAY(arena, struct articulated, n);
  aba->p_A = ARENA_ARRAY(arena, struct v6, n);
  aba->v = ARENA_ARRAY(arena, struct v6, n);
  aba->c = ARENA_ARRAY(arena, struct v6, n);
  aba->U = ARENA_ARRAY(arena, struct v6, n);
  aba->D = ARENA_ARRAY(arena, double, n);
  aba->u = ARENA_ARRAY(arena, double, n);
  aba->tau = ARENA_ARRAY(arena, double, n);
  return arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

/* A x */
ISA_INLINE struct v6 articulated_apply(const struct articulated *A, struct v6 x) {
  struct v6 y = v6_scale(v3_at(x.ang, 0), A->column[0]);
  for (int k = 1; k < 3; k++) {
    y = v6_add(y, v6_scale(v3_at(x.ang, k), A->column[k]));
  }
  for (int k = 0; k < 3; k++) {
    y = v6_add(y, v6_scale(v3_at(x.lin, k), A->column[3 + k]));
  }
  return y;
}

/* [I S(h); S(h)^T m 1] */
ISA_INLINE struct articulated rigid(const struct body_lanes *b) {
  const v3 e[3] = {v3_xyz(1.0, 0.0, 0.0), v3_xyz(0.0, 1.0, 0.0), v3_xyz(0.0, 0.0, 1.0)};
  const v3 S_h[3] = {v3_cross(b->h, e[0]), v3_cross(b->h, e[1]), v3_cross(b->h, e[2])};
  return (struct articulated){{{b->I.x, v3_neg(S_h[0])},
                               {b->I.y, v3_neg(S_h[1])},
                               {b->I.z, v3_neg(S_h[2])},
                               {S_h[0], v3_scale(b->m, e[0])},
                               {S_h[1], v3_scale(b->m, e[1])},
                               {S_h[2], v3_scale(b->m, e[2])}}};
}

/* v x m: how a motion changes that is carried along with v */
ISA_INLINE struct v6 cross_motion(struct v6 v, struct v6 m) {
  return (struct v6){v3_cross(v.ang, m.ang),
                     v3_add(v3_cross(v.ang, m.lin), v3_cross(v.lin, m.ang))};
}
/* v x* f: the same of a force */
ISA_INLINE struct v6 cross_force(struct v6 v, struct v6 f) {
  return (struct v6){v3_add(v3_cross(v.ang, f.ang), v3_cross(v.lin, f.lin)),
                     v3_cross(v.ang, f.lin)};
}

/* From the base outwards: velocities, what they cause, and every link's own inertia. Gravity acts
 * through the base's proper acceleration, and in a frame that moves along with the base origin only
 * its rotation is left. */
ISA_INLINE void pass_velocities(struct aba *aba, const struct kinematics *kin,
                                const struct inertia *inertia, const struct force *external) {
  for (size_t i = 0; i < aba->model->n_links; i++) {
    const struct link_lanes *L = &kin->link[i];
    if (i == 0) {
      aba->v[0] = (struct v6){L->v.ang, v3_sub(L->v.lin, L->v.lin)};
    } else {
      const struct v6 by_joint = v6_scale(kin->dq[i - 1], L->S);
      aba->v[i] = v6_add(aba->v[aba->model->parent[i]], by_joint);
      aba->c[i] = cross_motion(aba->v[i], by_joint);
    }
    const struct body_lanes body_L = body_of(&inertia[i]);
    const struct body_lanes body = body_to_base(L, &body_L);
    aba->I_A[i] = rigid(&body);
    aba->p_A[i] = cross_force(aba->v[i], body_momentum(&body, aba->v[i]));
    if (external != NULL) {
      aba->p_A[i] = v6_sub(aba->p_A[i], wrench_to_base(L, v6_of_force(&external[i])));
    }
  }
}

/* Adds to the parent what it feels of a link through a joint that gives way:
 *   I_a = I_A - U U^T / D,   p_a = p_A + I_a c + U u / D */
ISA_INLINE void give_to_parent(struct aba *aba, size_t i) {
  const struct articulated *I_A = &aba->I_A[i];
  struct articulated *I_P = &aba->I_A[aba->model->parent[i]];
  struct v6 *p_P = &aba->p_A[aba->model->parent[i]];
  const struct v6 U = aba->U[i], c = aba->c[i], U_over_D = v6_scale(1.0 / aba->D[i], U);
  for (int k = 0; k < 3; k++) {
    I_P->column[k] =
        v6_add(I_P->column[k], v6_sub(I_A->column[k], v6_scale(v3_at(U.ang, k), U_over_D)));
    I_P->column[3 + k] =
        v6_add(I_P->column[3 + k], v6_sub(I_A->column[3 + k], v6_scale(v3_at(U.lin, k), U_over_D)));
  }
  const struct v6 I_a_c = v6_sub(articulated_apply(I_A, c), v6_scale(v6_dot(U, c), U_over_D));
  *p_P = v6_add(*p_P, v6_add(v6_add(aba->p_A[i], I_a_c), v6_scale(aba->u[i], U_over_D)));
}

/* From the leaves inwards. False when nothing resists about an axis. */
ISA_INLINE bool pass_inertias(struct aba *aba, const struct kinematics *kin,
                              enum joint_drives drives) {
  for (size_t i = aba->model->n_links - 1; i > 0; i--) {
    const struct v6 S = kin->link[i].S;
    const double rotor = drives == WITH_DRIVES ? aba->model->joint[i - 1].rotor_inertia : 0.0;
    aba->U[i] = articulated_apply(&aba->I_A[i], S);
    aba->D[i] = v6_dot(S, aba->U[i]) + rotor;
    aba->u[i] = aba->tau[i - 1] - v6_dot(S, aba->p_A[i]);
    if (!(aba->D[i] > 0.0)) {
      return false;
    }
    give_to_parent(aba, i);
  }
  return true;
}

/* Solves I_A a = -p_A by the factors L D L^T. False when I_A is not positive definite. */
ISA_INLINE bool solve_base(const struct articulated *I_A, const struct v6 *p_A, struct v6 *a) {
  double L[6][6] = {{0.0}}, d[6] = {0.0}, y[6];
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k <= i; k++) {
      const struct v6 *column = &I_A->column[k];
      double sum = i < 3 ? v3_at(column->ang, i) : v3_at(column->lin, i - 3);
      for (int l = 0; l < k; l++) {
        sum -= L[i][l] * L[k][l] * d[l];
      }
      if (k < i) {
        L[i][k] = sum / d[k];
      } else {
        d[i] = sum;
      }
    }
    if (!(d[i] > 0.0)) {
      return false;
    }
    y[i] = -(i < 3 ? v3_at(p_A->ang, i) : v3_at(p_A->lin, i - 3));
    for (int l = 0; l < i; l++) {
      y[i] -= L[i][l] * y[l];
    }
  }
  double x[6];
  for (int i = 5; i >= 0; i--) {
    x[i] = y[i] / d[i];
    for (int l = i + 1; l < 6; l++) {
      x[i] -= L[l][i] * x[l];
    }
  }
  *a = (struct v6){v3_xyz(x[0], x[1], x[2]), v3_xyz(x[3], x[4], x[5])};
  return true;
}

/* From the base outwards: accelerations. They take the place of the spent bias forces. */
ISA_INLINE void pass_accelerations(struct aba *aba, const struct kinematics *kin, struct v6 a_0,
                                   double *ddq) {
  struct v6 *a = aba->p_A;
  a[0] = a_0;
  for (size_t i = 1; i < aba->model->n_links; i++) {
    const struct v6 carried = v6_add(a[aba->model->parent[i]], aba->c[i]);
    ddq[i - 1] = (aba->u[i] - v6_dot(aba->U[i], carried)) / aba->D[i];
    a[i] = v6_add(carried, v6_scale(ddq[i - 1], kin->link[i].S));
  }
}

static enum status pass(struct aba *aba, const struct kinematics *kin,
                        const struct inertia *inertia, const struct force *external,
                        enum joint_drives drives, enum base_mounting mounting, struct motion *a_B,
                        double *ddq) {
  struct v6 a_0 = kin->link[0].a;
  pass_velocities(aba, kin, inertia, external);
  if (!pass_inertias(aba, kin, drives)) {
    return STATUS_SINGULAR;
  }
  if (mounting == BASE_FLOATING && !solve_base(&aba->I_A[0], &aba->p_A[0], &a_0)) {
    return STATUS_SINGULAR;
  }
  pass_accelerations(aba, kin, a_0, ddq);
  *a_B = v6_motion(&a_0);
  return STATUS_OK;
}

enum status ISA(aba_step)(struct aba *aba, const struct kinematics *kin,
                          const struct inertia *inertia, const struct force *external,
                          enum joint_drives drives, enum base_mounting mounting, const double *tau,
                          struct motion *a_B, double *ddq) {
  const struct model *model = aba->model;
  if (kin->order != KINEMATICS_ACCELERATION || kin->model != model) {
    return STATUS_BAD_ARGUMENT;
  }
  enum status status = check_inertias(inertia, model->n_links);
  if (status == STATUS_OK) {
    status = check_within(tau, model->n_joints, FORCE_LIMIT);
  }
  if (status == STATUS_OK && external != NULL) {
    status = check_within(&external[0].ang.x, 6 * model->n_links, FORCE_LIMIT);
  }
  if (status != STATUS_OK) {
    return status;
  }
  for (size_t j = 0; j < model->n_joints; j++) {
    const double friction =
        drives == WITH_DRIVES ? joint_friction(&model->joint[j], kin->dq[j]) : 0.0;
    aba->tau[j] = tau[j] - friction;
  }
  struct motion base;
  status = pass(aba, kin, inertia, external, drives, mounting, &base, ddq);
  if (status == STATUS_OK && a_B != NULL) {
    *a_B = base;
  }
  return status;
}
