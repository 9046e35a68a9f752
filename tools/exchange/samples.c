#include "exchange/samples.h"

#include "recording/recording_writer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ARRAYS = 3, LEVEL = 3 };

static const int64_t second_ns = INT64_C(1000000000);

/* Doubles the room for elements of `size` bytes when all is used. */
static bool make_room(void **data, size_t *room, size_t used, size_t size) {
  if (used < *room) {
    return true;
  }
  const size_t more = *room > 0 ? 2 * *room : 1024;
  void *grown = realloc(*data, more * size);
  if (grown != NULL) {
    *data = grown;
    *room = more;
  }
  return grown != NULL;
}

double *samples_add_joints(struct samples *s, int64_t t_ns) {
  const size_t width = ARRAYS * s->robot->model.n_joints;
  size_t room = s->joint_room;
  if (!make_room((void **)&s->joint_t_ns, &room, s->n_joint_samples, sizeof(int64_t)) ||
      !make_room((void **)&s->joint, &s->joint_room, s->n_joint_samples, width * sizeof(double))) {
    return NULL;
  }
  double *row = s->joint + width * s->n_joint_samples;
  for (size_t i = 0; i < width; i++) {
    row[i] = NAN;
  }
  s->joint_t_ns[s->n_joint_samples++] = t_ns;
  return row;
}

struct imu_sample *samples_add_imu(struct samples *s, int64_t t_ns) {
  if (!make_room((void **)&s->imu, &s->imu_room, s->n_imu_samples, sizeof(*s->imu))) {
    return NULL;
  }
  struct imu_sample *sample = &s->imu[s->n_imu_samples++];
  *sample = (struct imu_sample){.t_ns = t_ns, .orientation = {NAN, NAN, NAN, NAN}};
  return sample;
}

void samples_free(struct samples *s) {
  free(s->joint_t_ns);
  free(s->joint);
  free(s->imu);
  memset(s, 0, sizeof(*s));
}

/* -- in the order of time --------------------------------------------------------------------- */

/* A sample's place in what was read, by its stamp. */
struct place {
  int64_t t_ns;
  size_t index;
};

static int by_time(const void *a, const void *b) {
  const struct place *x = a, *y = b;
  return x->t_ns != y->t_ns ? (x->t_ns > y->t_ns) - (x->t_ns < y->t_ns)
                            : (x->index > y->index) - (x->index < y->index);
}

static struct place *sorted(const int64_t *t_ns, size_t stride, size_t count) {
  struct place *place = malloc((count + 1) * sizeof(*place));
  for (size_t i = 0; place != NULL && i < count; i++) {
    place[i] = (struct place){*(const int64_t *)(const void *)((const char *)t_ns + i * stride), i};
  }
  if (place != NULL) {
    qsort(place, count, sizeof(*place), by_time);
  }
  return place;
}

/* -- as a recording --------------------------------------------------------------------------- */

struct merge {
  const struct samples *samples;
  const struct place *joints, *imu;
  size_t next_imu;
  int64_t shift_ns; /* added to all stamps */
  struct recording_writer *writer;
};

static void take_joints(const struct merge *m, size_t i, struct sensor_frame *frame) {
  const struct samples *s = m->samples;
  const size_t n = s->robot->model.n_joints;
  double *row = s->joint + ARRAYS * n * m->joints[i].index;
  frame->joints = (struct joints_reading){.stamp = {.present = true,
                                                    .fresh = true,
                                                    .seq = i + 1,
                                                    .t_ns = m->joints[i].t_ns + m->shift_ns},
                                          .q = row,
                                          .dq = s->has_velocity ? row + n : NULL,
                                          .tau = s->has_effort ? row + 2 * n : NULL};
}

/* The newest sample up to the frame's instant; what lies between two cycles is passed over, as the
 * daemon does. */
static void take_imu(struct merge *m, struct sensor_frame *frame) {
  const struct samples *s = m->samples;
  const size_t before = m->next_imu;
  while (m->next_imu < s->n_imu_samples && m->imu[m->next_imu].t_ns + m->shift_ns <= frame->t_ns) {
    m->next_imu++;
  }
  frame->imu.stamp.fresh = m->next_imu > before;
  if (!frame->imu.stamp.fresh) {
    return;
  }
  const struct imu_sample *imu = &s->imu[m->imu[m->next_imu - 1].index];
  const double *f = imu->specific_force, *w = imu->angular_rate, *q = imu->orientation;
  frame->imu = (struct imu_reading){.stamp = {.present = true,
                                              .fresh = true,
                                              .seq = m->next_imu,
                                              .t_ns = imu->t_ns + m->shift_ns},
                                    .specific_force = {f[0], f[1], f[2]},
                                    .angular_rate = {w[0], w[1], w[2]},
                                    .has_orientation = !isnan(q[0]),
                                    .orientation = {q[0], q[1], q[2], q[3]}};
}

static enum status write_cycles(struct merge *m) {
  struct recorded_cycle cycle = {.generation = 1};
  enum status status = STATUS_OK;
  for (size_t i = 0; status == STATUS_OK && i < m->samples->n_joint_samples; i++) {
    if (i > 0 && m->joints[i].t_ns == m->joints[i - 1].t_ns) {
      continue; /* two samples of one instant: the first counts */
    }
    cycle.frame.t_ns = m->joints[i].t_ns + m->shift_ns;
    take_joints(m, i, &cycle.frame);
    take_imu(m, &cycle.frame);
    status = recording_add_cycle(m->writer, &cycle);
  }
  return status;
}

static enum status write_all(struct merge *m, const char *path, struct message *error) {
  const struct samples *s = m->samples;
  const struct recording_header header = {
      .count = {(uint32_t)s->robot->model.n_joints, s->n_imu_samples > 0, 0, 0},
      .model_hash = s->robot->model_hash,
      .wall_ns = -m->shift_ns};
  enum status status = recording_create(&m->writer, path, &header, LEVEL, error);
  if (status != STATUS_OK) {
    return status;
  }
  status = write_cycles(m);
  const enum status finished = recording_finish(m->writer);
  if (status != STATUS_OK || finished != STATUS_OK) {
    message_set(error, "%s: %s", path, strerror(errno));
    remove(path);
    return STATUS_REFUSED;
  }
  return STATUS_OK;
}

enum status samples_write(struct samples *s, const char *path, struct message *error) {
  if (s->n_joint_samples == 0) {
    message_set(error, "no sample of the joints");
    return STATUS_TOO_FEW;
  }
  struct place *joints = sorted(s->joint_t_ns, sizeof(int64_t), s->n_joint_samples);
  struct place *imu =
      sorted(s->n_imu_samples > 0 ? &s->imu->t_ns : NULL, sizeof(*s->imu), s->n_imu_samples);
  enum status status = STATUS_NO_MEMORY;
  if (joints != NULL && imu != NULL) {
    const int64_t first_ns = joints[0].t_ns;
    struct merge merge = {.samples = s,
                          .joints = joints,
                          .imu = imu,
                          .shift_ns = first_ns < second_ns ? second_ns - first_ns : 0};
    status = write_all(&merge, path, error);
  }
  free(joints);
  free(imu);
  return status;
}
