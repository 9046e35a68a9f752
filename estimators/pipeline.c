#include "pipeline.h"

#include <string.h>

struct pipeline {
  const struct robot *robot;
  struct pipeline_settings settings;
  struct centroidal_estimator *centroidal;
  double *q;   /* [n_joints] last valid encoder readings, rad or m */
  bool *has_q; /* [n_joints] */
  uint64_t steps;
};

struct pipeline_settings pipeline_defaults(void) {
  return (struct pipeline_settings){.period_s = 1e-3, .centroidal = centroidal_defaults()};
}

enum status pipeline_init(struct pipeline **pipeline, const struct robot *robot,
                          const struct pipeline_settings *settings, struct arena *arena) {
  const size_t n = robot->model.n_joints;
  struct pipeline counted = {0};
  struct pipeline *p = ARENA_ARRAY(arena, struct pipeline, 1);
  double *q = ARENA_ARRAY(arena, double, n);
  bool *has_q = ARENA_ARRAY(arena, bool, n);
  struct pipeline *into = p != NULL ? p : &counted;
  const enum status status =
      centroidal_init(&into->centroidal, robot, &settings->centroidal, arena);
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

void pipeline_step(struct pipeline *p, const struct sensor_frame *frame, struct estimates *out) {
  struct state_estimate *state = &out->state;
  const bool complete = take_encoders(p, &frame->joints);
  state->seq = out->centroidal.seq = ++p->steps;
  state->t_ns = frame->t_ns;
  state->status = !complete                     ? ESTIMATE_INIT
                  : frame->joints.stamp.present ? ESTIMATE_OK
                                                : ESTIMATE_STALE;
  state->estimated = complete ? STATE_Q : 0;
  state->n_joints = (uint32_t)p->robot->model.n_joints;
  memcpy(state->q, p->q, p->robot->model.n_joints * sizeof(double));
  centroidal_estimate_step(p->centroidal, frame, p->robot->model.inertia, state, &out->centroidal);
}

void pipeline_adopt(struct pipeline *p, const struct pipeline *previous) {
  p->steps = previous->steps;
  if (p->robot->model.n_joints == previous->robot->model.n_joints) {
    memcpy(p->q, previous->q, p->robot->model.n_joints * sizeof(double));
    memcpy(p->has_q, previous->has_q, p->robot->model.n_joints * sizeof(bool));
    centroidal_adopt(p->centroidal, previous->centroidal);
  }
}
