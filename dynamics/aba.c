#include "aba.h"

#include "check.h"
#include "dispatch.h"
#include "rnea.h"

enum status aba_init(struct aba *aba, const struct model *model, struct arena *arena) {
  const size_t n = model->n_links;
  *aba = (struct aba){.model = model};
  aba->I_A = ARENA_ARRAY(arena, struct articulated, n);
  aba->p_A = ARENA_ARRAY(arena, struct lanes, n);
  aba->v = ARENA_ARRAY(arena, struct lanes, n);
  aba->c = ARENA_ARRAY(arena, struct lanes, n);
  aba->S = ARENA_ARRAY(arena, struct lanes, n);
  aba->U = ARENA_ARRAY(arena, struct lanes, n);
  aba->D = ARENA_ARRAY(arena, double, n);
  aba->u = ARENA_ARRAY(arena, double, n);
  aba->tau = ARENA_ARRAY(arena, double, n);
  return arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

static inline struct lanes lanes_of(vec3 ang, vec3 lin) {
  return (struct lanes){{ang.x, ang.y, ang.z, lin.x, lin.y, lin.z, 0.0, 0.0}};
}
static inline struct motion motion_of(const struct lanes *a) {
  return (struct motion){{a->v[0], a->v[1], a->v[2]}, {a->v[3], a->v[4], a->v[5]}};
}
/* a += s b */
static inline void lanes_axpy(struct lanes *a, double s, const struct lanes *b) {
  for (int i = 0; i < ABA_LANES; i++) {
    a->v[i] += s * b->v[i];
  }
}
static inline double lanes_dot(const struct lanes *a, const struct lanes *b) {
  return (a->v[0] * b->v[0] + a->v[1] * b->v[1] + a->v[2] * b->v[2]) +
         (a->v[3] * b->v[3] + a->v[4] * b->v[4] + a->v[5] * b->v[5]);
}
/* A x: a sum of rows, because A is symmetric */
static inline struct lanes articulated_apply(const struct articulated *A, const struct lanes *x) {
  struct lanes y = {{0.0}};
  for (int k = 0; k < 6; k++) {
    for (int i = 0; i < ABA_LANES; i++) {
      y.v[i] += x->v[k] * A->m[k][i];
    }
  }
  return y;
}

/* [I S(h); S(h)^T m 1] */
static inline struct articulated rigid(const struct inertia *I) {
  const vec3 h = I->h;
  return (struct articulated){{{I->Ixx, I->Ixy, I->Ixz, 0.0, -h.z, h.y},
                               {I->Ixy, I->Iyy, I->Iyz, h.z, 0.0, -h.x},
                               {I->Ixz, I->Iyz, I->Izz, -h.y, h.x, 0.0},
                               {0.0, h.z, -h.y, I->m, 0.0, 0.0},
                               {-h.z, 0.0, h.x, 0.0, I->m, 0.0},
                               {h.y, -h.x, 0.0, 0.0, 0.0, I->m}}};
}

/* v x* f: how a force changes that is carried along with v */
static inline struct lanes cross_force(const struct motion *v, const struct force *f) {
  return lanes_of(vec3_add(vec3_cross(v->ang, f->ang), vec3_cross(v->lin, f->lin)),
                  vec3_cross(v->ang, f->lin));
}

/* From the base outwards: velocities, what they cause, and every link's own inertia. Gravity acts
 * through the base's proper acceleration, and in a frame that moves along with the base origin only
 * its rotation is left. */
static inline void pass_velocities(struct aba *aba, const struct kinematics *kin,
                                   const struct composite *composite,
                                   const struct force *external) {
  for (size_t i = 0; i < aba->model->n_links; i++) {
    struct motion v = {kin->base.v_B.ang, VEC3_ZERO};
    if (i > 0) {
      const struct motion *S = &kin->S_B[i - 1];
      const double dq = kin->dq[i - 1];
      aba->S[i] = lanes_of(S->ang, S->lin);
      aba->v[i] = aba->v[aba->model->parent[i]];
      lanes_axpy(&aba->v[i], dq, &aba->S[i]);
      v = motion_of(&aba->v[i]);
      aba->c[i] =
          lanes_of(vec3_scale(dq, vec3_cross(v.ang, S->ang)),
                   vec3_scale(dq, vec3_add(vec3_cross(v.ang, S->lin), vec3_cross(v.lin, S->ang))));
    } else {
      aba->v[0] = lanes_of(v.ang, v.lin);
    }
    const struct force momentum = inertia_apply(&composite->own_B[i], &v);
    aba->I_A[i] = rigid(&composite->own_B[i]);
    aba->p_A[i] = cross_force(&v, &momentum);
    if (external != NULL) {
      const struct force f = force_to_base(&kin->X_BL[i], &external[i]);
      const struct lanes f6 = lanes_of(f.ang, f.lin);
      lanes_axpy(&aba->p_A[i], -1.0, &f6);
    }
  }
}

/* From the leaves inwards: a link as its parent feels it through a joint that gives way. False when
 * nothing resists about an axis. */
static inline bool pass_inertias(struct aba *aba, enum joint_drives drives) {
  for (size_t i = aba->model->n_links - 1; i > 0; i--) {
    const struct lanes *S = &aba->S[i];
    struct articulated *I_A = &aba->I_A[i], *I_P = &aba->I_A[aba->model->parent[i]];
    struct lanes *p_A = &aba->p_A[i], *p_P = &aba->p_A[aba->model->parent[i]];
    const double rotor = drives == WITH_DRIVES ? aba->model->joint[i - 1].rotor_inertia : 0.0;
    aba->U[i] = articulated_apply(I_A, S);
    aba->D[i] = lanes_dot(S, &aba->U[i]) + rotor;
    aba->u[i] = aba->tau[i - 1] - lanes_dot(S, p_A);
    if (!(aba->D[i] > 0.0)) {
      return false;
    }
    /* I_P += I_a,  p_P += p_A + I_a c + U u / D   with   I_a = I_A - U U^T / D */
    const struct lanes *U = &aba->U[i], *c = &aba->c[i];
    const struct lanes I_A_c = articulated_apply(I_A, c);
    const double over_D = 1.0 / aba->D[i];
    const double along_U = (aba->u[i] - lanes_dot(U, c)) * over_D;
    for (int k = 0; k < 6; k++) {
      const double s = U->v[k] * over_D;
      for (int l = 0; l < ABA_LANES; l++) {
        I_P->m[k][l] += I_A->m[k][l] - s * U->v[l];
      }
    }
    for (int l = 0; l < ABA_LANES; l++) {
      p_P->v[l] += p_A->v[l] + I_A_c.v[l] + along_U * U->v[l];
    }
  }
  return true;
}

/* Solves I_A a = -p_A by Cholesky's factors L D L^T. False when I_A is not positive definite. */
static inline bool solve_base(const struct articulated *I_A, const struct lanes *p_A,
                              struct lanes *a) {
  double L[6][6], d[6], y[6];
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k <= i; k++) {
      double sum = I_A->m[i][k];
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
    y[i] = -p_A->v[i];
    for (int l = 0; l < i; l++) {
      y[i] -= L[i][l] * y[l];
    }
  }
  *a = (struct lanes){{0.0}};
  for (int i = 5; i >= 0; i--) {
    a->v[i] = y[i] / d[i];
    for (int l = i + 1; l < 6; l++) {
      a->v[i] -= L[l][i] * a->v[l];
    }
  }
  return true;
}

/* From the base outwards: accelerations. They take the place of the bias forces, which are spent.
 */
static inline void pass_accelerations(struct aba *aba, const struct lanes *a_0, double *ddq) {
  struct lanes *a = aba->p_A;
  a[0] = *a_0;
  for (size_t i = 1; i < aba->model->n_links; i++) {
    a[i] = a[aba->model->parent[i]];
    lanes_axpy(&a[i], 1.0, &aba->c[i]);
    ddq[i - 1] = (aba->u[i] - lanes_dot(&aba->U[i], &a[i])) / aba->D[i];
    lanes_axpy(&a[i], ddq[i - 1], &aba->S[i]);
  }
}

FOR_EACH_ISA static enum status pass(struct aba *aba, const struct kinematics *kin,
                                     const struct composite *composite,
                                     const struct force *external, enum joint_drives drives,
                                     enum base_mounting mounting, struct motion *a_B, double *ddq) {
  struct lanes a_0 = lanes_of(kin->base.a_B.ang, kin->base.a_B.lin);
  pass_velocities(aba, kin, composite, external);
  if (!pass_inertias(aba, drives)) {
    return STATUS_SINGULAR;
  }
  if (mounting == BASE_FLOATING && !solve_base(&aba->I_A[0], &aba->p_A[0], &a_0)) {
    return STATUS_SINGULAR;
  }
  pass_accelerations(aba, &a_0, ddq);
  *a_B = motion_of(&a_0);
  return STATUS_OK;
}

enum status aba_step(struct aba *aba, const struct kinematics *kin,
                     const struct composite *composite, const struct force *external,
                     enum joint_drives drives, enum base_mounting mounting, const double *tau,
                     struct motion *a_B, double *ddq) {
  const struct model *model = aba->model;
  if (kin->order != KINEMATICS_ACCELERATION || kin->model != model || composite->model != model) {
    return STATUS_BAD_ARGUMENT;
  }
  enum status status = check_within(tau, model->n_joints, FORCE_LIMIT);
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
  status = pass(aba, kin, composite, external, drives, mounting, &base, ddq);
  if (status == STATUS_OK && a_B != NULL) {
    *a_B = base;
  }
  return status;
}
