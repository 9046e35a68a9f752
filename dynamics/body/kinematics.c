#include "body/kinematics.h"

#include "math/bounds.h"
#include "math/dispatch.h"
#include "math/link_lanes.h"
#include "math/sincos.h"
#include "model/joint_map.h"

#include <string.h>

ISA_KERNEL(kinematics_init)
ISA_KERNEL(kinematics_update)
ISA_KERNEL(kinematics_update_position)

/* R_LP = R_PL^T: a row of joint_map.h's matrices is a column here. */
static struct joint_lanes joint_lanes_of(const struct joint *joint) {
  const struct joint_map map = joint_map_of(joint);
  const mat3 R0 = mat3_transpose(&map.R0), Rc = mat3_transpose(&map.Rc),
             Rs = mat3_transpose(&map.Rs);
  return (struct joint_lanes){
      .R0 = m3_of(&R0),
      .Rc = m3_of(&Rc),
      .Rs = m3_of(&Rs),
      .p0 = v3_of(map.p0),
      .axis = v3_of(mat3_mul_vec3(&joint->placement.R, joint->axis)),
      .slides = joint->type == JOINT_PRISMATIC,
  };
}

enum status ISA(kinematics_init)(struct kinematics *kin, const struct model *model,
                                 struct arena *arena) {
  const size_t n = model->n_joints;
  const size_t padded = (n + SINCOS_WIDTH - 1) / SINCOS_WIDTH * SINCOS_WIDTH;
  *kin = (struct kinematics){.model = model, .order = KINEMATICS_NONE, .n_padded = padded};
  kin->joint = ARENA_ARRAY(arena, struct joint_lanes, n);
  kin->link = ARENA_ARRAY(arena, struct link_lanes, model->n_links);
  kin->q = ARENA_ARRAY(arena, double, padded);
  kin->dq = ARENA_ARRAY(arena, double, padded);
  kin->ddq = ARENA_ARRAY(arena, double, padded);
  kin->sin_q = ARENA_ARRAY(arena, double, padded);
  kin->cos_q = ARENA_ARRAY(arena, double, padded);
  kin->X_BL = ARENA_ARRAY(arena, struct pose, model->n_links);
  if (arena_is_counting(arena)) {
    return STATUS_OK;
  }
  if (arena->failed) {
    return STATUS_NO_MEMORY;
  }
  for (size_t j = 0; j < n; j++) {
    kin->joint[j] = joint_lanes_of(&model->joint[j]);
  }
  kin->X_BL[0] = POSE_IDENTITY;
  kin->link[0].R_BL = kin->link[0].R_LB = m3_of(&MAT3_IDENTITY);
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

/* Pose of the link and axis of its joint, from the parent's pose. Returns r: from the parent's
 * origin to the link's. */
ISA_INLINE v3 place_link(const struct kinematics *kin, size_t j, const struct link_lanes *P,
                         struct link_lanes *L) {
  const struct joint_lanes *joint = &kin->joint[j];
  const double c = kin->cos_q[j], s = kin->sin_q[j];
  /* R_LP(q) = R0 + cos(q) Rc + sin(q) Rs; a joint that slides has R0 alone */
  const struct m3 R_LP = {v3_axpy(v3_axpy(joint->R0.x, c, joint->Rc.x), s, joint->Rs.x),
                          v3_axpy(v3_axpy(joint->R0.y, c, joint->Rc.y), s, joint->Rs.y),
                          v3_axpy(v3_axpy(joint->R0.z, c, joint->Rc.z), s, joint->Rs.z)};
  /* axis and lever from the parent's origin, base coordinates */
  const v3 z = m3_mul_v3(&P->R_BL, joint->axis);
  v3 r = m3_mul_v3(&P->R_BL, joint->p0);
  if (joint->slides) {
    r = v3_axpy(r, kin->q[j], z);
  }
  /* pose, and the joint's axis as a motion about the base origin */
  L->R_LB = m3_mul(&R_LP, &P->R_LB);
  L->R_BL = m3_transpose(&L->R_LB);
  L->p = v3_add(P->p, r);
  L->S = joint->slides ? (struct v6){v3_sub(z, z), z} : (struct v6){z, v3_cross(L->p, z)};
  return r;
}

/* Velocity and acceleration of the link from its parent's, in base coordinates.
 * @eq Leboutet22 141, 142 */
ISA_INLINE void move_link(const struct kinematics *kin, size_t j, v3 r, const struct link_lanes *P,
                          struct link_lanes *L) {
  const double dq = kin->dq[j], ddq = kin->ddq[j];
  /* carried along with the parent */
  const v3 w_x_r = v3_cross(P->v.ang, r);
  L->v = (struct v6){P->v.ang, v3_add(P->v.lin, w_x_r)};
  const v3 alpha_x_r = v3_cross(P->a.ang, r), w_x_w_x_r = v3_cross(P->v.ang, w_x_r);
  L->a = (struct v6){P->a.ang, v3_add(v3_add(P->a.lin, alpha_x_r), w_x_w_x_r)};
  /* and moved by the joint */
  if (kin->joint[j].slides) {
    const v3 z = L->S.lin;
    const v3 coriolis = v3_cross(P->v.ang, v3_scale(2.0 * dq, z));
    L->v.lin = v3_axpy(L->v.lin, dq, z);
    L->a.lin = v3_add(L->a.lin, v3_axpy(coriolis, ddq, z));
  } else {
    const v3 z = L->S.ang;
    const v3 turned_along = v3_cross(P->v.ang, v3_scale(dq, z));
    L->v.ang = v3_axpy(L->v.ang, dq, z);
    L->a.ang = v3_add(L->a.ang, v3_axpy(turned_along, ddq, z));
  }
}

ISA_INLINE struct v6 in_link(const struct m3 *R_LB, struct v6 m_B) {
  return (struct v6){m3_mul_v3(R_LB, m_B.ang), m3_mul_v3(R_LB, m_B.lin)};
}

static void pass_position(struct kinematics *kin) {
  for (size_t j = 0; j < kin->model->n_joints; j++) {
    struct link_lanes *L = &kin->link[j + 1];
    place_link(kin, j, &kin->link[kin->model->parent[j + 1]], L);
    pose_store(&kin->X_BL[j + 1], &L->R_LB, L->p); /* rows of R_BL are columns of R_LB */
  }
}

static void pass_acceleration(struct kinematics *kin) {
  struct link_lanes *base = &kin->link[0];
  /* the base moves as it is told */
  base->v = base->v_L = v6_of_motion(&kin->base.v_B);
  base->a = base->a_L = v6_of_motion(&kin->base.a_B);
  for (size_t j = 0; j < kin->model->n_joints; j++) {
    /* parents before children */
    const struct link_lanes *P = &kin->link[kin->model->parent[j + 1]];
    struct link_lanes *L = &kin->link[j + 1];
    const v3 r = place_link(kin, j, P, L);
    move_link(kin, j, r, P, L);
    L->v_L = in_link(&L->R_LB, L->v);
    L->a_L = in_link(&L->R_LB, L->a);
    pose_store(&kin->X_BL[j + 1], &L->R_LB, L->p); /* rows of R_BL are columns of R_LB */
  }
}

enum status ISA(kinematics_update)(struct kinematics *kin, const struct robot_motion *motion) {
  const size_t n = kin->model->n_joints;
  const enum status status = check_motion(motion, n);
  if (status != STATUS_OK) {
    return status;
  }
  kin->base = motion->base;
  /* the motion is kept: who steps later may lack one of the arrays */
  copy_or_zero(kin->q, motion->q, n);
  copy_or_zero(kin->dq, motion->dq, n);
  copy_or_zero(kin->ddq, motion->ddq, n);
  sincos_array(kin->q, kin->n_padded, kin->sin_q, kin->cos_q);
  pass_acceleration(kin);
  kin->order = KINEMATICS_ACCELERATION;
  return STATUS_OK;
}

enum status ISA(kinematics_update_position)(struct kinematics *kin, const double *q) {
  const size_t n = kin->model->n_joints;
  if (q == NULL && n > 0) {
    return STATUS_BAD_ARGUMENT;
  }
  const enum status status = check_within(q, n, MOTION_LIMIT_Q);
  if (status != STATUS_OK) {
    return status;
  }
  copy_or_zero(kin->q, q, n);
  sincos_array(kin->q, kin->n_padded, kin->sin_q, kin->cos_q);
  pass_position(kin);
  kin->order = KINEMATICS_POSITION;
  return STATUS_OK;
}
