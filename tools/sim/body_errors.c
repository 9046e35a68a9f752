#include "body_errors.h"

#include "inertia/inertia.h"
#include "sim_random.h"

#include <stdlib.h>
#include <string.h>

enum { DRAW_LENGTHS = 500, DRAW_TILTS, DRAW_MASSES, DRAW_COMS, DRAW_FRICTION };

#define SHARE_MIN -0.9 /* a mass or friction keeps at least a tenth, whatever is drawn */

static vec3 normal3(struct sim_random *random, double sigma) {
  const double x = sim_normal(random), y = sim_normal(random), z = sim_normal(random);
  return (vec3){sigma * x, sigma * y, sigma * z};
}

struct inertia inertia_with_errors(const struct inertia *described, double heavier, vec3 off) {
  const struct pose moved = {MAT3_IDENTITY, off};
  const struct inertia body = inertia_transform(&moved, described);
  return inertia_axpy(&body, heavier, &body);
}

static void spoil_joints(struct real_body *body, const struct sim_options *options) {
  const struct sim_body_error *error = &options->body;
  struct sim_random lengths = sim_random_from(options->seed, DRAW_LENGTHS),
                    tilts = sim_random_from(options->seed, DRAW_TILTS),
                    friction = sim_random_from(options->seed, DRAW_FRICTION);
  for (size_t j = 0; j < body->robot.model.n_joints; j++) {
    struct joint *joint = &body->joint[j];
    const vec3 shift = normal3(&lengths, error->length), turn = normal3(&tilts, error->tilt);
    const mat3 R = mat3_from_quat(quat_from_rotation_vector(turn));
    const double rougher = 1.0 + fmax(error->friction * sim_normal(&friction), SHARE_MIN);
    joint->placement.p = vec3_add(joint->placement.p, shift);
    if (error->tilt > 0.0) {
      joint->placement.R = mat3_mul(&joint->placement.R, &R);
    }
    joint->viscous *= rougher;
    joint->coulomb *= rougher;
  }
}

static void spoil_inertias(struct real_body *body, const struct sim_options *options) {
  const struct sim_body_error *error = &options->body;
  struct sim_random masses = sim_random_from(options->seed, DRAW_MASSES),
                    coms = sim_random_from(options->seed, DRAW_COMS);
  for (size_t i = 0; i < body->robot.model.n_links; i++) {
    const double heavier = fmax(error->mass * sim_normal(&masses), SHARE_MIN);
    const vec3 off = normal3(&coms, error->com);
    if (error->mass > 0.0 || error->com > 0.0) {
      body->inertia[i] = inertia_with_errors(&body->inertia[i], heavier, off);
    }
  }
}

enum status real_body_init(struct real_body *body, const struct sim_options *options) {
  const struct model *model = &options->robot->model;
  struct real_body new = {.robot = *options->robot,
                          .joint = calloc(model->n_joints + 1, sizeof(*new.joint)),
                          .inertia = calloc(model->n_links, sizeof(*new.inertia))};
  if (new.joint == NULL || new.inertia == NULL) {
    real_body_free(&new);
    return STATUS_NO_MEMORY;
  }
  memcpy(new.joint, model->joint, model->n_joints * sizeof(*new.joint));
  memcpy(new.inertia, model->inertia, model->n_links * sizeof(*new.inertia));
  spoil_joints(&new, options);
  spoil_inertias(&new, options);
  new.robot.model.joint = new.joint;
  new.robot.model.inertia = new.inertia;
  *body = new;
  return STATUS_OK;
}

void real_body_free(struct real_body *body) {
  free(body->joint);
  free(body->inertia);
  *body = (struct real_body){0};
}
