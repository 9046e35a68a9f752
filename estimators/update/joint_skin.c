#include "update/joint_skin.h"

#include "model/motion.h"
#include "skin/skin_fusion.h"

#include <math.h>
#include <string.h>

/* Variances of what no cell tells: as large as what robots do, (rad/s^2)^2 and (m/s^2)^2. */
static const double UNSEEN_ANG = 1e4, UNSEEN_LIN = 1e2;

enum status joint_skin_init(struct joint_skin *skin, const struct robot *robot, bool fixed_base,
                            double ratio, double gain, struct arena *arena) {
  if (!(ratio >= 0.0 && gain >= 0.0)) {
    return STATUS_OUT_OF_RANGE;
  }
  *skin =
      (struct joint_skin){.ratio = ratio, .gain = gain, .robot = robot, .fixed_base = fixed_base};
  const struct model *model = &robot->model;
  skin->measured = ARENA_ARRAY(arena, struct motion, model->n_links);
  skin->noise = ARENA_ARRAY(arena, struct motion, model->n_links);
  skin->has = ARENA_ARRAY(arena, bool, model->n_links);
  skin->told = ARENA_ARRAY(arena, bool, model->n_links);
  skin->observed = ARENA_ARRAY(arena, bool, model->n_joints);
  skin->reached = ARENA_ARRAY(arena, bool, model->n_joints);
  skin->along = ARENA_ARRAY(arena, double, model->n_joints);
  const enum status status = kinematics_init(&skin->kin, model, arena);
  if (status == STATUS_OK && !arena_is_counting(arena)) {
    joint_skin_reset(skin);
  }
  return status;
}

void joint_skin_reset(struct joint_skin *skin) {
  memset(skin->observed, 0, skin->robot->model.n_joints * sizeof(*skin->observed));
  memset(skin->reached, 0, skin->robot->model.n_joints * sizeof(*skin->reached));
}

/* -- what each link measured ------------------------------------------------------------------ */

static bool update_kinematics(struct joint_skin *skin, const struct joint_layout *l,
                              const double *x, const struct base_motion *fixed) {
  struct robot_motion motion = {.q = x + l->q, .dq = x + l->dq, .ddq = x + l->ddq};
  motion.base = *fixed;
  if (l->base > 0) {
    motion.base.v_B.ang = vec3_from(x + l->omega);
    motion.base.a_B = (struct motion){vec3_from(x + l->omegadot), vec3_from(x + l->force)};
  }
  return kinematics_update(&skin->kin, &motion) == STATUS_OK;
}

/* Variance of what the best of a link's rows tells of one part of its motion, any axis. */
static vec3 best_row(const struct link_rows *rows, enum link_part part, double unseen) {
  double best = 1.0 / unseen;
  for (unsigned r = 0; r < rows->rank; r++) {
    const vec3 w = vec3_from(rows->W[r] + part);
    best = fmax(best, vec3_dot(w, w));
  }
  return (vec3){1.0 / best, 1.0 / best, 1.0 / best};
}

static void take_link(struct joint_skin *skin, const struct link_rows *rows) {
  const size_t i = rows->link;
  double covariance[SKIN_FUSION_SIZE][SKIN_FUSION_SIZE];
  skin->told[i] = rows->rank > 0;
  skin->has[i] = link_rows_solve(rows, kinematics_v_L(&skin->kin, i).ang, &skin->measured[i],
                                 covariance) == STATUS_OK;
  if (skin->has[i]) {
    skin->noise[i] = (struct motion){{covariance[0][0], covariance[1][1], covariance[2][2]},
                                     {covariance[3][3], covariance[4][4], covariance[5][5]}};
  } else if (skin->told[i]) {
    skin->noise[i] = (struct motion){best_row(rows, PART_OMEGADOT, UNSEEN_ANG),
                                     best_row(rows, PART_VDOT, UNSEEN_LIN)};
  }
}

static void take_measured(struct joint_skin *skin, const struct link_rows *block, size_t n_blocks) {
  for (size_t i = 0; i < skin->robot->model.n_links; i++) {
    skin->has[i] = skin->told[i] = false;
  }
  for (size_t b = 0; b < n_blocks; b++) {
    if (!block[b].told_by_limb) { /* its own skin says what its own skin is off by */
      take_link(skin, &block[b]);
    }
  }
  if (skin->fixed_base) { /* known without any cell */
    skin->has[0] = skin->told[0] = true;
    skin->measured[0] = kinematics_a_L(&skin->kin, 0);
    skin->noise[0] = (struct motion){VEC3_ZERO, VEC3_ZERO};
  }
}

/* -- along the joints ------------------------------------------------------------------------- */

static double along(vec3 axis, vec3 variance) {
  return axis.x * axis.x * variance.x + axis.y * axis.y * variance.y + axis.z * axis.z * variance.z;
}

/* The linear acceleration of the point of the parent where the child's origin is now. */
static vec3 carried(const struct joint_skin *skin, size_t j, size_t parent, struct motion a) {
  const struct joint *joint = &skin->robot->model.joint[j];
  const vec3 slide = mat3_mul_vec3(&joint->placement.R, joint->axis);
  const vec3 r = vec3_axpy(joint->placement.p, skin->kin.q[j], slide);
  const vec3 w = kinematics_v_L(&skin->kin, parent).ang;
  return point_acceleration(&a, w, r);
}

/* The joint's acceleration from its two links, and its variance. The axis is fixed in both. */
static double relative_acceleration(const struct joint_skin *skin, size_t j, double *variance) {
  const struct joint *joint = &skin->robot->model.joint[j];
  const size_t i = j + 1, p = (size_t)skin->robot->model.parent[i];
  const vec3 axis_L = joint->axis, axis_P = mat3_mul_vec3(&joint->placement.R, joint->axis);
  if (joint->type == JOINT_PRISMATIC) {
    *variance = along(axis_L, skin->noise[i].lin) + along(axis_P, skin->noise[p].lin);
    return vec3_dot(axis_L, skin->measured[i].lin) -
           vec3_dot(axis_P, carried(skin, j, p, skin->measured[p]));
  }
  *variance = along(axis_L, skin->noise[i].ang) + along(axis_P, skin->noise[p].ang);
  return vec3_dot(axis_L, skin->measured[i].ang) - vec3_dot(axis_P, skin->measured[p].ang);
}

/* The nearest link with skin, at this one or above it, where the base counts as one, and at it or
 * below, -1 for none. */
static void find_neighbours(const struct joint_skin *skin, int *above, int *below) {
  const struct model *model = &skin->robot->model;
  for (size_t i = 0; i < model->n_links; i++) {
    above[i] = skin->told[i] || i == 0 ? (int)i : above[model->parent[i]];
    below[i] = skin->told[i] ? (int)i : -1;
  }
  for (size_t i = model->n_links - 1; i > 0; i--) { /* children stand behind their parents */
    int *of_parent = &below[model->parent[i]];
    *of_parent = *of_parent < 0 ? below[i] : *of_parent;
  }
}

static vec3 least(vec3 a, vec3 b) {
  return (vec3){fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)};
}

/* What skin tells of a base that has none of its own, it tells from the links nearest to it, and is
 * off by what the best of them is. */
static void borrow_base(struct joint_skin *skin, const int *below) {
  const struct model *model = &skin->robot->model;
  struct motion best = {{UNSEEN_ANG, UNSEEN_ANG, UNSEEN_ANG}, {UNSEEN_LIN, UNSEEN_LIN, UNSEEN_LIN}};
  for (size_t i = 1; i < model->n_links; i++) {
    if (model->parent[i] == 0 && below[i] > 0) {
      const struct motion *near = &skin->noise[below[i]];
      best = (struct motion){least(best.ang, near->ang), least(best.lin, near->lin)};
    }
  }
  skin->noise[0] = best;
}

/* Variance of what a link measures along joint j's axis. */
static double along_axis(const struct joint_skin *skin, size_t j, int link) {
  const struct joint *joint = &skin->robot->model.joint[j];
  const vec3 axis_B = mat3_mul_vec3(&skin->kin.X_BL[j + 1].R, joint->axis);
  const vec3 axis = mat3_tmul_vec3(&skin->kin.X_BL[link].R, axis_B);
  const struct motion *noise = &skin->noise[link];
  return along(axis, joint->type == JOINT_PRISMATIC ? noise->lin : noise->ang);
}

/* Joints between two links with skin, but without on their own, or too little: what the two are off
 * by may be theirs, each of them's. */
static void reach_between(struct joint_skin *skin) {
  const struct model *model = &skin->robot->model;
  int above[MODEL_MAX_JOINTS + 1], below[MODEL_MAX_JOINTS + 1];
  find_neighbours(skin, above, below);
  if (!skin->told[0] && below[0] > 0) {
    borrow_base(skin, below);
  }
  for (size_t j = 0; j < model->n_joints; j++) {
    const int a = above[model->parent[j + 1]], b = below[j + 1];
    skin->reached[j] = skin->observed[j] || b >= 0;
    if (skin->reached[j] && !skin->observed[j]) {
      skin->along[j] = along_axis(skin, j, a) + along_axis(skin, j, b);
    }
  }
}

/* `bank` may be NULL. It takes what skin is off by in proportion for noise: for want of it, none
 * but a joint that is lively beyond all bounds fits both its encoder and skin of a wrong gain. */
static void feed_bank(struct joint_skin *skin, struct motion_bank *bank) {
  const struct model *model = &skin->robot->model;
  for (size_t j = 0; j < model->n_joints; j++) {
    skin->observed[j] = skin->has[j + 1] && skin->has[model->parent[j + 1]];
    if (skin->observed[j]) {
      const double ddq = relative_acceleration(skin, j, &skin->along[j]);
      if (bank != NULL) {
        const double off = skin->gain * ddq;
        motion_bank_acceleration(bank, j, ddq, skin->along[j] + off * off);
      }
    }
  }
  reach_between(skin);
}

void joint_skin_survey(struct joint_skin *skin, const struct link_rows *block, size_t n_blocks) {
  static const double still[MODEL_MAX_JOINTS];
  struct robot_motion motion = {.q = still};
  motion.base.X_WB = POSE_IDENTITY;
  if (kinematics_update(&skin->kin, &motion) == STATUS_OK) {
    take_measured(skin, block, n_blocks);
    feed_bank(skin, NULL);
  }
}

void joint_skin_step(struct joint_skin *skin, struct motion_bank *bank,
                     const struct joint_layout *layout, const double *x,
                     const struct base_motion *fixed, const struct link_rows *block,
                     size_t n_blocks) {
  if (update_kinematics(skin, layout, x, fixed)) {
    take_measured(skin, block, n_blocks);
    feed_bank(skin, bank);
  }
}

double joint_skin_rate_error(const struct joint_skin *skin) {
  double fastest = 0.0;
  for (size_t i = 0; i < skin->robot->model.n_links; i++) {
    const double rate = vec3_norm(kinematics_v_L(&skin->kin, i).ang);
    fastest = skin->told[i] ? fmax(fastest, rate) : fastest;
  }
  return 0.5 * skin->gain * fastest;
}

double joint_skin_prior(const struct joint_skin *skin, size_t j) {
  return skin->reached[j] ? skin->ratio * skin->ratio * skin->along[j] : 0.0;
}
