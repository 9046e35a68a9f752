#include "pipeline.h"

struct pipeline {
  const struct robot *robot;
  struct joint_filter *joints;
  struct centroidal_estimator *centroidal;
  uint64_t steps;
};

struct pipeline_settings pipeline_defaults(void) {
  return (struct pipeline_settings){
      .period_s = 1e-3, .joints = joint_filter_defaults(), .centroidal = centroidal_defaults()};
}

enum status pipeline_init(struct pipeline **pipeline, const struct robot *robot,
                          const struct pipeline_settings *settings, struct arena *arena) {
  struct pipeline counted = {0};
  struct pipeline *p = ARENA_ARRAY(arena, struct pipeline, 1);
  struct pipeline *into = p != NULL ? p : &counted;
  struct joint_filter_settings joints = settings->joints;
  joints.period_s = settings->period_s;
  enum status status = joint_filter_init(&into->joints, robot, &joints, arena);
  if (status == STATUS_OK) {
    status = centroidal_init(&into->centroidal, robot, &settings->centroidal, arena);
  }
  if (status != STATUS_OK || arena_is_counting(arena)) {
    return status;
  }
  if (arena->failed) {
    return STATUS_NO_MEMORY;
  }
  p->robot = robot;
  *pipeline = p;
  return STATUS_OK;
}

/* Joint torques are published as they were measured. */
static void pass_effort(const struct joints_reading *joints, struct state_estimate *state) {
  if (!joints->stamp.present || joints->tau == NULL) {
    return;
  }
  for (uint32_t j = 0; j < state->n_joints; j++) {
    if (!isfinite(joints->tau[j])) {
      return;
    }
    state->effort[j] = joints->tau[j];
  }
  state->estimated |= STATE_EFFORT;
}

void pipeline_step(struct pipeline *p, const struct sensor_frame *frame, struct estimates *out) {
  out->state.estimated = 0;
  joint_filter_step(p->joints, frame, &out->state);
  pass_effort(&frame->joints, &out->state);
  centroidal_estimate_step(p->centroidal, frame, p->robot->model.inertia, &out->state,
                           &out->centroidal);
  out->state.seq = out->centroidal.seq = ++p->steps;
}

const struct joint_filter_counters *pipeline_counters(const struct pipeline *p) {
  return joint_filter_counters(p->joints);
}

const struct cell_health *pipeline_cells(const struct pipeline *p) {
  return joint_filter_cells(p->joints);
}

void pipeline_adopt(struct pipeline *p, const struct pipeline *previous) {
  p->steps = previous->steps;
  if (joint_filter_adopt(p->joints, previous->joints) == STATUS_OK) {
    centroidal_adopt(p->centroidal, previous->centroidal);
  }
}
