#include "body/jacobian.h"

#include <string.h>

enum { BASE_COLUMNS = 6 };

static void set_column(double *J, size_t n, size_t column, struct motion value) {
  const double rows[6] = {value.ang.x, value.ang.y, value.ang.z,
                          value.lin.x, value.lin.y, value.lin.z};
  for (size_t i = 0; i < 6; i++) {
    J[i * n + column] = rows[i];
  }
}

/* Velocity at p of a body whose spatial motion about the base origin is S. */
static struct motion at_point(const struct motion *S, vec3 p) {
  return (struct motion){S->ang, vec3_add(S->lin, vec3_cross(S->ang, p))};
}

static struct motion turned(const mat3 *R, struct motion m) {
  return (struct motion){mat3_tmul_vec3(R, m.ang), mat3_tmul_vec3(R, m.lin)};
}

static struct motion motion_add(struct motion a, struct motion b) {
  return (struct motion){vec3_add(a.ang, b.ang), vec3_add(a.lin, b.lin)};
}

/* Unit motions of the base: column 0..2 turn about x, y, z, column 3..5 move along them. */
static struct motion base_axis(size_t column) {
  double e[6] = {0.0};
  e[column] = 1.0;
  return (struct motion){vec3_from(e), vec3_from(e + 3)};
}

static bool is_usable(const struct kinematics *kin, size_t link, enum kinematics_order order) {
  return kin->order >= order && link < kin->model->n_links;
}

/* Turns about, and movements along, the base's axes: R^T [1 0; -S(p) 1]. */
static void base_columns(const struct pose *X_BF, const mat3 *R, size_t n, double *J) {
  const vec3 p = X_BF->p;
  for (size_t i = 0; i < 3; i++) {
    const vec3 row = {R->m[0][i], R->m[1][i], R->m[2][i]}, moment = vec3_cross(p, row);
    double *ang = J + i * n, *lin = J + (3 + i) * n;
    vec3_to(row, ang);
    vec3_to(VEC3_ZERO, ang + 3);
    vec3_to(moment, lin);
    vec3_to(row, lin + 3);
  }
}

enum status jacobian(const struct kinematics *kin, size_t link, const struct pose *placement,
                     enum jacobian_coordinates coordinates, double *J) {
  if (!is_usable(kin, link, KINEMATICS_POSITION)) {
    return STATUS_BAD_ARGUMENT;
  }
  const size_t n = BASE_COLUMNS + kin->model->n_joints;
  const struct pose X_BF = pose_mul(&kin->X_BL[link], placement);
  const bool in_frame = coordinates == JACOBIAN_IN_FRAME;
  memset(J, 0, 6 * n * sizeof(*J));
  base_columns(&X_BF, in_frame ? &X_BF.R : &MAT3_IDENTITY, n, J);
  for (int i = (int)link; i > 0; i = kin->model->parent[i]) {
    const struct motion S = kinematics_S_B(kin, (size_t)i - 1), column = at_point(&S, X_BF.p);
    set_column(J, n, BASE_COLUMNS + (size_t)i - 1, in_frame ? turned(&X_BF.R, column) : column);
  }
  return STATUS_OK;
}

/* What changes in a column while the joints move and the base stands still. */
struct column_rates {
  vec3 p, pdot; /* the frame's origin, relative to the base */
  vec3 omega;   /* the frame's angular velocity, relative to the base */
  bool in_frame;
  mat3 R; /* R_BF, or the identity */
};

/* d/dt of R^T [S.ang; S.lin + S.ang x p] with S changing by dS. */
static struct motion column_rate(const struct column_rates *k, const struct motion *S,
                                 const struct motion *dS) {
  struct motion rate = at_point(dS, k->p);
  rate.lin = vec3_add(rate.lin, vec3_cross(S->ang, k->pdot));
  if (k->in_frame) { /* d/dt R^T = -R^T S(omega) */
    const struct motion column = at_point(S, k->p);
    rate.ang = vec3_sub(rate.ang, vec3_cross(k->omega, column.ang));
    rate.lin = vec3_sub(rate.lin, vec3_cross(k->omega, column.lin));
  }
  return turned(&k->R, rate);
}

/* Spatial velocity of a link relative to the base, about the base origin. */
static struct motion relative_velocity(const struct kinematics *kin, int link) {
  struct motion v = {VEC3_ZERO, VEC3_ZERO};
  for (int i = link; i > 0; i = kin->model->parent[i]) {
    const struct motion S = kinematics_S_B(kin, (size_t)i - 1);
    const double dq = kin->dq[i - 1];
    v = motion_add(v, (struct motion){vec3_scale(dq, S.ang), vec3_scale(dq, S.lin)});
  }
  return v;
}

enum status jacobian_rate(const struct kinematics *kin, size_t link, const struct pose *placement,
                          enum jacobian_coordinates coordinates, double *dJ) {
  if (!is_usable(kin, link, KINEMATICS_ACCELERATION)) {
    return STATUS_BAD_ARGUMENT;
  }
  const size_t n = BASE_COLUMNS + kin->model->n_joints;
  const struct pose X_BF = pose_mul(&kin->X_BL[link], placement);
  struct motion v = relative_velocity(kin, (int)link);
  const struct column_rates rates = {.p = X_BF.p,
                                     .pdot = at_point(&v, X_BF.p).lin,
                                     .omega = v.ang,
                                     .in_frame = coordinates == JACOBIAN_IN_FRAME,
                                     .R =
                                         coordinates == JACOBIAN_IN_FRAME ? X_BF.R : MAT3_IDENTITY};
  memset(dJ, 0, 6 * n * sizeof(*dJ));
  for (size_t c = 0; c < BASE_COLUMNS; c++) {
    const struct motion S = base_axis(c), still = {VEC3_ZERO, VEC3_ZERO};
    set_column(dJ, n, c, column_rate(&rates, &S, &still));
  }
  for (int i = (int)link; i > 0; i = kin->model->parent[i]) {
    const struct motion S = kinematics_S_B(kin, (size_t)i - 1);
    /* the axis is carried along by its link: dS = v x S */
    const struct motion dS = {vec3_cross(v.ang, S.ang),
                              vec3_add(vec3_cross(v.ang, S.lin), vec3_cross(v.lin, S.ang))};
    set_column(dJ, n, BASE_COLUMNS + (size_t)i - 1, column_rate(&rates, &S, &dS));
    const double dq = kin->dq[i - 1]; /* the parent's velocity, for the next axis */
    v = motion_add(v, (struct motion){vec3_scale(-dq, S.ang), vec3_scale(-dq, S.lin)});
  }
  return STATUS_OK;
}
