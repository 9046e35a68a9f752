#include "replay/feed.h"

static const int64_t retry_ns = 1000000000;

void feed_init(struct feed *feed, const char *segment, const uint32_t count[PROPRIOD_SHM_STREAMS]) {
  *feed = (struct feed){.segment = segment};
  for (int i = 0; i < PROPRIOD_SHM_STREAMS; i++) {
    feed->stream[i].count = count[i];
    feed->stream[i].wanted = count[i] > 0;
    feed->stream[i].shm.fd = -1;
  }
}

/* The optional arrays that this frame has of a stream. */
static uint32_t fields_of(const struct sensor_frame *frame, int kind) {
  switch ((enum propriod_shm_kind)kind) {
  case PROPRIOD_SHM_JOINTS:
    return (frame->joints.dq != NULL ? PROPRIOD_SHM_VELOCITY : 0u) |
           (frame->joints.tau != NULL ? PROPRIOD_SHM_EFFORT : 0u);
  case PROPRIOD_SHM_IMU:
    return frame->imu.has_orientation ? PROPRIOD_SHM_ORIENTATION : 0u;
  case PROPRIOD_SHM_SKIN:
    return (frame->skin.proximity != NULL ? PROPRIOD_SHM_PROXIMITY : 0u) |
           (frame->skin.force != NULL ? PROPRIOD_SHM_FORCE : 0u);
  case PROPRIOD_SHM_WRENCH:
  case PROPRIOD_SHM_STREAMS:
    break;
  }
  return 0;
}

static const struct stream_stamp *stamp_of(const struct sensor_frame *frame, int kind) {
  const struct stream_stamp *const stamp[PROPRIOD_SHM_STREAMS] = {
      &frame->joints.stamp, &frame->imu.stamp, &frame->skin.stamp, &frame->wrench.stamp};
  return stamp[kind];
}

/* What a driver does not supply, but what lies before something that it does, is NaN. */
static void copy_or_nan(double *out, const double *in, size_t n) {
  for (size_t i = 0; i < n; i++) {
    out[i] = in != NULL ? in[i] : (double)NAN;
  }
}

static void write_joints(const struct feed *feed, struct propriod_shm *shm,
                         const struct joints_reading *joints) {
  const struct propriod_shm_joints out = propriod_shm_begin_joints(shm);
  double *const to[] = {
      [JOINT_POSITIONS] = out.q, [JOINT_VELOCITIES] = out.dq, [JOINT_TORQUES] = out.tau};
  const double *const from[] = {[JOINT_POSITIONS] = joints->q,
                                [JOINT_VELOCITIES] = joints->dq,
                                [JOINT_TORQUES] = joints->tau};
  const bool plain = feed->joints == NULL || feed->joints->plain;
  for (enum joint_quantity i = JOINT_POSITIONS; i <= JOINT_TORQUES; i++) {
    copy_or_nan(to[i], plain ? from[i] : NULL, shm->count);
    if (!plain && from[i] != NULL) {
      joint_stream_give(feed->joints, feed->n_joints, from[i], i, to[i]);
    }
  }
}

static void write_imu(struct propriod_shm *shm, const struct imu_reading *imu) {
  const struct propriod_shm_imu out = propriod_shm_begin_imu(shm);
  vec3_to(imu->specific_force, out.specific_force);
  vec3_to(imu->angular_rate, out.angular_rate);
  const quat q = imu->orientation;
  copy_or_nan(out.orientation, (const double[]){q.x, q.y, q.z, q.w}, 4);
  for (size_t k = 1; k < shm->count; k++) {
    const vec3 none = {(double)NAN, (double)NAN, (double)NAN};
    const bool given = k - 1 < imu->n_limbs;
    vec3_to(given ? imu->limb[k - 1].specific_force : none, out.specific_force + 3 * k);
    vec3_to(given ? imu->limb[k - 1].angular_rate : none, out.angular_rate + 3 * k);
    copy_or_nan(out.orientation + 4 * k, NULL, 4);
  }
}

static void write_skin(struct propriod_shm *shm, const struct skin_reading *skin) {
  const struct propriod_shm_skin out = propriod_shm_begin_skin(shm);
  for (size_t i = 0; i < shm->count; i++) {
    memcpy(&out.acceleration[3 * i], &skin->acceleration[3 * i], 3 * sizeof(float));
    out.flags[i] = skin->flags[i];
    out.proximity[i] = skin->proximity != NULL ? skin->proximity[i] : NAN;
    out.force[i] = skin->force != NULL ? skin->force[i] : NAN;
  }
}

static void write_wrench(struct propriod_shm *shm, const struct wrench_reading *wrench) {
  const struct propriod_shm_wrench out = propriod_shm_begin_wrench(shm);
  for (size_t k = 0; k < shm->count; k++) {
    vec3_to(wrench->wrench[k].ang, &out.wrench[6 * k]);
    vec3_to(wrench->wrench[k].lin, &out.wrench[6 * k + 3]);
  }
}

static bool is_open(struct feed *feed, int kind, const struct sensor_frame *frame, int64_t now_ns) {
  struct feed_stream *stream = &feed->stream[kind];
  if (!stream->open && now_ns >= stream->next_try_ns) {
    stream->next_try_ns = now_ns + retry_ns;
    stream->open = propriod_shm_open(&stream->shm, feed->segment, (enum propriod_shm_kind)kind,
                                     stream->count, fields_of(frame, kind), stream->why) == 0;
  }
  return stream->open;
}

static void write_stream(struct feed *feed, int kind, const struct sensor_frame *frame) {
  struct feed_stream *stream = &feed->stream[kind];
  switch ((enum propriod_shm_kind)kind) {
  case PROPRIOD_SHM_JOINTS:
    write_joints(feed, &stream->shm, &frame->joints);
    break;
  case PROPRIOD_SHM_IMU:
    write_imu(&stream->shm, &frame->imu);
    break;
  case PROPRIOD_SHM_SKIN:
    write_skin(&stream->shm, &frame->skin);
    break;
  case PROPRIOD_SHM_WRENCH:
    write_wrench(&stream->shm, &frame->wrench);
    break;
  case PROPRIOD_SHM_STREAMS:
    return;
  }
  stream->written++;
  if (propriod_shm_commit(&stream->shm, stamp_of(frame, kind)->t_ns) != 0) {
    snprintf(stream->why, sizeof(stream->why), "segment %s was removed or replaced", feed->segment);
    propriod_shm_close(&stream->shm);
    stream->open = false;
  }
}

/* The joints come last: a new joints frame starts the daemon's cycle, and by then everything of the
 * same instant shall be there. */
void feed_write(struct feed *feed, const struct sensor_frame *frame, int64_t now_ns) {
  static const int order[PROPRIOD_SHM_STREAMS] = {PROPRIOD_SHM_IMU, PROPRIOD_SHM_SKIN,
                                                  PROPRIOD_SHM_WRENCH, PROPRIOD_SHM_JOINTS};
  for (int i = 0; i < PROPRIOD_SHM_STREAMS; i++) {
    const int kind = order[i];
    if (feed->stream[kind].wanted && stamp_of(frame, kind)->fresh &&
        is_open(feed, kind, frame, now_ns)) {
      write_stream(feed, kind, frame);
    }
  }
}

const char *feed_complaint(const struct feed *feed) {
  for (int i = 0; i < PROPRIOD_SHM_STREAMS; i++) {
    const struct feed_stream *stream = &feed->stream[i];
    if (stream->wanted && !stream->open && stream->why[0] != '\0') {
      return stream->why;
    }
  }
  return NULL;
}

void feed_close(struct feed *feed) {
  for (int i = 0; i < PROPRIOD_SHM_STREAMS; i++) {
    propriod_shm_close(&feed->stream[i].shm);
    feed->stream[i].open = false;
  }
}
