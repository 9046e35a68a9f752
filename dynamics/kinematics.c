#include "kinematics.h"

#include "check.h"
#include "dispatch.h"
#include "sincos.h"

enum status kinematics_init(struct kinematics *kin, const struct model *model,
                            struct arena *arena) {
  const size_t n = model->n_joints;
  const size_t padded = (n + SINCOS_WIDTH - 1) / SINCOS_WIDTH * SINCOS_WIDTH;
  *kin = (struct kinematics){.model = model, .order = KINEMATICS_NONE};
  kin->map = ARENA_ARRAY(arena, struct joint_map, n);
  kin->q = ARENA_ARRAY(arena, double, padded);
  kin->dq = ARENA_ARRAY(arena, double, padded);
  kin->ddq = ARENA_ARRAY(arena, double, padded);
  kin->sin_q = ARENA_ARRAY(arena, double, padded);
  kin->cos_q = ARENA_ARRAY(arena, double, padded);
  kin->X_BL = ARENA_ARRAY(arena, struct pose, model->n_links);
  kin->S_B = ARENA_ARRAY(arena, struct motion, n);
  kin->v_B = ARENA_ARRAY(arena, struct motion, model->n_links);
  kin->a_B = ARENA_ARRAY(arena, struct motion, model->n_links);
  kin->v_L = ARENA_ARRAY(arena, struct motion, model->n_links);
  kin->a_L = ARENA_ARRAY(arena, struct motion, model->n_links);
  if (arena_is_counting(arena)) {
    return STATUS_OK;
  }
  if (arena->failed) {
    return STATUS_NO_MEMORY;
  }
  for (size_t j = 0; j < n; j++) {
    kin->map[j] = joint_map_of(&model->joint[j]);
  }
  return STATUS_OK;
}

/* NULL stands for zeros. */
static void copy_or_zero(double *to, const double *from, size_t n) {
  if (from != NULL) {
    memcpy(to, from, n * sizeof(*to));
  } else {
    memset(to, 0, n * sizeof(*to));
  }
}

static enum status check_optional(const double *x, size_t n, double limit) {
  return x == NULL ? STATUS_OK : check_within(x, n, limit);
}

static enum status check_base(const struct base_motion *base) {
  enum status status = check_within(&base->X_WB.R.m[0][0], 12, MOTION_LIMIT_Q);
  if (status == STATUS_OK) {
    status = check_within(&base->v_B.ang.x, 12, MOTION_LIMIT_RATE);
  }
  return status;
}

static enum status check_motion(const struct robot_motion *motion, size_t n) {
  if (motion->q == NULL && n > 0) {
    return STATUS_BAD_ARGUMENT;
  }
  enum status status = check_within(motion->q, n, MOTION_LIMIT_Q);
  if (status == STATUS_OK) {
    status = check_optional(motion->dq, n, MOTION_LIMIT_RATE);
  }
  if (status == STATUS_OK) {
    status = check_optional(motion->ddq, n, MOTION_LIMIT_RATE);
  }
  return status == STATUS_OK ? check_base(&motion->base) : status;
}

/* Pose of the link and axis of its joint from the parent's pose. Returns r: from the parent's
 * origin to the link's, base coordinates. */
static inline vec3 place_link(struct kinematics *kin, size_t j) {
  const struct joint_map *map = &kin->map[j];
  const struct joint *joint = &kin->model->joint[j];
  const struct pose *X_BP = &kin->X_BL[kin->model->parent[j + 1]];
  struct pose *X_BL = &kin->X_BL[j + 1];
  const mat3 R_PL = joint_map_rotation(map, kin->cos_q[j], kin->sin_q[j]);
  const vec3 r = mat3_mul_vec3(&X_BP->R, vec3_axpy(map->p0, kin->q[j], map->d));
  X_BL->R = mat3_mul(&X_BP->R, &R_PL);
  X_BL->p = vec3_add(X_BP->p, r);
  const vec3 z = mat3_mul_vec3(&X_BL->R, joint->axis);
  kin->S_B[j] = joint->type == JOINT_PRISMATIC ? (struct motion){VEC3_ZERO, z}
                                               : (struct motion){z, vec3_cross(X_BL->p, z)};
  return r;
}

/* Velocity and acceleration of the link from its parent's, everything in base coordinates.
 * @eq Leboutet22 141, 142 */
static inline void move_link(struct kinematics *kin, size_t j, vec3 r) {
  const struct motion *v_P = &kin->v_B[kin->model->parent[j + 1]];
  const struct motion *a_P = &kin->a_B[kin->model->parent[j + 1]];
  struct motion *v = &kin->v_B[j + 1], *a = &kin->a_B[j + 1];
  const double dq = kin->dq[j], ddq = kin->ddq[j];

  /* carried along with the parent */
  const vec3 w_x_r = vec3_cross(v_P->ang, r);
  *v = (struct motion){v_P->ang, vec3_add(v_P->lin, w_x_r)};
  *a = (struct motion){
      a_P->ang, vec3_add(vec3_add(a_P->lin, vec3_cross(a_P->ang, r)), vec3_cross(v_P->ang, w_x_r))};
  /* and moved by the joint */
  if (kin->model->joint[j].type == JOINT_PRISMATIC) {
    const vec3 z = kin->S_B[j].lin;
    v->lin = vec3_axpy(v->lin, dq, z);
    a->lin = vec3_add(vec3_axpy(a->lin, ddq, z),
                      vec3_cross(v_P->ang, vec3_scale(2.0 * dq, z))); /* Coriolis */
  } else {
    const vec3 z = kin->S_B[j].ang;
    v->ang = vec3_axpy(v->ang, dq, z);
    a->ang = vec3_add(vec3_axpy(a->ang, ddq, z), vec3_cross(v_P->ang, vec3_scale(dq, z)));
  }
}

static inline struct motion in_link(const mat3 *R_BL, const struct motion *m_B) {
  return (struct motion){mat3_tmul_vec3(R_BL, m_B->ang), mat3_tmul_vec3(R_BL, m_B->lin)};
}

FOR_EACH_ISA static void pass_position(struct kinematics *kin) {
  kin->X_BL[0] = POSE_IDENTITY;
  for (size_t j = 0; j < kin->model->n_joints; j++) {
    place_link(kin, j);
  }
}

FOR_EACH_ISA static void pass_acceleration(struct kinematics *kin) {
  kin->X_BL[0] = POSE_IDENTITY;
  kin->v_B[0] = kin->v_L[0] = kin->base.v_B;
  kin->a_B[0] = kin->a_L[0] = kin->base.a_B;
  for (size_t j = 0; j < kin->model->n_joints; j++) {
    const vec3 r = place_link(kin, j);
    move_link(kin, j, r);
    kin->v_L[j + 1] = in_link(&kin->X_BL[j + 1].R, &kin->v_B[j + 1]);
    kin->a_L[j + 1] = in_link(&kin->X_BL[j + 1].R, &kin->a_B[j + 1]);
  }
}

enum status kinematics_update(struct kinematics *kin, const struct robot_motion *motion) {
  const size_t n = kin->model->n_joints;
  const enum status status = check_motion(motion, n);
  if (status != STATUS_OK) {
    return status;
  }
  kin->base = motion->base;
  copy_or_zero(kin->q, motion->q, n);
  copy_or_zero(kin->dq, motion->dq, n);
  copy_or_zero(kin->ddq, motion->ddq, n);
  sincos_array(kin->q, n, kin->sin_q, kin->cos_q);
  pass_acceleration(kin);
  kin->order = KINEMATICS_ACCELERATION;
  return STATUS_OK;
}

enum status kinematics_update_position(struct kinematics *kin, const double *q) {
  const size_t n = kin->model->n_joints;
  if (q == NULL && n > 0) {
    return STATUS_BAD_ARGUMENT;
  }
  const enum status status = check_within(q, n, MOTION_LIMIT_Q);
  if (status != STATUS_OK) {
    return status;
  }
  copy_or_zero(kin->q, q, n);
  sincos_array(kin->q, n, kin->sin_q, kin->cos_q);
  pass_position(kin);
  kin->order = KINEMATICS_POSITION;
  return STATUS_OK;
}
