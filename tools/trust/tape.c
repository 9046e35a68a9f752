#include "tape.h"

#include "recording/recorded_cycle.h"
#include "shm/stream_clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRUE_COLUMNS = 4, COLUMNS = 6 }; /* of `joints`: four true, two read */

static enum status allocate(struct tape *tape, size_t skin_samples) {
  const size_t n = tape->robot->model.n_joints, cells = tape->robot->n_cells;
  const size_t count = tape->count;
  tape->frame = calloc(count, sizeof(*tape->frame));
  tape->truth = calloc(count, sizeof(*tape->truth));
  tape->joints = calloc(count * COLUMNS * n + 1, sizeof(*tape->joints));
  tape->wrench = calloc(count * tape->robot->n_wrench + 1, sizeof(*tape->wrench));
  tape->acceleration = calloc(skin_samples * 3 * cells + 1, sizeof(*tape->acceleration));
  tape->flags = calloc(skin_samples * cells + 1, sizeof(*tape->flags));
  const bool complete = tape->frame != NULL && tape->truth != NULL && tape->joints != NULL &&
                        tape->wrench != NULL && tape->acceleration != NULL && tape->flags != NULL;
  return complete ? STATUS_OK : STATUS_NO_MEMORY;
}

void tape_free(struct tape *tape) {
  free(tape->frame);
  free(tape->truth);
  free(tape->joints);
  free(tape->wrench);
  free(tape->acceleration);
  free(tape->flags);
  *tape = (struct tape){0};
}

static double *keep(double *to, const double *from, size_t n) {
  return from != NULL ? memcpy(to, from, n * sizeof(double)) : NULL;
}

static void keep_truth(struct tape *tape, size_t k, const struct sim_truth *truth) {
  const size_t n = tape->robot->model.n_joints;
  double *at = tape->joints + k * COLUMNS * n;
  struct sim_truth *kept = &tape->truth[k];
  *kept = *truth;
  kept->q = keep(at, truth->q, n);
  kept->dq = keep(at + n, truth->dq, n);
  kept->ddq = keep(at + 2 * n, truth->ddq, n);
  kept->tau = keep(at + 3 * n, truth->tau, n);
  kept->inertia = NULL;
}

/* `skin` counts the skin samples kept so far. */
static void keep_frame(struct tape *tape, size_t k, const struct sensor_frame *frame,
                       size_t *skin) {
  const size_t n = tape->robot->model.n_joints, cells = tape->robot->n_cells;
  double *at = tape->joints + (k * COLUMNS + TRUE_COLUMNS) * n;
  struct sensor_frame *kept = &tape->frame[k];
  *kept = *frame;
  kept->joints.q = keep(at, frame->joints.q, n);
  kept->joints.tau = keep(at + n, frame->joints.tau, n);
  kept->joints.dq = NULL;
  kept->skin.proximity = kept->skin.force = NULL;
  if (frame->wrench.wrench != NULL) {
    const size_t n_wrench = tape->robot->n_wrench;
    kept->wrench.wrench = tape->wrench + k * n_wrench;
    memcpy(kept->wrench.wrench, frame->wrench.wrench, n_wrench * sizeof(struct force));
  }
  if (frame->skin.stamp.fresh) {
    float *acceleration = tape->acceleration + *skin * 3 * cells;
    memcpy(acceleration, frame->skin.acceleration, 3 * cells * sizeof(float));
    memcpy(tape->flags + *skin * cells, frame->skin.flags, cells);
    ++*skin;
  }
  if (frame->skin.stamp.present) {
    kept->skin.acceleration = tape->acceleration + (*skin - 1) * 3 * cells;
    kept->skin.flags = tape->flags + (*skin - 1) * cells;
  }
}

/* Stamps of arrival become instants of sampling, as with `input.*_stamp: arrival`. */
static void date(struct tape *tape, size_t k, struct stream_clock clock[PROPRIOD_SHM_STREAMS]) {
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    struct stream_stamp *stamp = recorded_stamp(&tape->frame[k], kind);
    if (!tape->options.stream[kind].arrival_stamps || !stamp->present) {
      continue;
    }
    stamp->t_ns = stamp->fresh ? stream_clock_step(&clock[kind], stamp->seq, stamp->t_ns)
                               : clock[kind].given_ns;
  }
}

static enum status run(struct tape *tape, struct sim *sim, struct message *error) {
  size_t k = 0, skin = 0;
  struct stream_clock clock[PROPRIOD_SHM_STREAMS] = {0};
  enum status status;
  while (k < tape->count && (status = sim_step(sim)) == STATUS_OK) {
    if (sim_truth(sim)->fallen && strcmp(tape->options.scenario, "fall") != 0) {
      message_set(error, "robot %s fell after %.2f s", tape->robot->model.name,
                  (double)k * tape->period_s);
      return STATUS_REFUSED;
    }
    keep_truth(tape, k, sim_truth(sim));
    keep_frame(tape, k, sim_frame(sim), &skin);
    date(tape, k, clock);
    k++;
  }
  tape->count = k;
  if (status == STATUS_NOT_FINITE) {
    message_set(error, "the physics of %s blew up", tape->robot->model.name);
    return status;
  }
  return STATUS_OK;
}

enum status tape_record(struct tape *tape, const struct sim_options *options,
                        struct message *error) {
  struct sim_options plain = *options;
  plain.skin.has_proximity = plain.skin.has_force = false;
  plain.joints.has_velocity = false;
  struct sim *sim = NULL;
  enum status status = sim_create(&sim, &plain, error);
  if (status != STATUS_OK) {
    return status;
  }
  struct tape new = {
      .robot = options->robot, .options = plain, .period_s = 1.0 / options->frame_rate_hz};
  new.count = (size_t)ceil(sim_duration(sim) * options->frame_rate_hz) + 1;
  const double skin_hz = fmin(options->stream[PROPRIOD_SHM_SKIN].rate_hz, options->frame_rate_hz);
  status = allocate(&new, (size_t)ceil(sim_duration(sim) * skin_hz) + 2);
  if (status == STATUS_OK) {
    status = run(&new, sim, error);
  }
  sim_destroy(sim);
  if (status != STATUS_OK) {
    tape_free(&new);
    return status;
  }
  *tape = new;
  return STATUS_OK;
}

enum status frame_copy_init(struct frame_copy *copy, const struct robot *robot) {
  *copy = (struct frame_copy){.acceleration = calloc(3 * robot->n_cells + 1, sizeof(float)),
                              .flags = calloc(robot->n_cells + 1, 1)};
  return copy->acceleration != NULL && copy->flags != NULL ? STATUS_OK : STATUS_NO_MEMORY;
}

void frame_copy_free(struct frame_copy *copy) {
  free(copy->acceleration);
  free(copy->flags);
  *copy = (struct frame_copy){.acceleration = NULL};
}

void tape_take(const struct tape *tape, size_t k, struct frame_copy *copy) {
  const struct sensor_frame *from = &tape->frame[k];
  const size_t n = tape->robot->model.n_joints, cells = tape->robot->n_cells;
  struct sensor_frame *frame = &copy->frame;
  *frame = *from;
  frame->joints.q = keep(copy->q, from->joints.q, n);
  frame->joints.tau = keep(copy->tau, from->joints.tau, n);
  if (from->wrench.wrench != NULL) {
    frame->wrench.wrench =
        memcpy(copy->wrench, from->wrench.wrench, tape->robot->n_wrench * sizeof(struct force));
  }
  if (from->skin.acceleration != NULL) {
    if (from->skin.stamp.fresh) { /* otherwise as it was */
      memcpy(copy->acceleration, from->skin.acceleration, 3 * cells * sizeof(float));
      memcpy(copy->flags, from->skin.flags, cells);
    }
    frame->skin.acceleration = copy->acceleration;
    frame->skin.flags = copy->flags;
  }
}
