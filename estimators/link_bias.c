#include "link_bias.h"

#include "skin_fusion.h"

#include <math.h>

enum status link_bias_init(struct link_bias *stage, const struct robot *robot, bool fixed_base,
                           const struct link_bias_settings *settings, struct arena *arena) {
  if (!(settings->ang_sd > 0.0) || !(settings->lin_sd > 0.0) || !(settings->time_s > 0.0)) {
    return STATUS_OUT_OF_RANGE;
  }
  *stage = (struct link_bias){.settings = *settings, .robot = robot, .fixed_base = fixed_base};
  const struct model *model = &robot->model;
  stage->bias = ARENA_ARRAY(arena, struct motion, model->n_links);
  stage->variance = ARENA_ARRAY(arena, struct motion, model->n_links);
  stage->measured = ARENA_ARRAY(arena, struct motion, model->n_links);
  stage->noise = ARENA_ARRAY(arena, struct motion, model->n_links);
  stage->has = ARENA_ARRAY(arena, bool, model->n_links);
  stage->observed = ARENA_ARRAY(arena, bool, model->n_joints);
  const enum status status = kinematics_init(&stage->kin, model, arena);
  if (status == STATUS_OK && !arena_is_counting(arena)) {
    link_bias_reset(stage);
  }
  return status;
}

void link_bias_reset(struct link_bias *stage) {
  const double a = stage->settings.ang_sd * stage->settings.ang_sd,
               l = stage->settings.lin_sd * stage->settings.lin_sd;
  for (size_t i = 0; i < stage->robot->model.n_links; i++) {
    stage->bias[i] = (struct motion){VEC3_ZERO, VEC3_ZERO};
    stage->variance[i] = (struct motion){{a, a, a}, {l, l, l}};
  }
  for (size_t j = 0; j < stage->robot->model.n_joints; j++) {
    stage->observed[j] = false;
  }
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
    stage->noise[i] = (struct motion){{covariance[0][0], covariance[1][1], covariance[2][2]},
                                      {covariance[3][3], covariance[4][4], covariance[5][5]}};
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
  return vec3_add(a.lin, vec3_add(vec3_cross(a.ang, r), vec3_cross(w, vec3_cross(w, r))));
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

static void feed_bank(struct link_bias *stage, struct motion_bank *bank) {
  const struct model *model = &stage->robot->model;
  for (size_t j = 0; j < model->n_joints; j++) {
    stage->observed[j] = stage->has[j + 1] && stage->has[model->parent[j + 1]];
    if (stage->observed[j]) {
      double variance;
      const double ddq = relative_acceleration(stage, j, &variance);
      motion_bank_acceleration(bank, j, ddq, variance);
    }
  }
}

/* -- across the joints ------------------------------------------------------------------------ */

/* One number of a bias: forgets towards zero, takes the residual by its share. */
static void follow(double *bias, double *variance, double residual, double noise, double decay,
                   double sd) {
  const double prior = decay * decay * *variance + (1.0 - decay * decay) * sd * sd;
  const double gain = prior / (prior + noise);
  *bias = decay * *bias + gain * (residual - decay * *bias);
  *variance = (1.0 - gain) * prior;
}

static void follow_all(const struct link_bias *stage, size_t i, double decay, struct motion *bias,
                       struct motion *variance) {
  const struct motion *a = &stage->measured[i], *noise = &stage->noise[i];
  const struct motion predicted = kinematics_a_L(&stage->kin, i), *at = &predicted;
  const double ang = stage->settings.ang_sd, lin = stage->settings.lin_sd;
  follow(&bias->ang.x, &variance->ang.x, a->ang.x - at->ang.x, noise->ang.x, decay, ang);
  follow(&bias->ang.y, &variance->ang.y, a->ang.y - at->ang.y, noise->ang.y, decay, ang);
  follow(&bias->ang.z, &variance->ang.z, a->ang.z - at->ang.z, noise->ang.z, decay, ang);
  follow(&bias->lin.x, &variance->lin.x, a->lin.x - at->lin.x, noise->lin.x, decay, lin);
  follow(&bias->lin.y, &variance->lin.y, a->lin.y - at->lin.y, noise->lin.y, decay, lin);
  follow(&bias->lin.z, &variance->lin.z, a->lin.z - at->lin.z, noise->lin.z, decay, lin);
}

/* The bank knows the difference of the two links' biases along the axis; the parent's is known. */
static void set_along_axis(struct link_bias *stage, const struct motion_bank *bank, size_t j) {
  const struct joint *joint = &stage->robot->model.joint[j];
  const size_t i = j + 1, p = (size_t)stage->robot->model.parent[i];
  const vec3 axis_P = mat3_mul_vec3(&joint->placement.R, joint->axis);
  const bool slides = joint->type == JOINT_PRISMATIC;
  const vec3 parent = slides ? stage->bias[p].lin : stage->bias[p].ang;
  vec3 *own = slides ? &stage->bias[i].lin : &stage->bias[i].ang;
  const double wanted = bank->bias[j] + vec3_dot(axis_P, parent);
  *own = vec3_axpy(*own, wanted - vec3_dot(joint->axis, *own), joint->axis);
}

void link_bias_step(struct link_bias *stage, struct motion_bank *bank, double dt,
                    const struct joint_layout *layout, const double *x, vec3 fixed_force,
                    const struct link_rows *block, size_t n_blocks) {
  if (!update_kinematics(stage, layout, x, fixed_force)) {
    return;
  }
  take_measured(stage, block, n_blocks);
  feed_bank(stage, bank);
  motion_bank_weigh(bank);
  const double decay = exp(-dt / stage->settings.time_s);
  for (size_t i = stage->fixed_base ? 1 : 0; i < stage->robot->model.n_links; i++) {
    if (!stage->has[i]) {
      continue;
    }
    follow_all(stage, i, decay, &stage->bias[i], &stage->variance[i]);
    if (i > 0 && stage->observed[i - 1]) {
      set_along_axis(stage, bank, i - 1);
    }
  }
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
