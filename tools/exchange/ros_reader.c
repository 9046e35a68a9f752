#include "exchange/ros_reader.h"

#include <math.h>
#include <string.h>

enum { CDR_HEAD = 4, MATRIX3 = 9, MOST_NAMES = 1024 };

/* A message, read member by member; `failed` once it ended too early. */
struct reader {
  const unsigned char *data;
  size_t size, at;
  bool failed;
};

static const void *take(struct reader *r, size_t align, size_t size) {
  const size_t behind = (r->at - CDR_HEAD) % align;
  const size_t at = r->at + (behind > 0 ? align - behind : 0);
  if (r->failed || at > r->size || size > r->size - at) {
    r->failed = true;
    return NULL;
  }
  r->at = at + size;
  return r->data + at;
}

static uint32_t take_u32(struct reader *r) {
  uint32_t value = 0;
  const void *from = take(r, sizeof(value), sizeof(value));
  if (from != NULL) {
    memcpy(&value, from, sizeof(value));
  }
  return value;
}

/* `*length` without the final zero. */
static const char *take_text(struct reader *r, size_t *length) {
  const uint32_t size = take_u32(r);
  const char *text = take(r, 1, size);
  *length = text != NULL && size > 0 ? size - 1 : 0;
  return text;
}

static void take_reals(struct reader *r, double *to, size_t count) {
  const void *from = take(r, sizeof(double), count * sizeof(double));
  if (from != NULL && to != NULL) {
    memcpy(to, from, count * sizeof(double));
  }
}

static struct reader begin(const void *data, size_t size) {
  const unsigned char *bytes = data;
  const bool known = size >= CDR_HEAD && bytes[0] == 0 && bytes[1] == 1; /* CDR, little-endian */
  return (struct reader){.data = bytes, .size = size, .at = CDR_HEAD, .failed = !known};
}

static int64_t take_header(struct reader *r) {
  size_t length;
  const int64_t seconds = (int32_t)take_u32(r), nanoseconds = take_u32(r);
  take_text(r, &length);
  return seconds * INT64_C(1000000000) + nanoseconds;
}

static int joint_named(const struct model *model, const char *name, size_t length) {
  for (size_t j = 0; j < model->n_joints; j++) {
    if (strlen(model->joint[j].name) == length && memcmp(model->joint[j].name, name, length) == 0) {
      return (int)j;
    }
  }
  return MODEL_NO_JOINT;
}

/* position, velocity or effort; an empty one is allowed. True when there were numbers. */
static bool take_array(struct reader *r, const int *joint, size_t names, double *to) {
  const size_t count = take_u32(r);
  const unsigned char *from = count > 0 ? take(r, sizeof(double), count * sizeof(double)) : NULL;
  for (size_t i = 0; from != NULL && i < count && i < names; i++) {
    if (joint[i] != MODEL_NO_JOINT) {
      memcpy(&to[joint[i]], from + i * sizeof(double), sizeof(double));
    }
  }
  return from != NULL && count == names;
}

enum status ros_read_joint_state(struct samples *samples, const void *data, size_t size) {
  struct reader r = begin(data, size);
  const size_t n = samples->robot->model.n_joints;
  int joint[MOST_NAMES];
  const int64_t t_ns = take_header(&r);
  const size_t names = take_u32(&r);
  if (r.failed || names > MOST_NAMES) {
    return STATUS_REFUSED;
  }
  bool any = false;
  for (size_t i = 0; i < names; i++) {
    size_t length;
    const char *name = take_text(&r, &length);
    joint[i] = name != NULL ? joint_named(&samples->robot->model, name, length) : MODEL_NO_JOINT;
    any = any || joint[i] != MODEL_NO_JOINT;
  }
  if (r.failed || !any) {
    return r.failed ? STATUS_REFUSED : STATUS_OK;
  }
  double *row = samples_add_joints(samples, t_ns);
  if (row == NULL) {
    return STATUS_NO_MEMORY;
  }
  take_array(&r, joint, names, row);
  const bool velocity = take_array(&r, joint, names, row + n);
  const bool effort = take_array(&r, joint, names, row + 2 * n);
  samples->has_velocity = samples->has_velocity || velocity;
  samples->has_effort = samples->has_effort || effort;
  if (r.failed) {
    samples->n_joint_samples--;
  }
  return r.failed ? STATUS_REFUSED : STATUS_OK;
}

enum status ros_read_imu(struct samples *samples, const void *data, size_t size) {
  struct reader r = begin(data, size);
  struct imu_sample sample = {.t_ns = take_header(&r)};
  double covariance[MATRIX3] = {0.0};
  take_reals(&r, sample.orientation, 4);
  take_reals(&r, covariance, MATRIX3);
  take_reals(&r, sample.angular_rate, 3);
  take_reals(&r, NULL, MATRIX3);
  take_reals(&r, sample.specific_force, 3);
  take_reals(&r, NULL, MATRIX3);
  if (r.failed) {
    return STATUS_REFUSED;
  }
  /* a covariance that begins with -1 says that there is none of it */
  if (covariance[0] == -1.0) {
    sample.orientation[0] = NAN;
  }
  samples->has_orientation = samples->has_orientation || !isnan(sample.orientation[0]);
  struct imu_sample *made = samples_add_imu(samples, sample.t_ns);
  if (made == NULL) {
    return STATUS_NO_MEMORY;
  }
  *made = sample;
  return STATUS_OK;
}
