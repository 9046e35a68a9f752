#include "joints/joint_skin.h"

#include "model/motion.h"
#include "skin/skin_fusion.h"

#include <math.h>
#include <string.h>

enum status joint_skin_init(struct joint_skin *skin, const struct robot *robot, bool fixed_base,
                            double ratio, struct arena *arena) {
  if (!(ratio >= 0.0)) {
    return STATUS_OUT_OF_RANGE;
  }
  *skin = (struct joint_skin){.ratio = ratio, .robot = robot, .fixed_base = fixed_base};
  const struct model *model = &robot->model;
  skin->measured = ARENA_ARRAY(arena, struct motion, model->n_links);
  skin->noise = ARENA_ARRAY(arena, struct motion, model->n_links);
  skin->has = ARENA_ARRAY(arena, bool, model->n_links);
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

static void take_measured(struct joint_skin *skin, const struct link_rows *block, size_t n_blocks) {
  for (size_t i = 0; i < skin->robot->model.n_links; i++) {
    skin->has[i] = false;
  }
  for (size_t b = 0; b < n_blocks; b++) {
    const size_t i = block[b].link;
    if (block[b].told_by_limb) {
      continue; /* its own skin says what its own skin is off by */
    }
    double covariance[SKIN_FUSION_SIZE][SKIN_FUSION_SIZE];
    skin->has[i] = link_rows_solve(&block[b], kinematics_v_L(&skin->kin, i).ang, &skin->measured[i],
                                   covariance) == STATUS_OK;
    if (skin->has[i]) {
      skin->noise[i] = (struct motion){{covariance[0][0], covariance[1][1], covariance[2][2]},
                                       {covariance[3][3], covariance[4][4], covariance[5][5]}};
    }
  }
  if (skin->fixed_base) { /* known without any cell */
    skin->has[0] = true;
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

/* The nearest link that told its whole acceleration, at this one or above it, and at it or below;
 * -1 for none. */
static void find_neighbours(const struct joint_skin *skin, int *above, int *below) {
  const struct model *model = &skin->robot->model;
  for (size_t i = 0; i < model->n_links; i++) {
    above[i] = skin->has[i] ? (int)i : i > 0 ? above[model->parent[i]] : -1;
    below[i] = skin->has[i] ? (int)i : -1;
  }
  for (size_t i = model->n_links - 1; i > 0; i--) { /* children stand behind their parents */
    int *of_parent = &below[model->parent[i]];
    *of_parent = *of_parent < 0 ? below[i] : *of_parent;
  }
}

/* Variance of what a link measures along joint j's axis. */
static double along_axis(const struct joint_skin *skin, size_t j, int link) {
  const struct joint *joint = &skin->robot->model.joint[j];
  const vec3 axis_B = mat3_mul_vec3(&skin->kin.X_BL[j + 1].R, joint->axis);
  const vec3 axis = mat3_tmul_vec3(&skin->kin.X_BL[link].R, axis_B);
  const struct motion *noise = &skin->noise[link];
  return along(axis, joint->type == JOINT_PRISMATIC ? noise->lin : noise->ang);
}

/* Joints between two links with skin, but without on their own: what the two are off by may be
 * theirs, each of them's. */
static void reach_between(struct joint_skin *skin) {
  const struct model *model = &skin->robot->model;
  int above[MODEL_MAX_JOINTS + 1], below[MODEL_MAX_JOINTS + 1];
  find_neighbours(skin, above, below);
  for (size_t j = 0; j < model->n_joints; j++) {
    const int a = above[model->parent[j + 1]], b = below[j + 1];
    skin->reached[j] = skin->observed[j] || (a >= 0 && b >= 0);
    if (skin->reached[j] && !skin->observed[j]) {
      skin->along[j] = along_axis(skin, j, a) + along_axis(skin, j, b);
    }
  }
}

/* `bank` may be NULL. */
static void feed_bank(struct joint_skin *skin, struct motion_bank *bank) {
  const struct model *model = &skin->robot->model;
  for (size_t j = 0; j < model->n_joints; j++) {
    skin->observed[j] = skin->has[j + 1] && skin->has[model->parent[j + 1]];
    if (skin->observed[j]) {
      const double ddq = relative_acceleration(skin, j, &skin->along[j]);
      if (bank != NULL) {
        motion_bank_acceleration(bank, j, ddq, skin->along[j]);
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

double joint_skin_prior(const struct joint_skin *skin, size_t j) {
  return skin->reached[j] ? skin->ratio * skin->ratio * skin->along[j] : 0.0;
}
