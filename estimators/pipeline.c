#include "pipeline.h"

#include "kinematics.h"

#include <string.h>

struct pipeline {
  const struct robot *robot;
  struct pipeline_settings settings;
  struct kinematics kinematics;
  double *q;   /* [n_joints] last valid encoder readings, rad or m */
  bool *has_q; /* [n_joints] */
  uint64_t steps;
};

enum status pipeline_init(struct pipeline **pipeline, const struct robot *robot,
                          const struct pipeline_settings *settings, struct arena *arena) {
  const size_t n = robot->model.n_joints;
  struct pipeline counting = {0};
  struct pipeline *p = ARENA_ARRAY(arena, struct pipeline, 1);
  double *q = ARENA_ARRAY(arena, double, n);
  bool *has_q = ARENA_ARRAY(arena, bool, n);
  const enum status status =
      kinematics_init(p != NULL ? &p->kinematics : &counting.kinematics, &robot->model, arena);
  if (status != STATUS_OK || arena_is_counting(arena)) {
    return status;
  }
  if (arena->failed) {
    return STATUS_NO_MEMORY;
  }
  p->robot = robot;
  p->settings = *settings;
  p->q = q;
  p->has_q = has_q;
  *pipeline = p;
  return STATUS_OK;
}

/* Keeps the last finite reading of every encoder; true when every joint has had one. */
static bool take_encoders(struct pipeline *p, const struct joints_reading *joints) {
  bool complete = true;
  for (size_t j = 0; j < p->robot->model.n_joints; j++) {
    if (joints->stamp.fresh && isfinite(joints->q[j]) && fabs(joints->q[j]) < MOTION_LIMIT_Q) {
      p->q[j] = joints->q[j];
      p->has_q[j] = true;
    }
    complete = complete && p->has_q[j];
  }
  return complete;
}

static vec3 center_of_mass(const struct kinematics *kin) {
  const struct model *model = kin->model;
  vec3 moment = VEC3_ZERO;
  double mass = 0.0;
  for (size_t i = 0; i < model->n_links; i++) {
    const struct inertia *body = &model->inertia[i];
    moment = vec3_add(moment, mat3_mul_vec3(&kin->X_BL[i].R, body->h));
    moment = vec3_axpy(moment, body->m, kin->X_BL[i].p);
    mass += body->m;
  }
  return vec3_scale(1.0 / mass, moment);
}

void pipeline_step(struct pipeline *p, const struct sensor_frame *frame, struct estimates *out) {
  struct state_estimate *state = &out->state;
  struct centroidal_estimate *centroidal = &out->centroidal;
  const bool complete = take_encoders(p, &frame->joints);
  const enum estimate_status status = !complete                     ? ESTIMATE_INIT
                                      : frame->joints.stamp.present ? ESTIMATE_OK
                                                                    : ESTIMATE_STALE;
  state->seq = centroidal->seq = ++p->steps;
  state->t_ns = centroidal->t_ns = frame->t_ns;
  state->status = centroidal->status = status;
  state->estimated = centroidal->estimated = 0;
  state->n_joints = (uint32_t)p->robot->model.n_joints;
  centroidal->mass = model_mass(&p->robot->model);
  centroidal->estimated = CENTROIDAL_MASS;
  if (!complete || kinematics_update_position(&p->kinematics, p->q) != STATUS_OK) {
    return;
  }
  memcpy(state->q, p->q, p->robot->model.n_joints * sizeof(double));
  state->estimated = STATE_Q;
  centroidal->com_B = center_of_mass(&p->kinematics);
  centroidal->estimated |= CENTROIDAL_COM_B;
}

void pipeline_adopt(struct pipeline *p, const struct pipeline *previous) {
  p->steps = previous->steps;
  if (p->robot->model.n_joints == previous->robot->model.n_joints) {
    memcpy(p->q, previous->q, p->robot->model.n_joints * sizeof(double));
    memcpy(p->has_q, previous->has_q, p->robot->model.n_joints * sizeof(bool));
  }
}
