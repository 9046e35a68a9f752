#include "publish/state_export.h"

#include "publish/encode_centroidal.h"
#include "publish/encode_state.h"
#include "shm/mapping_guard.h"

#include <assert.h>
#include <errno.h>
#include <grp.h>
#include <stdbool.h>
#include <stdio.h>

enum { STATE_MODE = 0640 };

static_assert(PROPRIOD_STATE_MAX_JOINTS == MODEL_MAX_JOINTS, "readers know all joints");
static_assert(PROPRIOD_STATE_MAX_FEET == ESTIMATE_MAX_FEET, "readers know all feet");
static_assert(PROPRIOD_STATUS_INIT == ESTIMATE_INIT && PROPRIOD_STATUS_OK == ESTIMATE_OK &&
                  PROPRIOD_STATUS_DEGRADED == ESTIMATE_DEGRADED &&
                  PROPRIOD_STATUS_DIVERGED == ESTIMATE_DIVERGED &&
                  PROPRIOD_STATUS_STALE == ESTIMATE_STALE,
              "readers know every status");
static_assert(PROPRIOD_STATE_Q == STATE_Q && PROPRIOD_STATE_DQ == STATE_DQ &&
                  PROPRIOD_STATE_DDQ == STATE_DDQ && PROPRIOD_STATE_JERK == STATE_JERK &&
                  PROPRIOD_STATE_DEVIATIONS == STATE_DEVIATIONS &&
                  PROPRIOD_STATE_BASE_RATE == STATE_BASE_RATE &&
                  PROPRIOD_STATE_BASE_ANG_ACC == STATE_BASE_ANG_ACC &&
                  PROPRIOD_STATE_BASE_FORCE == STATE_BASE_FORCE &&
                  PROPRIOD_STATE_BASE_ATTITUDE == STATE_BASE_ATTITUDE &&
                  PROPRIOD_STATE_BASE_VELOCITY == STATE_BASE_VELOCITY &&
                  PROPRIOD_STATE_BASE_POSITION == STATE_BASE_POSITION &&
                  PROPRIOD_STATE_EFFORT == STATE_EFFORT &&
                  PROPRIOD_STATE_GYRO_BIAS == STATE_GYRO_BIAS &&
                  PROPRIOD_STATE_INNOVATIONS == STATE_INNOVATIONS,
              "readers know every part of the state");
static_assert(PROPRIOD_CENTROIDAL_COM_B == CENTROIDAL_COM_B &&
                  PROPRIOD_CENTROIDAL_COM == CENTROIDAL_COM_W &&
                  PROPRIOD_CENTROIDAL_COM_VELOCITY == CENTROIDAL_COM_VELOCITY &&
                  PROPRIOD_CENTROIDAL_COM_ACC == CENTROIDAL_COM_ACC &&
                  PROPRIOD_CENTROIDAL_MOMENTUM == CENTROIDAL_MOMENTUM &&
                  PROPRIOD_CENTROIDAL_MOMENTUM_RATE == CENTROIDAL_MOMENTUM_RATE &&
                  PROPRIOD_CENTROIDAL_COP == CENTROIDAL_COP &&
                  PROPRIOD_CENTROIDAL_DCM == CENTROIDAL_DCM &&
                  PROPRIOD_CENTROIDAL_MASS == CENTROIDAL_MASS &&
                  PROPRIOD_CENTROIDAL_SUPPORT == CENTROIDAL_SUPPORT &&
                  PROPRIOD_CENTROIDAL_WRENCH == CENTROIDAL_WRENCH &&
                  PROPRIOD_CENTROIDAL_FIVE_MASS == CENTROIDAL_FIVE_MASS &&
                  PROPRIOD_CENTROIDAL_POSTURE == CENTROIDAL_POSTURE &&
                  PROPRIOD_CENTROIDAL_PUSH == CENTROIDAL_PUSH &&
                  PROPRIOD_CENTROIDAL_FEET == CENTROIDAL_FEET &&
                  PROPRIOD_CENTROIDAL_COP_SENSED == CENTROIDAL_COP_SENSED &&
                  PROPRIOD_CENTROIDAL_MARGIN == CENTROIDAL_MARGIN,
              "readers know every part of the centroidal state");
static_assert(sizeof(struct propriod_state) % 8 == 0, "copied by words");

static enum status complain(const char *path, struct message *error) {
  message_set(error, "state in shared memory: %s: %s", path, strerror(errno));
  return STATUS_REFUSED;
}

/* Tells who still reads a segment that it is over. Through the file, which may be of any size. */
static void retire(int fd) {
  const uint32_t retired = 1;
  const off_t place = offsetof(struct propriod_state_segment, retired);
  struct stat file;
  if (fstat(fd, &file) == 0 && file.st_size > place) {
    const ssize_t told = pwrite(fd, &retired, sizeof(retired), place);
    (void)told;
  }
}

/* Removes what a dead daemon left, whose readers learn that it is over. False: it is in the way. */
static bool clear_old(const char *path, struct message *error) {
  struct stat file;
  const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd >= 0) {
    retire(fd);
    close(fd);
  }
  if (lstat(path, &file) == 0 && unlink(path) != 0) {
    message_set(error, "state in shared memory: %s: a file of user %u is in its place", path,
                (unsigned)file.st_uid);
    return false;
  }
  return true;
}

/* Makes the file; its memory is taken now, because a full /dev/shm would otherwise end
 * the daemon at the first write. -1 with errno. */
static int make_file(const char *path) {
  const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, STATE_MODE);
  if (fd < 0) {
    return -1;
  }
  const int full = posix_fallocate(fd, 0, sizeof(struct propriod_state_segment));
  if (full != 0 || fchmod(fd, STATE_MODE) != 0) {
    const int why = full != 0 ? full : errno;
    close(fd);
    unlink(path);
    errno = why;
    return -1;
  }
  const struct group *group = getgrnam(STATE_EXPORT_GROUP);
  if (group != NULL && fchown(fd, (uid_t)-1, group->gr_gid) != 0) {
    errno = 0; // not in that group: readers of this user's own group remain
  }
  return fd;
}

static void write_header(struct propriod_state_segment *segment, int64_t period_ns) {
  segment->version = PROPRIOD_STATE_VERSION;
  segment->size = sizeof(*segment);
  segment->period_ns = period_ns;
  __atomic_store_n(&segment->magic, PROPRIOD_STATE_MAGIC, __ATOMIC_RELEASE);
}

/* A segment of its own under the name, mapped and guarded. [start, main] */
static enum status make(const char *path, int64_t period_ns, struct state_segment *made,
                        struct message *error) {
  if (!clear_old(path, error)) {
    return STATUS_REFUSED;
  }
  const int fd = make_file(path);
  if (fd < 0) {
    return complain(path, error);
  }
  void *base =
      mmap(NULL, sizeof(*made->base), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
  if (base == MAP_FAILED) {
    unlink(path);
    close(fd);
    return complain(path, error);
  }
  const enum status status = mapping_guard_add(base, sizeof(*made->base), error);
  if (status != STATUS_OK) {
    munmap(base, sizeof(*made->base));
    unlink(path);
    close(fd);
    return status;
  }
  write_header(base, period_ns);
  *made = (struct state_segment){.fd = fd, .base = base};
  return STATUS_OK;
}

/* Ends a segment that the cycle does not write any more. */
static void release(struct state_segment *segment) {
  if (segment->base != NULL) {
    mapping_guard_remove(segment->base);
    munmap(segment->base, sizeof(*segment->base));
    close(segment->fd);
  }
  *segment = (struct state_segment){.fd = -1};
}

static bool name_is_ours(const struct state_export *export) {
  struct stat by_name, by_fd;
  return stat(export->path, &by_name) == 0 && fstat(export->current.fd, &by_fd) == 0 &&
         by_name.st_ino == by_fd.st_ino && by_name.st_dev == by_fd.st_dev;
}

enum status state_export_open(struct state_export *export, const char *name, int64_t period_ns,
                              struct message *error) {
  memset(export, 0, sizeof(*export));
  export->period_ns = period_ns;
  if (propriod_shm_path(name, export->path) != 0) {
    message_set(error, "state in shared memory: \"%.80s\" is neither a path nor a plain name",
                name);
    return STATUS_REFUSED;
  }
  strcat(export->path, STATE_EXPORT_SUFFIX); /* propriod_shm_path() leaves room */
  if (pid_lock_take_for(&export->lock, export->path, "shows its state there", error) != STATUS_OK) {
    return STATUS_REFUSED;
  }
  const enum status status = make(export->path, period_ns, &export->current, error);
  atomic_store(&export->in_use, export->current.base);
  atomic_store(&export->segment, export->current.base);
  return status;
}

/* Why readers do not find the segment, or NULL. */
static const char *fault_of(const struct state_export *export) {
  struct stat file;
  if (!name_is_ours(export)) {
    return "its name was removed or given to another file";
  }
  const bool whole = fstat(export->current.fd, &file) == 0 &&
                     file.st_size == (off_t)sizeof(struct propriod_state_segment) &&
                     !mapping_guard_tripped(export->current.base);
  return whole ? NULL : "it was cut short";
}

/* Tells readers that it is over, and removes the name when it is still its own. */
static void take_down(const struct state_export *export) {
  retire(export->current.fd);
  if (name_is_ours(export)) {
    unlink(export->path);
  }
}

/* The one before is unmapped when the cycle has been seen to write the new one. */
enum status state_export_check(struct state_export *export, struct message *event) {
  struct state_segment made;
  struct message error;
  if (atomic_load(&export->in_use) == export->current.base) {
    release(&export->before);
  }
  const char *fault = export->current.base != NULL ? fault_of(export) : NULL;
  if (fault == NULL) {
    return STATUS_OK;
  }
  if (export->before.base != NULL) {
    message_set(event, "%s: %s; waiting for the cycle to let go", export->path, fault);
    return STATUS_REFUSED;
  }
  take_down(export);
  if (make(export->path, export->period_ns, &made, &error) != STATUS_OK) {
    message_set(event, "%s: %s; %.300s", export->path, fault, error.text);
    return STATUS_REFUSED;
  }
  export->before = export->current;
  export->current = made;
  atomic_store(&export->segment, made.base);
  message_set(event, "%s: %s; made anew", export->path, fault);
  return STATUS_STALE;
}

static void fill_quat(double xyzw[4], quat q) {
  xyzw[0] = q.x;
  xyzw[1] = q.y;
  xyzw[2] = q.z;
  xyzw[3] = q.w;
}

static void fill_base(struct propriod_state *out, const struct state_estimate *s) {
  out->seq = s->seq;
  out->t_ns = s->t_ns;
  out->n_joints = s->n_joints;
  out->status = s->status;
  out->estimated = fields_finite(&state_fields, s, s->estimated, s->n_joints);
  out->resets = s->resets;
  out->imu_suspect = s->imu_suspect;
  fill_quat(out->quat_xyzw, s->orientation);
  vec3_to(s->position_W, out->base_position);
  vec3_to(s->velocity_W, out->base_velocity);
  vec3_to(s->omega_B, out->base_angular_velocity);
  vec3_to(s->omegadot_B, out->base_angular_acceleration);
  vec3_to(s->specific_force_B, out->base_specific_force);
  vec3_to(s->gyro_bias_B, out->gyro_bias);
  out->nis_encoders = s->nis_encoders;
  out->nis_imu = s->nis_imu;
  out->nis_skin = s->nis_skin;
}

static void fill_joints(struct propriod_state *out, const struct state_estimate *s) {
  for (uint32_t j = 0; j < s->n_joints; j++) {
    out->joint[j] = (struct propriod_state_joint){
        .q = s->q[j],
        .dq = s->dq[j],
        .ddq = s->ddq[j],
        .jerk = s->jerk[j],
        .q_sd = s->q_sd[j],
        .dq_sd = s->dq_sd[j],
        .ddq_sd = s->ddq_sd[j],
        .effort = s->effort[j],
        .health = s->joint_health[j],
    };
  }
}

static void fill_centroidal(struct propriod_state *out, const struct centroidal_estimate *c) {
  out->centroidal_status = c->status;
  out->centroidal_estimated = fields_finite(&centroidal_fields, c, c->estimated, c->n_feet);
  out->mass = c->mass;
  vec3_to(c->com_B, out->com_in_base);
  vec3_to(c->com_W, out->com_position);
  vec3_to(c->com_velocity_W, out->com_velocity);
  vec3_to(c->com_acceleration_W, out->com_acceleration);
  vec3_to(c->angular_momentum_W, out->angular_momentum);
  vec3_to(c->angular_momentum_rate_W, out->angular_momentum_rate);
  vec3_to(c->cop_W, out->cop_position);
  vec3_to(c->cop_sd_W, out->cop_sd);
  vec3_to(c->dcm_W, out->dcm_position);
  vec3_to(c->com_support, out->com_from_support);
  vec3_to(c->contact_force_W, out->contact_force);
  out->support_phase = c->phase;
  out->support_foot = c->support_foot;
  out->support_slips = c->slips;
  out->n_feet = c->n_feet;
  memcpy(out->support_share, c->share, sizeof(out->support_share));
  memcpy(out->foot_force, c->foot_force, sizeof(out->foot_force));
  vec3_to(c->capture_point_W, out->capture_point);
  vec3_to(c->cop_disagreement_W, out->cop_disagreement);
  out->support_margin = c->support_margin;
}

static void fill_push(struct propriod_state *out, const struct centroidal_estimate *c) {
  out->push_active = c->push_active;
  out->push_observable = c->push_observable;
  out->push_count = c->push_count;
  vec3_to(c->push_force_W, out->push_force);
  vec3_to(c->push_impulse_W, out->push_impulse);
}

static void fill_five_mass(struct propriod_state *out, const struct centroidal_estimate *c) {
  vec3_to(c->five_com_W, out->five_mass_com);
  vec3_to(c->five_acceleration_W, out->five_mass_acceleration);
  vec3_to(c->five_momentum_W, out->five_mass_angular_momentum);
  fill_quat(out->inertia_orientation, c->inertia_orientation);
  vec3_to(c->inertia_angles, out->inertia_angles);
  vec3_to(c->inertia_rate, out->inertia_rate);
  vec3_to(c->inertia_acceleration, out->inertia_acceleration);
  vec3_to(c->inertia_moments, out->inertia_moments);
}

/* Release: who reads a new word also sees that its slot is being written. */
static void copy_words(uint64_t *out, const uint64_t *in, size_t words) {
  for (size_t i = 0; i < words; i++) {
    __atomic_store_n(out + i, in[i], __ATOMIC_RELEASE);
  }
}

void state_export_write(struct state_export *export, const struct estimates *estimates) {
  struct propriod_state_segment *segment =
      atomic_load_explicit(&export->segment, memory_order_acquire);
  if (segment == NULL) {
    return;
  }
  if (atomic_load_explicit(&export->in_use, memory_order_relaxed) != segment) {
    atomic_store(&export->in_use, segment);
  }
  struct propriod_state *next = &export->next;
  fill_base(next, &estimates->state);
  fill_joints(next, &estimates->state);
  fill_centroidal(next, &estimates->centroidal);
  fill_push(next, &estimates->centroidal);
  fill_five_mass(next, &estimates->centroidal);
  const uint64_t k = segment->latest + 1;
  struct propriod_state_slot *slot = &segment->slot[(k - 1) % PROPRIOD_STATE_SLOTS];
  __atomic_store_n(&slot->seq, 2 * k - 1, __ATOMIC_RELAXED);
  copy_words((uint64_t *)(void *)&slot->state, (const uint64_t *)(const void *)next,
             PROPRIOD_STATE_HEAD_WORDS + next->n_joints * PROPRIOD_STATE_JOINT_WORDS);
  __atomic_store_n(&slot->seq, 2 * k, __ATOMIC_RELEASE);
  __atomic_store_n(&segment->latest, k, __ATOMIC_RELEASE);
}

void state_export_close(struct state_export *export) {
  if (export->current.base == NULL) {
    return;
  }
  take_down(export);
  release(&export->before);
  release(&export->current);
  atomic_store(&export->segment, NULL);
  pid_lock_release(&export->lock);
}
