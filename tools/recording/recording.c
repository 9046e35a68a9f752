#include "recording/recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[8] = "PPRDREC1";

struct recording {
  FILE *file;
  bool writing;
  bool (*move)(void *bytes, size_t size, FILE *file); /* to or from the file */
  struct recording_header header;
  struct sensor_frame frame; /* reading: over `memory` */
  void *memory;
};

static bool put(void *bytes, size_t size, FILE *file) {
  return fwrite(bytes, 1, size, file) == size;
}

static bool get(void *bytes, size_t size, FILE *file) {
  return fread(bytes, 1, size, file) == size;
}

/* One list of what is in the file serves both directions, so that they cannot drift apart. */
static bool pass(struct recording *r, void *bytes, size_t size) {
  if (size == 0) {
    return true;
  }
  if (bytes == NULL) {
    return false;
  }
  return r->move(bytes, size, r->file);
}

static bool pass_header(struct recording *r) {
  char mark[sizeof(magic)];
  struct recording_header *h = &r->header;
  memcpy(mark, magic, sizeof(mark));
  return pass(r, mark, sizeof(mark)) && memcmp(mark, magic, sizeof(mark)) == 0 &&
         pass(r, &h->n_joints, 4) && pass(r, &h->n_cells, 4) && pass(r, &h->n_wrench, 4) &&
         pass(r, &h->fields, 4) && pass(r, &h->model_hash, 8);
}

static bool pass_optional(struct recording *r, uint32_t field, void *bytes, size_t size) {
  return (r->header.fields & field) == 0 || pass(r, bytes, size);
}

static bool pass_stamp(struct recording *r, struct stream_stamp *stamp) {
  return pass(r, &stamp->seq, 8) && pass(r, &stamp->t_ns, 8);
}

static bool pass_joints(struct recording *r, struct joints_reading *joints) {
  const size_t size = r->header.n_joints * sizeof(double);
  return pass_stamp(r, &joints->stamp) && pass(r, joints->q, size) &&
         pass_optional(r, RECORDING_VELOCITY, joints->dq, size) &&
         pass_optional(r, RECORDING_EFFORT, joints->tau, size);
}

static bool pass_imu(struct recording *r, struct imu_reading *imu) {
  return pass_stamp(r, &imu->stamp) && pass(r, &imu->specific_force, sizeof(vec3)) &&
         pass(r, &imu->angular_rate, sizeof(vec3)) &&
         pass_optional(r, RECORDING_ORIENTATION, &imu->orientation, sizeof(quat));
}

static bool pass_skin(struct recording *r, struct skin_reading *skin) {
  const size_t n = r->header.n_cells;
  return pass_stamp(r, &skin->stamp) && pass(r, skin->acceleration, 3 * n * sizeof(float)) &&
         pass(r, skin->flags, n) &&
         pass_optional(r, RECORDING_PROXIMITY, skin->proximity, n * sizeof(float)) &&
         pass_optional(r, RECORDING_FORCE, skin->force, n * sizeof(float));
}

static bool pass_wrench(struct recording *r, struct wrench_reading *wrench) {
  return pass_stamp(r, &wrench->stamp) &&
         pass(r, wrench->wrench, r->header.n_wrench * sizeof(struct force));
}

/* The streams' stamps by number, as their bits count. */
static struct stream_stamp *stamp_of(struct sensor_frame *frame, int i) {
  struct stream_stamp *const stamps[] = {&frame->joints.stamp, &frame->imu.stamp,
                                         &frame->skin.stamp, &frame->wrench.stamp};
  return stamps[i];
}

enum { STREAMS = 4 };

/* Everything of a frame but its instant. */
static bool pass_rest(struct recording *r, struct sensor_frame *frame) {
  uint8_t present = 0, fresh = 0;
  for (int i = 0; i < STREAMS; i++) {
    present |= (uint8_t)(stamp_of(frame, i)->present << i);
    fresh |= (uint8_t)(stamp_of(frame, i)->fresh << i);
  }
  if (!pass(r, &present, 1) || !pass(r, &fresh, 1) || (fresh & ~present) != 0 ||
      present >> STREAMS != 0) {
    return false;
  }
  for (int i = 0; i < STREAMS && !r->writing; i++) {
    stamp_of(frame, i)->present = (present >> i & 1) != 0;
    stamp_of(frame, i)->fresh = (fresh >> i & 1) != 0;
  }
  return (!frame->joints.stamp.fresh || pass_joints(r, &frame->joints)) &&
         (!frame->imu.stamp.fresh || pass_imu(r, &frame->imu)) &&
         (!frame->skin.stamp.fresh || pass_skin(r, &frame->skin)) &&
         (!frame->wrench.stamp.fresh || pass_wrench(r, &frame->wrench));
}

static enum status refuse(struct recording *r, const char *path, const char *why,
                          struct message *error) {
  message_set(error, "%s: %s", path, why);
  recording_close(r);
  return STATUS_REFUSED;
}

static enum status open_file(struct recording **recording, const char *path, bool writing,
                             struct message *error) {
  struct recording *r = calloc(1, sizeof(*r));
  if (r == NULL) {
    return STATUS_NO_MEMORY;
  }
  r->writing = writing;
  r->move = writing ? put : get;
  r->file = fopen(path, writing ? "wbe" : "rbe");
  if (r->file == NULL) {
    return refuse(r, path, strerror(errno), error);
  }
  *recording = r;
  return STATUS_OK;
}

enum status recording_create(struct recording **recording, const char *path,
                             const struct recording_header *header, struct message *error) {
  struct recording *r;
  const enum status status = open_file(&r, path, true, error);
  if (status != STATUS_OK) {
    return status;
  }
  r->header = *header;
  if (!pass_header(r)) {
    return refuse(r, path, strerror(errno), error);
  }
  *recording = r;
  return STATUS_OK;
}

enum status recording_write(struct recording *recording, const struct sensor_frame *frame) {
  struct sensor_frame copy = *frame; /* the list above takes what it may also fill */
  return pass(recording, &copy.t_ns, 8) && pass_rest(recording, &copy) ? STATUS_OK : STATUS_REFUSED;
}

/* Arrays for a frame of this header's sizes, in one block: doubles, floats, bytes. */
static bool take_memory(struct recording *r) {
  const struct recording_header *h = &r->header;
  const size_t n = h->n_joints, c = h->n_cells, w = h->n_wrench;
  r->memory = calloc(1, (3 * n + 6 * w) * sizeof(double) + 5 * c * sizeof(float) + c + 1);
  if (r->memory == NULL) {
    return false;
  }
  double *d = r->memory;
  float *f = (void *)(d + 3 * n + 6 * w);
  struct sensor_frame *frame = &r->frame;
  frame->joints.q = d;
  frame->joints.dq = h->fields & RECORDING_VELOCITY ? d + n : NULL;
  frame->joints.tau = h->fields & RECORDING_EFFORT ? d + 2 * n : NULL;
  frame->imu.has_orientation = (h->fields & RECORDING_ORIENTATION) != 0;
  frame->wrench.n_sensors = w;
  frame->wrench.wrench = (void *)(d + 3 * n);
  frame->skin.n_cells = c;
  frame->skin.acceleration = f;
  frame->skin.proximity = h->fields & RECORDING_PROXIMITY ? f + 3 * c : NULL;
  frame->skin.force = h->fields & RECORDING_FORCE ? f + 4 * c : NULL;
  frame->skin.flags = (uint8_t *)(f + 5 * c);
  return true;
}

enum status recording_open(struct recording **recording, const char *path, struct message *error) {
  struct recording *r;
  const enum status status = open_file(&r, path, false, error);
  if (status != STATUS_OK) {
    return status;
  }
  const struct recording_header *h = &r->header;
  if (!pass_header(r)) {
    return refuse(r, path, "not a recording of this version", error);
  }
  if (h->n_joints > MODEL_MAX_JOINTS || h->n_cells > ROBOT_MAX_CELLS ||
      h->n_wrench > ROBOT_MAX_WRENCH) {
    return refuse(r, path, "more joints, cells or sensors than a robot can have", error);
  }
  if (!take_memory(r)) {
    return refuse(r, path, "no memory", error);
  }
  *recording = r;
  return STATUS_OK;
}

const struct recording_header *recording_header(const struct recording *recording) {
  return &recording->header;
}

enum status recording_read(struct recording *recording, const struct sensor_frame **frame) {
  const size_t got = fread(&recording->frame.t_ns, 1, 8, recording->file);
  if (got == 0 && feof(recording->file)) {
    return STATUS_OUT_OF_RANGE;
  }
  if (got != 8 || !pass_rest(recording, &recording->frame)) {
    return STATUS_REFUSED;
  }
  *frame = &recording->frame;
  return STATUS_OK;
}

enum status recording_close(struct recording *recording) {
  if (recording == NULL) {
    return STATUS_OK;
  }
  const bool closed = recording->file == NULL || fclose(recording->file) == 0;
  free(recording->memory);
  free(recording);
  return closed ? STATUS_OK : STATUS_REFUSED;
}
