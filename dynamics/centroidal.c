#include "centroidal.h"

#include "check.h"
#include "dispatch.h"
#include "rnea.h"

/* A wrench or momentum about the base origin, moved to the point c. */
static inline struct force about(struct force f, vec3 c) {
  return (struct force){vec3_sub(f.ang, vec3_cross(c, f.lin)), f.lin};
}

enum status centroidal_com(const struct kinematics *kin, const struct inertia *inertia, vec3 *com) {
  if (kin->order == KINEMATICS_NONE) {
    return STATUS_BAD_ARGUMENT;
  }
  const enum status status = check_inertias(inertia, kin->model->n_links);
  if (status != STATUS_OK) {
    return status;
  }
  double mass = 0.0;
  vec3 h = VEC3_ZERO;
  for (size_t i = 0; i < kin->model->n_links; i++) {
    mass += inertia[i].m;
    h = vec3_add(
        h, vec3_axpy(mat3_mul_vec3(&kin->X_BL[i].R, inertia[i].h), inertia[i].m, kin->X_BL[i].p));
  }
  if (!(mass > 0.0)) {
    return STATUS_SINGULAR;
  }
  *com = vec3_scale(1.0 / mass, h);
  return STATUS_OK;
}

/* Sums over the links, about the base origin in base coordinates. */
struct sums {
  double mass;
  vec3 h;
  struct force momentum, rate;
};

FOR_EACH_ISA static struct sums sum_links(const struct kinematics *kin,
                                          const struct inertia *inertia) {
  struct sums sums = {0};
  for (size_t i = 0; i < kin->model->n_links; i++) {
    const struct pose *X = &kin->X_BL[i];
    const struct force momentum = inertia_apply(&inertia[i], &kin->v_L[i]);
    const struct force rate =
        body_force(&inertia[i], kin->v_L[i].ang, kin->a_L[i].ang, kin->a_L[i].lin);
    const struct force momentum_B = force_to_base(X, &momentum), rate_B = force_to_base(X, &rate);
    sums.mass += inertia[i].m;
    sums.h = vec3_add(sums.h, vec3_axpy(mat3_mul_vec3(&X->R, inertia[i].h), inertia[i].m, X->p));
    sums.momentum = force_add(&sums.momentum, &momentum_B);
    sums.rate = force_add(&sums.rate, &rate_B);
  }
  return sums;
}

enum status centroidal_step(const struct kinematics *kin, const struct inertia *inertia,
                            struct centroidal *out) {
  if (kin->order != KINEMATICS_ACCELERATION) {
    return STATUS_BAD_ARGUMENT;
  }
  const enum status status = check_inertias(inertia, kin->model->n_links);
  if (status != STATUS_OK) {
    return status;
  }
  const struct sums sums = sum_links(kin, inertia);
  if (!(sums.mass > 0.0)) {
    return STATUS_SINGULAR;
  }
  const double over_mass = 1.0 / sums.mass;
  const vec3 com = vec3_scale(over_mass, sums.h);
  *out = (struct centroidal){.mass = sums.mass,
                             .com = com,
                             .com_velocity = vec3_scale(over_mass, sums.momentum.lin),
                             .com_acceleration = vec3_scale(over_mass, sums.rate.lin),
                             .momentum = about(sums.momentum, com),
                             .rate = about(sums.rate, com)};
  return STATUS_OK;
}

enum status centroidal_inertia(const struct composite *composite, struct inertia *out) {
  const struct inertia *I = &composite->subtree_B[0];
  if (!(I->m > 0.0)) {
    return STATUS_SINGULAR;
  }
  const vec3 c = vec3_scale(1.0 / I->m, I->h);
  const struct pose to_com = {MAT3_IDENTITY, vec3_neg(c)};
  *out = inertia_transform(&to_com, I);
  out->h = VEC3_ZERO; /* what rounding left */
  return STATUS_OK;
}

enum status centroidal_matrix(const struct composite *composite, double *A) {
  const struct inertia *I = &composite->subtree_B[0];
  const size_t n = 6 + composite->model->n_joints;
  if (!(I->m > 0.0)) {
    return STATUS_SINGULAR;
  }
  const vec3 c = vec3_scale(1.0 / I->m, I->h);
  for (size_t column = 0; column < n; column++) {
    struct force F;
    if (column < 6) {
      double e[6] = {0.0};
      e[column] = 1.0;
      F = inertia_apply(I, &(struct motion){vec3_from(e), vec3_from(e + 3)});
    } else {
      F = composite->F_B[column - 6];
    }
    F = about(F, c);
    const double rows[6] = {F.ang.x, F.ang.y, F.ang.z, F.lin.x, F.lin.y, F.lin.z};
    for (size_t i = 0; i < 6; i++) {
      A[i * n + column] = rows[i];
    }
  }
  return STATUS_OK;
}
