#include "shm/sensor_input.h"

#include "common/clock.h"
#include "propriod/shm.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { FREE_LOOKS = 2 }; /* of a wait, before its pace holds */

/* Committing a frame is a system call: nobody commits more often than this. */
static const int64_t SHORTEST_COMMIT_NS = 1000;

/* What a frame's stamp says, given the last one accepted. */
enum stamp_verdict {
  STAMP_GOOD,
  STAMP_MISSING,
  STAMP_DUPLICATE,
  STAMP_REORDERED,
  STAMP_FUTURE,
  STAMP_LATE
};

static enum stamp_verdict judge_stamp(int64_t t_ns, int64_t last_ns, int64_t now_ns,
                                      int64_t limit_ns) {
  if (t_ns <= 0) {
    return STAMP_MISSING;
  }
  if (t_ns > now_ns + STAMP_FUTURE_LIMIT_NS) {
    return STAMP_FUTURE;
  }
  if (t_ns <= last_ns) {
    return t_ns == last_ns ? STAMP_DUPLICATE : STAMP_REORDERED;
  }
  return now_ns - t_ns > limit_ns ? STAMP_LATE : STAMP_GOOD;
}

static struct counter *counter_of(struct stream_diagnostics *d, enum stamp_verdict verdict) {
  switch (verdict) {
  case STAMP_MISSING:
    return &d->unstamped;
  case STAMP_DUPLICATE:
    return &d->duplicate;
  case STAMP_REORDERED:
    return &d->reordered;
  case STAMP_FUTURE:
    return &d->future;
  case STAMP_LATE:
    return &d->late;
  default:
    return &d->frames;
  }
}

static struct stream_stamp *stamp_of(struct sensor_frame *frame, unsigned kind) {
  struct stream_stamp *const stamps[] = {&frame->joints.stamp, &frame->imu.stamp,
                                         &frame->skin.stamp, &frame->wrench.stamp};
  return stamps[kind];
}

/* The model's joints in place of the stream's. */
static void sort_joints(struct sensor_input *input) {
  struct joints_reading *joints = &input->frame.joints;
  double **const array[] = {[JOINT_POSITIONS] = &joints->q,
                            [JOINT_VELOCITIES] = &joints->dq,
                            [JOINT_TORQUES] = &joints->tau};
  for (enum joint_quantity i = JOINT_POSITIONS; i <= JOINT_TORQUES; i++) {
    if (*array[i] != NULL) {
      joint_stream_take(&input->joints, input->n_joints, *array[i], i, input->sorted[i]);
      *array[i] = input->sorted[i];
    }
  }
}

/* Points the frame at the arrays last accepted. */
static void show_joints(struct sensor_input *input, const struct stream_reader *reader) {
  struct sensor_frame *frame = &input->frame;
  const struct propriod_shm_joints view = propriod_shm_view_joints(reader->arrays, reader->count);
  frame->joints.q = view.q;
  frame->joints.dq = reader->head.fields & PROPRIOD_SHM_VELOCITY ? view.dq : NULL;
  frame->joints.tau = reader->head.fields & PROPRIOD_SHM_EFFORT ? view.tau : NULL;
  if (input->n_joints > 0) {
    sort_joints(input);
  }
}

static void show_imu(struct sensor_input *input, const struct stream_reader *reader) {
  struct sensor_frame *frame = &input->frame;
  const struct propriod_shm_imu view = propriod_shm_view_imu(reader->arrays, reader->count);
  if (reader->count == 0) {
    return;
  }
  frame->imu.specific_force = vec3_from(view.specific_force);
  frame->imu.angular_rate = vec3_from(view.angular_rate);
  frame->imu.has_orientation = (reader->head.fields & PROPRIOD_SHM_ORIENTATION) != 0;
  frame->imu.orientation =
      (quat){view.orientation[0], view.orientation[1], view.orientation[2], view.orientation[3]};
  frame->imu.n_limbs = reader->count - 1;
  frame->imu.limb = input->limb;
  for (size_t k = 1; k < reader->count; k++) {
    input->limb[k - 1] = (struct imu_triads){vec3_from(view.specific_force + 3 * k),
                                             vec3_from(view.angular_rate + 3 * k)};
  }
}

static void show_skin(struct sensor_input *input, const struct stream_reader *reader) {
  struct sensor_frame *frame = &input->frame;
  const struct propriod_shm_skin view = propriod_shm_view_skin(reader->arrays, reader->count);
  frame->skin.n_cells = reader->count;
  frame->skin.acceleration = view.acceleration;
  frame->skin.flags = view.flags;
  frame->skin.proximity = reader->head.fields & PROPRIOD_SHM_PROXIMITY ? view.proximity : NULL;
  frame->skin.force = reader->head.fields & PROPRIOD_SHM_FORCE ? view.force : NULL;
}

static void show_wrench(struct sensor_input *input, const struct stream_reader *reader) {
  struct sensor_frame *frame = &input->frame;
  frame->wrench.n_sensors = reader->count;
  frame->wrench.wrench = (struct force *)(void *)reader->arrays; /* moment first, as on the wire */
}

_Static_assert(sizeof(struct force) == 6 * sizeof(double), "a wrench is six numbers");

static void show(struct sensor_input *input, const struct stream_reader *reader) {
  void (*const show_one[])(struct sensor_input *, const struct stream_reader *) = {
      show_joints, show_imu, show_skin, show_wrench};
  show_one[reader->kind](input, reader);
}

enum status sensor_input_init(struct sensor_input *input,
                              const struct sensor_input_settings *settings,
                              const uint32_t count[PROPRIOD_SHM_STREAMS],
                              struct diagnostics *diagnostics, struct arena *arena) {
  struct sensor_input made;
  memset(&made, 0, sizeof(made));
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    const enum status status = stream_reader_init(&made.reader[kind], kind, count[kind], arena);
    if (status != STATUS_OK) {
      return status;
    }
  }
  if (arena_is_counting(arena)) {
    return STATUS_OK;
  }
  made.diagnostics = diagnostics;
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    made.limit_ns[kind] = llround(settings->limit_s[kind] * 1e9);
    made.meaning[kind] = settings->stamp[kind];
  }
  memset(made.reader[PROPRIOD_SHM_SKIN].arrays, 0,
         propriod_shm_used(PROPRIOD_SHM_SKIN, count[PROPRIOD_SHM_SKIN], UINT32_MAX));
  *input = made;
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    show(input, &input->reader[kind]);
  }
  return STATUS_OK;
}

void sensor_input_sort(struct sensor_input *input, const struct joint_stream *joints,
                       size_t n_joints) {
  input->joints = *joints;
  input->n_joints = joints->plain ? 0 : n_joints;
  show(input, &input->reader[PROPRIOD_SHM_JOINTS]);
}

void sensor_input_attach(struct sensor_input *input, const struct segment *segment) {
  if (input->segment == segment) {
    return;
  }
  input->segment = segment;
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    stream_reader_attach(&input->reader[kind]);
    stream_clock_reset(&input->clock[kind]);
  }
}

void sensor_input_begin(struct sensor_input *input) {
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    stamp_of(&input->frame, kind)->fresh = false;
  }
}

/* When the frame just copied was sampled, by its stamp. How far stamps are from even is published
 * in either case. */
static int64_t sampled_at(struct sensor_input *input, unsigned kind) {
  const struct stream_reader *reader = &input->reader[kind];
  struct stream_clock *clock = &input->clock[kind];
  const int64_t by_clock_ns = stream_clock_step(clock, reader->head.seq / 2, reader->head.t_ns);
  atomic_store_explicit(&input->diagnostics->stream[kind].jitter_ns, llround(clock->jitter_ns),
                        memory_order_relaxed);
  return input->meaning[kind] == STAMP_ARRIVAL ? by_clock_ns : reader->head.t_ns;
}

/* Makes the frame just copied the stream's reading. */
static void accept(struct sensor_input *input, unsigned kind) {
  struct stream_reader *reader = &input->reader[kind];
  struct stream_stamp *stamp = stamp_of(&input->frame, kind);
  if (stamp->fresh) {
    counter_increment(&input->diagnostics->stream[kind].overtaken);
  }
  stream_reader_accept(reader);
  show(input, reader);
  stamp->fresh = true;
  stamp->present = true;
  stamp->seq = reader->head.seq / 2;
  stamp->t_ns = sampled_at(input, kind);
}

/* Counts the frames between the one looked at before and the newest. False: so many cannot have
 * been committed meanwhile, the number is nonsense. */
static bool count_lost(struct sensor_input *input, unsigned kind, uint64_t before, int64_t now_ns) {
  const uint64_t newest = input->reader[kind].seen;
  const int64_t since_ns = now_ns - input->looked_ns[kind];
  const uint64_t most = since_ns > 0 ? (uint64_t)(since_ns / SHORTEST_COMMIT_NS) + 1 : 1;
  input->looked_ns[kind] = now_ns;
  if (before == 0 || newest <= before + 1) {
    return true;
  }
  if (newest - before - 1 > most) {
    return false;
  }
  counter_add(&input->diagnostics->stream[kind].lost, newest - before - 1);
  return true;
}

/* Takes the stream's newest frame when there is a good one. */
static void take(struct sensor_input *input, unsigned kind, int64_t now_ns) {
  struct stream_reader *reader = &input->reader[kind];
  struct stream_diagnostics *d = &input->diagnostics->stream[kind];
  const uint64_t seen = reader->seen;
  const enum stream_news news =
      stream_reader_poll(reader, input->segment->base, &input->segment->layout.stream[kind]);
  if (news == STREAM_NOTHING_NEW) {
    return;
  }
  if (news == STREAM_TORN || news == STREAM_CORRUPT) {
    counter_increment(news == STREAM_TORN ? &d->torn : &d->corrupt);
    return;
  }
  if (!count_lost(input, kind, seen, now_ns)) {
    counter_increment(&d->corrupt);
    return;
  }
  const enum stamp_verdict verdict =
      judge_stamp(reader->next.t_ns, reader->head.t_ns, now_ns, input->limit_ns[kind]);
  counter_increment(counter_of(d, verdict));
  if (verdict == STAMP_GOOD) {
    accept(input, kind);
    atomic_store_explicit(&d->t_ns, stamp_of(&input->frame, kind)->t_ns, memory_order_relaxed);
  }
}

/* A stream that has been silent for too long is not present until its next good frame. */
static void watch_silence(struct sensor_input *input, unsigned kind, int64_t now_ns) {
  struct stream_stamp *stamp = stamp_of(&input->frame, kind);
  struct stream_diagnostics *d = &input->diagnostics->stream[kind];
  if (stamp->present && now_ns - stamp->t_ns > input->limit_ns[kind]) {
    stamp->present = false;
    counter_increment(&d->stale);
  }
  atomic_store_explicit(&d->present, stamp->present, memory_order_relaxed);
}

/* Sleeps until the joints stream's futex word is no longer `seen` or until the deadline. Returns at
 * once where the word cannot be read (its page was cut away), so the caller sleeps otherwise. */
static bool sleep_on(const struct segment *segment, uint32_t seen, int64_t deadline_ns) {
  const struct propriod_shm_control *control = segment_control(segment, PROPRIOD_SHM_JOINTS);
  const struct timespec deadline = {.tv_sec = deadline_ns / 1000000000,
                                    .tv_nsec = deadline_ns % 1000000000};
  return syscall(SYS_futex, &control->futex, FUTEX_WAIT_BITSET, seen, &deadline, NULL,
                 FUTEX_BITSET_MATCH_ANY) == 0 ||
         errno == EAGAIN || errno == EINTR || errno == ETIMEDOUT;
}

/* Where drivers write more often than the pace, their frames wait, and none can come that is not
 * before `not_before_ns` until then. */
static void keep_pace(const struct sensor_input *input, int looks, int64_t now_ns,
                      int64_t not_before_ns, int64_t deadline_ns) {
  const int64_t paced_ns = now_ns + input->pace_ns;
  const int64_t next_ns = paced_ns > not_before_ns ? paced_ns : not_before_ns;
  if (looks >= FREE_LOOKS && input->pace_ns > 0) {
    sleep_until(next_ns < deadline_ns ? next_ns : deadline_ns);
  }
}

bool sensor_input_wait(struct sensor_input *input, int64_t not_before_ns, int64_t deadline_ns) {
  const struct stream_stamp *stamp = &input->frame.joints.stamp;
  int64_t now_ns = propriod_shm_now_ns();
  for (int looks = 0; input->segment != NULL; looks++) {
    const uint32_t word = __atomic_load_n(
        &segment_control(input->segment, PROPRIOD_SHM_JOINTS)->futex, __ATOMIC_ACQUIRE);
    take(input, PROPRIOD_SHM_JOINTS, now_ns);
    if (stamp->fresh && stamp->t_ns >= not_before_ns) {
      return true;
    }
    if (now_ns >= deadline_ns) {
      return false;
    }
    keep_pace(input, looks, now_ns, not_before_ns, deadline_ns);
    if (!sleep_on(input->segment, word, deadline_ns)) {
      break;
    }
    now_ns = propriod_shm_now_ns();
  }
  sleep_until(deadline_ns);
  return false;
}

struct sensor_frame *sensor_input_take(struct sensor_input *input, int64_t now_ns) {
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    if (input->segment != NULL && input->reader[kind].count > 0) {
      take(input, kind, now_ns);
      watch_silence(input, kind, now_ns);
    }
  }
  return &input->frame;
}
