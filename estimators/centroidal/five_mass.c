#include "centroidal/five_mass.h"

#include "body/jacobian.h"
#include "inertia/inertia.h"

#include <math.h>

/* A pair of masses nearer than this to being above one another has no yaw: part of its length that
 * is horizontal. */
static const double LEAST_HORIZONTAL = 1e-3;
/* m: masses nearer than this make no axis. */
static const double LEAST_LENGTH = 1e-3;

struct point_motion {
  vec3 p, v, a;
};

static struct point_motion point_motion(const struct kinematics *kin, const struct link_point *at) {
  const struct pose *X = &kin->X_BL[at->link];
  const struct motion v = kinematics_v_B(kin, at->link), a = kinematics_a_B(kin, at->link);
  const vec3 r = mat3_mul_vec3(&X->R, at->at), turned = vec3_cross(v.ang, r);
  return (struct point_motion){
      .p = vec3_add(X->p, r),
      .v = vec3_add(v.lin, turned),
      .a = vec3_add(vec3_add(a.lin, vec3_cross(a.ang, r)), vec3_cross(v.ang, turned))};
}

static void add_point(struct point_motion *sum, double weight, const struct kinematics *kin,
                      const struct link_point *at) {
  const struct point_motion point = point_motion(kin, at);
  sum->p = vec3_axpy(sum->p, weight, point.p);
  sum->v = vec3_axpy(sum->v, weight, point.v);
  sum->a = vec3_axpy(sum->a, weight, point.a);
}

/* @differs Ficht23 3: chest and pelvis, which the paper's robot joins rigidly, move on waist
 * joints; the torso's mass is their mean */
static struct point_motion torso_motion(const struct five_mass_model *model,
                                        const struct kinematics *kin) {
  struct point_motion sum = {VEC3_ZERO, VEC3_ZERO, VEC3_ZERO};
  add_point(&sum, 1.0 - model->pelvis_share, kin, &model->torso);
  if (model->pelvis_share > 0.0) {
    add_point(&sum, model->pelvis_share, kin, &model->pelvis);
  }
  return sum;
}

/* Weights of o, k and e in the limb's mass: equation (1) without axis signs. */
static void limb_weights(const struct five_mass_limb *limb, double weight[3]) {
  weight[0] = 1.0 - limb->p_l;
  weight[1] = limb->p_l * (1.0 - limb->p_s);
  weight[2] = limb->p_l * limb->p_s;
}

/* @eq Ficht23 1
 * @differs Ficht23 1: joint centres instead of lengths and sines, which needs no axis signs */
static struct point_motion limb_motion(const struct five_mass_limb *limb,
                                       const struct kinematics *kin) {
  const struct link_point *corner[3] = {&limb->o, &limb->k, &limb->e};
  struct point_motion sum = {VEC3_ZERO, VEC3_ZERO, VEC3_ZERO};
  double weight[3];
  limb_weights(limb, weight);
  for (int c = 0; c < 3; c++) {
    add_point(&sum, weight[c], kin, corner[c]);
  }
  return sum;
}

/* @eq Ficht23 3 and its two derivatives */
static void sum_up(struct five_mass *out) {
  vec3 m = VEC3_ZERO, v = VEC3_ZERO, a = VEC3_ZERO;
  for (size_t i = 0; i < out->n; i++) {
    m = vec3_axpy(m, out->w[i], out->m[i]);
    v = vec3_axpy(v, out->w[i], out->v[i]);
    a = vec3_axpy(a, out->w[i], out->a[i]);
  }
  out->com = vec3_scale(1.0 / out->total, m);
  out->com_velocity = vec3_scale(1.0 / out->total, v);
  out->com_acceleration = vec3_scale(1.0 / out->total, a);
}

/* Inertia and angular momentum about the common centre: of the points, and of the groups' own. */
static void turn_about_com(const struct five_mass_model *model, const struct kinematics *kin,
                           struct five_mass *out) {
  struct inertia sum = {0};
  vec3 momentum = VEC3_ZERO;
  for (size_t i = 0; i < out->n; i++) {
    const vec3 r = vec3_sub(out->m[i], out->com), v = vec3_sub(out->v[i], out->com_velocity);
    const mat3 *R = &kin->X_BL[model->own_link[i]].R;
    const mat3 R_own = mat3_mul(R, &model->own[i]), back = mat3_transpose(R);
    const mat3 own_B = mat3_mul(&R_own, &back);
    const struct inertia body = inertia_of_body(out->w[i], r, &own_B);
    sum = inertia_add(&sum, &body);
    momentum = vec3_axpy(momentum, out->w[i], vec3_cross(r, v));
    momentum =
        vec3_add(momentum, mat3_mul_vec3(&own_B, kinematics_v_B(kin, model->own_link[i]).ang));
  }
  out->inertia = inertia_tensor(&sum);
  out->momentum = momentum;
}

enum status five_mass_step(const struct five_mass_model *model, const struct kinematics *kin,
                           struct five_mass *out) {
  if (kin->order != KINEMATICS_ACCELERATION) {
    return STATUS_BAD_ARGUMENT;
  }
  double total = 0.0;
  for (size_t i = 0; i <= model->n_limbs; i++) {
    total += model->w[i];
  }
  if (!(total > 0.0)) {
    return STATUS_SINGULAR;
  }
  out->n = 1 + model->n_limbs;
  out->total = total;
  for (size_t i = 0; i < out->n; i++) {
    const struct point_motion mass =
        i == 0 ? torso_motion(model, kin) : limb_motion(&model->limb[i - 1], kin);
    out->w[i] = model->w[i];
    out->m[i] = mass.p;
    out->v[i] = mass.v;
    out->a[i] = mass.a;
  }
  sum_up(out);
  turn_about_com(model, kin, out);
  return STATUS_OK;
}

/* Column of joint `j` in the velocity of a point of `link`: zero unless the joint moves it. */
static vec3 joint_column(const struct kinematics *kin, size_t j, vec3 p) {
  const struct motion S = kinematics_S_B(kin, j);
  return vec3_add(S.lin, vec3_cross(S.ang, p));
}

/* Adds `weight` times the columns of a limb's corner to `column(j)` of every joint that moves it.
 */
static void add_corner(const struct kinematics *kin, const struct link_point *corner, double weight,
                       size_t columns, double *J) {
  const vec3 p = pose_apply(&kin->X_BL[corner->link], corner->at);
  for (int link = (int)corner->link; link > 0; link = kin->model->parent[link]) {
    const vec3 c = joint_column(kin, (size_t)link - 1, p);
    double *entry = J + 6 + (link - 1);
    entry[0] += weight * c.x;
    entry[columns] += weight * c.y;
    entry[2 * columns] += weight * c.z;
  }
}

/* @eq Ficht23 2
 * @differs Ficht23 2: the rows are x, y and z; print repeats x */
enum status five_mass_jacobian(const struct five_mass_model *model, const struct kinematics *kin,
                               size_t i, double *J) {
  if (i >= model->n_limbs || kin->order == KINEMATICS_NONE) {
    return STATUS_BAD_ARGUMENT;
  }
  const struct five_mass_limb *limb = &model->limb[i];
  const struct link_point *corner[3] = {&limb->o, &limb->k, &limb->e};
  const size_t columns = 6 + kin->model->n_joints;
  double weight[3];
  vec3 m = VEC3_ZERO;
  for (size_t at = 0; at < 3 * columns; at++) {
    J[at] = 0.0;
  }
  limb_weights(limb, weight);
  for (int c = 0; c < 3; c++) {
    const vec3 p = pose_apply(&kin->X_BL[corner[c]->link], corner[c]->at);
    m = vec3_axpy(m, weight[c], p);
    add_corner(kin, corner[c], weight[c], columns, J);
  }
  const mat3 turn = mat3_skew(vec3_neg(m)); /* omega x m = -m x omega */
  for (size_t row = 0; row < 3; row++) {
    for (size_t axis = 0; axis < 3; axis++) {
      J[row * columns + axis] = turn.m[row][axis];
      J[row * columns + 3 + axis] = row == axis ? 1.0 : 0.0;
    }
  }
  return STATUS_OK;
}

vec3 five_mass_limb_velocity(const struct five_mass_model *model, const struct kinematics *kin,
                             size_t i, const double *dq) {
  const struct five_mass_limb *limb = &model->limb[i];
  const struct link_point *corner[3] = {&limb->o, &limb->k, &limb->e};
  double weight[3];
  vec3 v = VEC3_ZERO;
  limb_weights(limb, weight);
  for (int c = 0; c < 3; c++) {
    const vec3 p = pose_apply(&kin->X_BL[corner[c]->link], corner[c]->at);
    for (int link = (int)corner[c]->link; link > 0; link = kin->model->parent[link]) {
      const size_t j = (size_t)link - 1;
      v = vec3_axpy(v, weight[c] * dq[j], joint_column(kin, j, p));
    }
  }
  return v;
}

/* The masses of one kind on one side, as one. */
struct side_mass {
  double w;
  vec3 m;
};

static struct side_mass side_of(const struct five_mass_model *model, const vec3 *m_W,
                                enum limb_kind kind, int side) {
  struct side_mass sum = {0.0, VEC3_ZERO};
  for (size_t i = 0; i < model->n_limbs; i++) {
    if (model->limb[i].kind == kind && model->limb[i].side == side) {
      sum.w += model->w[i + 1];
      sum.m = vec3_axpy(sum.m, model->w[i + 1], m_W[i + 1]);
    }
  }
  sum.m = sum.w > 0.0 ? vec3_scale(1.0 / sum.w, sum.m) : sum.m;
  return sum;
}

static struct side_mass together(const struct side_mass *a, const struct side_mass *b) {
  const double w = a->w + b->w;
  return (struct side_mass){w, vec3_scale(1.0 / w, vec3_axpy(vec3_scale(a->w, a->m), b->w, b->m))};
}

/* Yaw about the axis to which `upright` turns the vertical, of a direction that points left. */
static enum status yaw_of(const mat3 *upright, vec3 left_W, double *yaw) {
  const vec3 d = mat3_tmul_vec3(upright, left_W);
  if (!(hypot(d.x, d.y) > LEAST_HORIZONTAL * vec3_norm(d))) {
    return STATUS_SINGULAR;
  }
  *yaw = atan2(-d.x, d.y);
  return STATUS_OK;
}

/* The shortest rotation that takes the vertical to the unit vector z. */
static enum status tilt_to(vec3 z, mat3 *R) {
  const double c = 1.0 + z.z; /* 0 upside down, where the shortest rotation is not unique */
  if (!(c > LEAST_HORIZONTAL)) {
    return STATUS_SINGULAR;
  }
  *R = (mat3){{{1.0 - z.x * z.x / c, -z.x * z.y / c, z.x},
               {-z.x * z.y / c, 1.0 - z.y * z.y / c, z.y},
               {-z.x, -z.y, z.z}}};
  return STATUS_OK;
}

/* @eq Ficht23 5 */
enum status five_mass_orientation(const struct five_mass_model *model, const vec3 *m_W,
                                  vec3 lateral_W, mat3 *R_WI) {
  const struct side_mass ll = side_of(model, m_W, LIMB_LEG, 1),
                         rl = side_of(model, m_W, LIMB_LEG, -1),
                         la = side_of(model, m_W, LIMB_ARM, 1),
                         ra = side_of(model, m_W, LIMB_ARM, -1);
  if (!(ll.w > 0.0 && rl.w > 0.0 && model->w[0] > 0.0)) {
    return STATUS_SINGULAR;
  }
  const struct side_mass half = {0.5 * model->w[0], m_W[0]};
  const struct side_mass lu = together(&la, &half), ru = together(&ra, &half);
  const struct side_mass upper = together(&lu, &ru), lower = together(&ll, &rl);
  const vec3 axis = vec3_sub(upper.m, lower.m);
  const double length = vec3_norm(axis);
  const bool arms = la.w > 0.0 && ra.w > 0.0;
  mat3 tilt;
  double yaw_u, yaw_l;
  if (!(length > LEAST_LENGTH) || tilt_to(vec3_scale(1.0 / length, axis), &tilt) != STATUS_OK ||
      yaw_of(&tilt, arms ? vec3_sub(lu.m, ru.m) : lateral_W, &yaw_u) != STATUS_OK ||
      yaw_of(&tilt, vec3_sub(ll.m, rl.m), &yaw_l) != STATUS_OK) {
    return STATUS_SINGULAR;
  }
  /* the mean on the shorter way round */
  const double apart = remainder(yaw_l - yaw_u, 2.0 * M_PI);
  const double yaw = yaw_u + apart * lower.w / (upper.w + lower.w);
  const mat3 turn = mat3_from_rpy((vec3){0.0, 0.0, yaw});
  *R_WI = mat3_mul(&tilt, &turn);
  return STATUS_OK;
}

/* @eq Ficht23 4 */
vec3 five_mass_moments(const mat3 *inertia, const mat3 *R_I) {
  vec3 moment[3];
  for (int axis = 0; axis < 3; axis++) {
    const vec3 e = {R_I->m[0][axis], R_I->m[1][axis], R_I->m[2][axis]};
    moment[axis] = mat3_mul_vec3(inertia, e);
    moment[axis].x = vec3_dot(e, moment[axis]);
  }
  return (vec3){moment[0].x, moment[1].x, moment[2].x};
}
