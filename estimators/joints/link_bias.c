#include "joints/link_bias.h"

#include "model/motion.h"
#include "skin/skin_fusion.h"

#include <math.h>
#include <string.h>

enum status link_bias_init(struct link_bias *stage, const struct robot *robot, bool fixed_base,
                           const struct link_bias_settings *settings, struct arena *arena) {
  if (!(settings->ratio >= 0.0) || !(settings->time_s > 0.0)) {
    return STATUS_OUT_OF_RANGE;
  }
  *stage = (struct link_bias){.settings = *settings, .robot = robot, .fixed_base = fixed_base};
  const struct model *model = &robot->model;
  stage->bias = ARENA_ARRAY(arena, struct motion, model->n_links);
  stage->relative = ARENA_ARRAY(arena, struct motion, model->n_links);
  stage->variance = ARENA_ARRAY(arena, struct motion, model->n_links);
  stage->measured = ARENA_ARRAY(arena, struct motion, model->n_links);
  stage->noise = ARENA_ARRAY(arena, struct motion, model->n_links);
  stage->has = ARENA_ARRAY(arena, bool, model->n_links);
  stage->observed = ARENA_ARRAY(arena, bool, model->n_joints);
  stage->along = ARENA_ARRAY(arena, double, model->n_joints);
  const enum status status = kinematics_init(&stage->kin, model, arena);
  if (status == STATUS_OK && !arena_is_counting(arena)) {
    link_bias_reset(stage);
  }
  return status;
}

void link_bias_reset(struct link_bias *stage) {
  const size_t n_links = stage->robot->model.n_links;
  memset(stage->bias, 0, n_links * sizeof(*stage->bias));
  memset(stage->relative, 0, n_links * sizeof(*stage->relative));
  memset(stage->variance, 0, n_links * sizeof(*stage->variance));
  memset(stage->observed, 0, stage->robot->model.n_joints * sizeof(*stage->observed));
}

/* -- what each link measured ------------------------------------------------------------------ */

static bool update_kinematics(struct link_bias *stage, const struct joint_layout *l,
                              const double *x, vec3 fixed_force) {
  struct robot_motion motion = {.q = x + l->q, .dq = x + l->dq, .ddq = x + l->ddq};
  motion.base.X_WB = POSE_IDENTITY;
  motion.base.a_B.lin = fixed_force;
  if (l->base > 0) {
    motion.base.v_B.ang = vec3_from(x + l->omega);
    motion.base.a_B = (struct motion){vec3_from(x + l->omegadot), vec3_from(x + l->force)};
  }
  return kinematics_update(&stage->kin, &motion) == STATUS_OK;
}

static void take_measured(struct link_bias *stage, const struct link_rows *block, size_t n_blocks) {
  for (size_t i = 0; i < stage->robot->model.n_links; i++) {
    stage->has[i] = false;
  }
  for (size_t b = 0; b < n_blocks; b++) {
    const size_t i = block[b].link;
    double covariance[SKIN_FUSION_SIZE][SKIN_FUSION_SIZE];
    stage->has[i] = link_rows_solve(&block[b], kinematics_v_L(&stage->kin, i).ang,
                                    &stage->measured[i], covariance) == STATUS_OK;
    if (stage->has[i]) {
      stage->noise[i] = (struct motion){{covariance[0][0], covariance[1][1], covariance[2][2]},
                                        {covariance[3][3], covariance[4][4], covariance[5][5]}};
    }
  }
  if (stage->fixed_base) { /* known without any cell */
    stage->has[0] = true;
    stage->measured[0] = kinematics_a_L(&stage->kin, 0);
    stage->noise[0] = (struct motion){VEC3_ZERO, VEC3_ZERO};
  }
}

/* -- along the joints ------------------------------------------------------------------------- */

static double along(vec3 axis, vec3 variance) {
  return axis.x * axis.x * variance.x + axis.y * axis.y * variance.y + axis.z * axis.z * variance.z;
}

/* The linear acceleration of the point of the parent where the child's origin is now. */
static vec3 carried(const struct link_bias *stage, size_t j, size_t parent, struct motion a) {
  const struct joint *joint = &stage->robot->model.joint[j];
  const vec3 slide = mat3_mul_vec3(&joint->placement.R, joint->axis);
  const vec3 r = vec3_axpy(joint->placement.p, stage->kin.q[j], slide);
  const vec3 w = kinematics_v_L(&stage->kin, parent).ang;
  return point_acceleration(&a, w, r);
}

/* The joint's acceleration from its two links, and its variance. The axis is fixed in both. */
static double relative_acceleration(const struct link_bias *stage, size_t j, double *variance) {
  const struct joint *joint = &stage->robot->model.joint[j];
  const size_t i = j + 1, p = (size_t)stage->robot->model.parent[i];
  const vec3 axis_L = joint->axis, axis_P = mat3_mul_vec3(&joint->placement.R, joint->axis);
  if (joint->type == JOINT_PRISMATIC) {
    *variance = along(axis_L, stage->noise[i].lin) + along(axis_P, stage->noise[p].lin);
    return vec3_dot(axis_L, stage->measured[i].lin) -
           vec3_dot(axis_P, carried(stage, j, p, stage->measured[p]));
  }
  *variance = along(axis_L, stage->noise[i].ang) + along(axis_P, stage->noise[p].ang);
  return vec3_dot(axis_L, stage->measured[i].ang) - vec3_dot(axis_P, stage->measured[p].ang);
}

/* `bank` may be NULL. */
static void feed_bank(struct link_bias *stage, struct motion_bank *bank) {
  const struct model *model = &stage->robot->model;
  for (size_t j = 0; j < model->n_joints; j++) {
    stage->observed[j] = stage->has[j + 1] && stage->has[model->parent[j + 1]];
    if (stage->observed[j]) {
      const double ddq = relative_acceleration(stage, j, &stage->along[j]);
      if (bank != NULL) {
        motion_bank_acceleration(bank, j, ddq, stage->along[j]);
      }
    }
  }
}

void link_bias_survey(struct link_bias *stage, const struct link_rows *block, size_t n_blocks) {
  static const double still[MODEL_MAX_JOINTS];
  struct robot_motion motion = {.q = still};
  motion.base.X_WB = POSE_IDENTITY;
  if (kinematics_update(&stage->kin, &motion) == STATUS_OK) {
    take_measured(stage, block, n_blocks);
    feed_bank(stage, NULL);
  }
}

/* -- across the joints ------------------------------------------------------------------------ */

/* One number of a bias: forgets towards zero, takes the residual by its share. `noise` is that of
 * the residual. A variance of zero stands for nothing known yet. */
static void follow(double *bias, double *variance, double residual, double noise, double ratio,
                   double decay) {
  const double largest = ratio * ratio * noise;
  const double kept = *variance > 0.0 ? decay * decay * *variance : 0.0;
  const double prior = *variance > 0.0 ? kept + (1.0 - decay * decay) * largest : largest;
  const double gain = prior / (prior + noise);
  *bias = decay * *bias + gain * (residual - decay * *bias);
  *variance = (1.0 - gain) * prior;
}

static void follow_vector(vec3 *bias, vec3 *variance, vec3 residual, vec3 noise, double ratio,
                          double decay) {
  follow(&bias->x, &variance->x, residual.x, noise.x, ratio, decay);
  follow(&bias->y, &variance->y, residual.y, noise.y, ratio, decay);
  follow(&bias->z, &variance->z, residual.z, noise.z, ratio, decay);
}

/* `a` of the parent as the child's origin would have it with the joint locked, child coordinates;
 * without the terms in omega, which `a` may lack. */
static struct motion carry(const struct link_bias *stage, size_t j, struct motion a) {
  const struct pose *parent = &stage->kin.X_BL[stage->robot->model.parent[j + 1]],
                    *child = &stage->kin.X_BL[j + 1];
  const vec3 ang_B = mat3_mul_vec3(&parent->R, a.ang), lin_B = mat3_mul_vec3(&parent->R, a.lin);
  const vec3 at_B = vec3_add(lin_B, vec3_cross(ang_B, vec3_sub(child->p, parent->p)));
  return (struct motion){mat3_tmul_vec3(&child->R, ang_B), mat3_tmul_vec3(&child->R, at_B)};
}

/* What the link reads beyond what its parent's reading and the joint's estimated motion ask for.
 * Carrying is linear: the estimate's own accelerations are carried along and taken out, so that of
 * the estimate only angular velocities and directions matter. */
static struct motion disagreement(const struct link_bias *stage, size_t j) {
  const size_t i = j + 1, p = (size_t)stage->robot->model.parent[i];
  const struct motion own = kinematics_a_L(&stage->kin, i), up = kinematics_a_L(&stage->kin, p);
  const struct motion *a = &stage->measured[i], *b = &stage->measured[p];
  const struct motion beyond =
      carry(stage, j, (struct motion){vec3_sub(b->ang, up.ang), vec3_sub(b->lin, up.lin)});
  return (struct motion){vec3_sub(vec3_sub(a->ang, own.ang), beyond.ang),
                         vec3_sub(vec3_sub(a->lin, own.lin), beyond.lin)};
}

/* The part along the joint is a state of the filter. */
static void clear_along_axis(const struct link_bias *stage, size_t j) {
  const struct joint *joint = &stage->robot->model.joint[j];
  struct motion *relative = &stage->relative[j + 1];
  vec3 *own = joint->type == JOINT_PRISMATIC ? &relative->lin : &relative->ang;
  *own = vec3_axpy(*own, -vec3_dot(joint->axis, *own), joint->axis);
}

static void learn_joint(struct link_bias *stage, size_t j, double decay) {
  const size_t i = j + 1;
  const double ratio = stage->settings.ratio;
  struct motion *relative = &stage->relative[i], *variance = &stage->variance[i];
  if (stage->observed[j]) {
    const struct motion residual = disagreement(stage, j), noise = stage->noise[i];
    follow_vector(&relative->ang, &variance->ang, residual.ang, noise.ang, ratio, decay);
    follow_vector(&relative->lin, &variance->lin, residual.lin, noise.lin, ratio, decay);
    clear_along_axis(stage, j);
  }
  const struct motion parent = carry(stage, j, stage->bias[stage->robot->model.parent[i]]);
  stage->bias[i] =
      (struct motion){vec3_add(parent.ang, relative->ang), vec3_add(parent.lin, relative->lin)};
}

/* Angular errors of the base are states of the filter; its force is what the IMU says. */
static void learn_base(struct link_bias *stage, vec3 force, double decay) {
  vec3 *relative = &stage->relative[0].lin;
  follow_vector(relative, &stage->variance[0].lin, vec3_sub(stage->measured[0].lin, force),
                stage->noise[0].lin, stage->settings.ratio, decay);
  stage->bias[0].lin = *relative;
}

void link_bias_step(struct link_bias *stage, struct motion_bank *bank, double dt,
                    const struct joint_layout *layout, const double *x, vec3 fixed_force,
                    const struct link_rows *block, size_t n_blocks, const vec3 *force) {
  if (!update_kinematics(stage, layout, x, fixed_force)) {
    return;
  }
  take_measured(stage, block, n_blocks);
  feed_bank(stage, bank);
  const double decay = exp(-dt / stage->settings.time_s);
  if (!stage->fixed_base && stage->has[0] && force != NULL) {
    learn_base(stage, *force, decay);
  }
  for (size_t j = 0; j < stage->robot->model.n_joints; j++) {
    learn_joint(stage, j, decay);
  }
}

double link_bias_prior(const struct link_bias *stage, size_t j) {
  return stage->observed[j] ? stage->settings.ratio * stage->settings.ratio * stage->along[j] : 0.0;
}

void link_bias_correct(const struct link_bias *stage, struct link_rows *rows) {
  const struct motion *bias = &stage->bias[rows->link];
  double b[SKIN_FUSION_SIZE];
  vec3_to(bias->ang, b + PART_OMEGADOT);
  vec3_to(bias->lin, b + PART_VDOT);
  for (unsigned i = 0; i < rows->rank; i++) {
    for (int k = 0; k < SKIN_FUSION_SIZE; k++) {
      rows->z[i] -= rows->W[i][k] * b[k];
    }
  }
}
