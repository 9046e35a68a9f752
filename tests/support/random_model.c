#include "support/random_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arena test_arena(size_t bytes) {
  const size_t padded = (bytes + ARENA_ALIGN) / ARENA_ALIGN * ARENA_ALIGN;
  void *block = aligned_alloc(ARENA_ALIGN, padded);
  require(block != NULL);
  return arena_over(block, padded);
}

vec3 random_vec3(struct random *random, double scale) {
  const double x = random_uniform(random, -scale, scale), y = random_uniform(random, -scale, scale);
  return (vec3){x, y, random_uniform(random, -scale, scale)};
}

static vec3 random_unit(struct random *random) {
  const vec3 v = {random_normal(random), random_normal(random), random_normal(random)};
  return vec3_scale(1.0 / vec3_norm(v), v);
}

mat3 random_rotation(struct random *random) {
  const quat q = {random_normal(random), random_normal(random), random_normal(random),
                  random_normal(random)};
  return mat3_from_quat(q);
}

static void add_point_mass(struct inertia *I, double m, vec3 r) {
  I->m += m;
  I->h = vec3_axpy(I->h, m, r);
  I->Ixx += m * (r.y * r.y + r.z * r.z);
  I->Iyy += m * (r.x * r.x + r.z * r.z);
  I->Izz += m * (r.x * r.x + r.y * r.y);
  I->Ixy -= m * r.x * r.y;
  I->Ixz -= m * r.x * r.z;
  I->Iyz -= m * r.y * r.z;
}

struct inertia random_inertia_near(struct random *random, vec3 centre) {
  struct inertia I = {0};
  for (int i = 0; i < 6; i++) {
    const double m = random_uniform(random, 0.05, 1.0);
    add_point_mass(&I, m, vec3_add(centre, random_vec3(random, 0.2)));
  }
  return I;
}

static vec3 random_axis(struct random *random, bool axis_only) {
  if (!axis_only) {
    return random_unit(random);
  }
  const double sign = random_uniform(random, -1.0, 1.0) < 0.0 ? -1.0 : 1.0;
  const double which = random_uniform(random, 0.0, 3.0);
  return which < 1.0   ? (vec3){sign, 0.0, 0.0}
         : which < 2.0 ? (vec3){0.0, sign, 0.0}
                       : (vec3){0.0, 0.0, sign};
}

static struct joint random_joint(struct random *random, struct random_model_options options) {
  struct joint joint = {.type = JOINT_REVOLUTE,
                        .axis = random_axis(random, options.axis_only),
                        .q_min = -3.0,
                        .q_max = 3.0,
                        .dq_max = HUGE_VAL,
                        .tau_max = HUGE_VAL,
                        .mimics = MODEL_NO_JOINT};
  joint.placement = (struct pose){random_rotation(random), random_vec3(random, 0.3)};
  const double kind = random_uniform(random, 0.0, 1.0);
  if (kind < 0.2 && !options.no_slides) {
    joint.type = JOINT_PRISMATIC;
    joint.q_min = -0.5;
    joint.q_max = 0.5;
  } else if (kind < 0.4) {
    joint.type = JOINT_CONTINUOUS;
    joint.q_min = -HUGE_VAL;
    joint.q_max = HUGE_VAL;
  }
  if (options.losses) {
    joint.rotor_inertia = random_uniform(random, 0.0, 0.3);
    joint.viscous = random_uniform(random, 0.0, 2.0);
    joint.coulomb = random_uniform(random, 0.0, 1.0);
  }
  return joint;
}

struct model *random_model(struct random *random, struct random_model_options options) {
  const size_t n = options.n_joints;
  struct model *model = calloc(1, sizeof(*model));
  *model = (struct model){.name = "random",
                          .n_joints = n,
                          .n_links = n + 1,
                          .link_name = calloc(n + 1, MODEL_NAME_SIZE),
                          .parent = calloc(n + 1, sizeof(int)),
                          .joint = calloc(n + 1, sizeof(struct joint)),
                          .inertia = calloc(n + 1, sizeof(struct inertia))};
  for (size_t i = 0; i <= n; i++) {
    snprintf(model->link_name[i], MODEL_NAME_SIZE, "link%zu", i);
    model->inertia[i] = random_inertia_near(random, random_vec3(random, 0.2));
  }
  model->parent[0] = -1;
  for (size_t j = 0; j < n; j++) {
    model->parent[j + 1] =
        options.chain ? (int)j : (int)random_uniform(random, 0.0, (double)j + 1.0);
    model->joint[j] = random_joint(random, options);
    snprintf(model->joint[j].name, MODEL_NAME_SIZE, "joint%zu", j);
  }
  return model;
}

void random_state(struct random *random, const struct model *model, struct random_state *state) {
  for (size_t j = 0; j < model->n_joints; j++) {
    const struct joint *joint = &model->joint[j];
    state->q[j] = random_uniform(random, fmax(joint->q_min, -3.1), fmin(joint->q_max, 3.1));
    state->dq[j] = random_uniform(random, -3.0, 3.0);
    state->ddq[j] = random_uniform(random, -20.0, 20.0);
  }
  state->motion = (struct robot_motion){.q = state->q, .dq = state->dq, .ddq = state->ddq};
  state->motion.base =
      (struct base_motion){.X_WB = {random_rotation(random), random_vec3(random, 2.0)},
                           .v_B = {random_vec3(random, 2.0), random_vec3(random, 1.0)},
                           .a_B = {random_vec3(random, 10.0), random_vec3(random, 15.0)}};
}
