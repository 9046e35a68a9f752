#include "burst_fault.h"

#include <stdlib.h>
#include <string.h>

enum { DRAW_TARGET = 600, DRAW_NOISE };

static const char *const sensor_names[BURST_SENSORS] = {"accelerometer", "gyro", "imu",   "limb",
                                                        "link",          "skin", "forces"};

const char *burst_sensor_name(size_t sensor) {
  return sensor < BURST_SENSORS ? sensor_names[sensor] : NULL;
}

static size_t children(const struct model *model, size_t link) {
  size_t count = 0;
  for (size_t i = 1; i < model->n_links; i++) {
    count += model->parent[i] == (int)link;
  }
  return count;
}

/* The limb of joint j: up and down from it, as far as the tree does not branch. */
static void find_limb(struct burst *burst, size_t j) {
  const struct model *model = &burst->tape->robot->model;
  size_t link = j + 1;
  while (model->parent[link] > 0 && children(model, (size_t)model->parent[link]) == 1) {
    link = (size_t)model->parent[link];
  }
  burst->joint[link - 1] = true;
  for (size_t i = link + 1; i < model->n_links; i++) {
    const size_t parent = (size_t)model->parent[i];
    burst->joint[i - 1] = parent > 0 && burst->joint[parent - 1] && children(model, parent) == 1;
  }
}

/* A link with cells, the one that the draw falls on. */
static size_t choose_link(const struct robot *robot, uint64_t draw) {
  return robot->cell[draw % robot->n_cells].link;
}

/* The stream that a sensor belongs to. */
static struct stream_stamp *stamp_of(struct sensor_frame *frame, enum burst_sensor sensor) {
  switch (sensor) {
  case BURST_LIMB:
    return &frame->joints.stamp;
  case BURST_LINK:
  case BURST_SKIN:
    return &frame->skin.stamp;
  case BURST_FORCES:
    return &frame->wrench.stamp;
  default:
    return &frame->imu.stamp;
  }
}

static bool exists(const struct tape *tape, enum burst_sensor sensor) {
  struct sensor_frame *last = &tape->frame[tape->count - 1];
  const bool imu_unused = tape->robot->fixed_base && sensor <= BURST_IMU;
  return stamp_of(last, sensor)->present && !imu_unused;
}

bool burst_init(struct burst *burst, const struct burst_fault *fault, const struct tape *tape) {
  *burst = (struct burst){.fault = *fault,
                          .tape = tape,
                          .first = SIZE_MAX,
                          .random = sim_random_from(fault->seed, DRAW_NOISE)};
  if (!exists(tape, fault->sensor) || frame_copy_init(&burst->held, tape->robot) != STATUS_OK) {
    return false;
  }
  struct sim_random target = sim_random_from(fault->seed, DRAW_TARGET);
  const uint64_t draw = sim_random_next(&target);
  if (fault->sensor == BURST_LIMB) {
    find_limb(burst, draw % tape->robot->model.n_joints);
  }
  if (fault->sensor == BURST_LINK) {
    burst->link = choose_link(tape->robot, draw);
  }
  /* from the first sample that falls into it */
  const size_t start = (size_t)llround(fault->start_s / tape->period_s);
  const size_t length = (size_t)llround(fault->length_s / tape->period_s);
  for (size_t k = start; k < tape->count && (burst->first == SIZE_MAX || k < burst->first + length);
       k++) {
    if (stamp_of(&tape->frame[k], fault->sensor)->fresh) {
      burst->first = burst->first == SIZE_MAX ? k : burst->first;
      burst->last = k;
    }
  }
  return burst->first != SIZE_MAX && burst->last + 1 < tape->count;
}

void burst_free(struct burst *burst) {
  frame_copy_free(&burst->held);
}

const char *burst_target(const struct burst *burst) {
  const struct model *model = &burst->tape->robot->model;
  if (burst->fault.sensor == BURST_LINK) {
    return model->link_name[burst->link];
  }
  for (size_t j = 0; burst->fault.sensor == BURST_LIMB && j < model->n_joints; j++) {
    if (burst->joint[j]) {
      return model->joint[j].name;
    }
  }
  return "";
}

static vec3 spoil3(struct burst *burst, const struct burst_channel *channel, vec3 right, vec3 held,
                   int offset_axis) {
  return burst_spoil3(burst->fault.kind, channel, right, held, offset_axis, &burst->random);
}

static void spoil_imu(struct burst *burst, struct frame_copy *copy) {
  const struct sim_imu_noise *noise = &burst->tape->options.imu;
  const struct burst_channel force = {BURST_FULL_ACCELEROMETER, BURST_OFFSET_FORCE,
                                      noise->force_white},
                             rate = {BURST_FULL_GYRO, BURST_OFFSET_RATE, noise->rate_white};
  struct imu_reading *imu = &copy->frame.imu;
  const struct imu_reading *held = &burst->held.frame.imu;
  if (burst->fault.sensor != BURST_GYRO) {
    imu->specific_force = spoil3(burst, &force, imu->specific_force, held->specific_force, 0);
  }
  if (burst->fault.sensor != BURST_ACCELEROMETER) {
    imu->angular_rate = spoil3(burst, &rate, imu->angular_rate, held->angular_rate, 1);
  }
}

static void spoil_joints(struct burst *burst, struct frame_copy *copy) {
  const struct sim_joint_noise *noise = &burst->tape->options.joints;
  const struct burst_channel encoder = {BURST_FULL_ENCODER, BURST_OFFSET_ENCODER,
                                        fmax(noise->white, noise->quantum / sqrt(12.0))};
  for (size_t j = 0; j < burst->tape->robot->model.n_joints; j++) {
    if (burst->joint[j]) {
      copy->q[j] =
          burst_spoil(burst->fault.kind, &encoder, copy->q[j], burst->held.q[j], &burst->random);
    }
  }
}

static void spoil_skin(struct burst *burst, struct frame_copy *copy) {
  const struct robot *robot = burst->tape->robot;
  const struct burst_channel cell = {BURST_FULL_CELL, BURST_OFFSET_FORCE,
                                     burst->tape->options.skin.white};
  for (size_t i = 0; i < robot->n_cells; i++) {
    if (burst->fault.sensor == BURST_SKIN || robot->cell[i].link == burst->link) {
      for (size_t axis = 3 * i; axis < 3 * i + 3; axis++) {
        float *a = &copy->acceleration[axis];
        *a = (float)burst_spoil(burst->fault.kind, &cell, (double)*a,
                                (double)burst->held.acceleration[axis], &burst->random);
      }
    }
  }
}

static void spoil_forces(struct burst *burst, struct frame_copy *copy) {
  const struct sim_wrench_noise *noise = &burst->tape->options.wrench;
  const struct burst_channel force = {BURST_FULL_FORCE, BURST_OFFSET_WRENCH, noise->force_white},
                             moment = {0.1 * BURST_FULL_FORCE, 0.1 * BURST_OFFSET_WRENCH,
                                       noise->moment_white};
  for (size_t i = 0; i < burst->tape->robot->n_wrench; i++) {
    const struct force held = burst->held.wrench[i];
    copy->wrench[i].lin = spoil3(burst, &force, copy->wrench[i].lin, held.lin, 2);
    copy->wrench[i].ang = spoil3(burst, &moment, copy->wrench[i].ang, held.ang, 0);
  }
}

void burst_apply(struct burst *burst, size_t k, struct frame_copy *copy) {
  if (k < burst->first || k > burst->last || !stamp_of(&copy->frame, burst->fault.sensor)->fresh) {
    return;
  }
  if (burst->fault.kind == BURST_SILENT) {
    stamp_of(&copy->frame, burst->fault.sensor)->fresh = false;
    return;
  }
  if (!burst->holds) { /* what it froze at */
    tape_take(burst->tape, burst->first, &burst->held);
    burst->holds = true;
  }
  switch (burst->fault.sensor) {
  case BURST_LIMB:
    spoil_joints(burst, copy);
    break;
  case BURST_LINK:
  case BURST_SKIN:
    spoil_skin(burst, copy);
    break;
  case BURST_FORCES:
    spoil_forces(burst, copy);
    break;
  default:
    spoil_imu(burst, copy);
  }
}
