#include "body/centroidal.h"

#include "inertia/inertia.h"
#include "math/dispatch.h"

ISA_KERNEL(centroidal_com)
ISA_KERNEL(centroidal_step)
ISA_KERNEL(centroidal_inertia)
ISA_KERNEL(centroidal_matrix)

/* A wrench or momentum about the base origin, moved to the point c. */
static struct force about(struct force f, vec3 c) {
  return (struct force){vec3_sub(f.ang, vec3_cross(c, f.lin)), f.lin};
}

enum status ISA(centroidal_com)(const struct kinematics *kin, const struct inertia *inertia,
                                vec3 *com) {
  if (kin->order == KINEMATICS_NONE) {
    return STATUS_BAD_ARGUMENT;
  }
  const enum status status = check_inertias(inertia, kin->model->n_links);
  if (status != STATUS_OK) {
    return status;
  }
  /* mass and first moment, summed about the base origin */
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

static void sum_links(const struct kinematics *kin, const struct inertia *inertia,
                      struct sums *sums) {
  const v3 zero = v3_of(VEC3_ZERO);
  double mass = 0.0;
  v3 h = zero;
  struct v6 momentum = {zero, zero}, rate = {zero, zero};
  for (size_t i = 0; i < kin->model->n_links; i++) {
    /* mass, first moment, momentum and its rate of one link */
    const struct link_lanes *L = &kin->link[i];
    const struct body_lanes body = body_of_columns(&inertia[i]);
    mass += body.m;
    h = v3_add(h, v3_axpy(m3_mul_v3(&L->R_BL, body.h), body.m, L->p));
    momentum = v6_add(momentum, wrench_to_base(L, body_momentum(&body, L->v_L)));
    rate = v6_add(rate, wrench_to_base(L, body_force(&body, L->v_L.ang, L->a_L)));
  }
  *sums = (struct sums){mass, v3_vec3(h), v6_force(&momentum), v6_force(&rate)};
}

enum status ISA(centroidal_step)(const struct kinematics *kin, const struct inertia *inertia,
                                 struct centroidal *out) {
  if (kin->order != KINEMATICS_ACCELERATION) {
    return STATUS_BAD_ARGUMENT;
  }
  const enum status status = check_inertias(inertia, kin->model->n_links);
  if (status != STATUS_OK) {
    return status;
  }
  struct sums sums;
  sum_links(kin, inertia, &sums);
  if (!(sums.mass > 0.0)) {
    return STATUS_SINGULAR;
  }
  /* per mass they are the centre of mass and its motion; about it, the momentum */
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

enum status ISA(centroidal_inertia)(const struct composite *composite, struct inertia *out) {
  const struct inertia whole = composite_subtree(composite, 0), *I = &whole;
  if (!(I->m > 0.0)) {
    return STATUS_SINGULAR;
  }
  /* the whole robot's inertia, moved to its centre of mass */
  const vec3 c = vec3_scale(1.0 / I->m, I->h);
  const struct pose to_com = {MAT3_IDENTITY, vec3_neg(c)};
  *out = inertia_transform(&to_com, I);
  out->h = VEC3_ZERO; /* what rounding left */
  return STATUS_OK;
}

enum status ISA(centroidal_matrix)(const struct composite *composite, double *A) {
  const struct inertia whole = composite_subtree(composite, 0), *I = &whole;
  const size_t n = 6 + composite->model->n_joints;
  if (!(I->m > 0.0)) {
    return STATUS_SINGULAR;
  }
  const vec3 c = vec3_scale(1.0 / I->m, I->h);
  for (size_t column = 0; column < n; column++) {
    /* momentum for one unit of each base axis, then of each joint */
    struct force F;
    if (column < 6) {
      double e[6] = {0.0};
      e[column] = 1.0;
      F = inertia_apply(I, &(struct motion){vec3_from(e), vec3_from(e + 3)});
    } else {
      F = v6_force(&composite->F_B[column - 6]);
    }
    /* about the centre of mass */
    F = about(F, c);
    const double rows[6] = {F.ang.x, F.ang.y, F.ang.z, F.lin.x, F.lin.y, F.lin.z};
    for (size_t i = 0; i < 6; i++) {
      A[i * n + column] = rows[i];
    }
  }
  return STATUS_OK;
}
