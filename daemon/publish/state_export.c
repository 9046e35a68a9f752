#include "publish/state_export.h"

#include "publish/topics.h"
#include "shm/mapping_guard.h"

#include <assert.h>
#include <errno.h>
#include <grp.h>
#include <stdbool.h>
#include <stdio.h>

enum { STATE_MODE = 0640 };

static_assert(PROPRIOD_MAX_JOINTS == MODEL_MAX_JOINTS, "readers know all joints");
static_assert(PROPRIOD_MAX_FEET == ROBOT_MAX_FEET, "readers know all feet");
static_assert(sizeof(struct propriod_state) ==
                  PROPRIOD_STATE_HEAD_BYTES + PROPRIOD_STATE_ARRAYS * PROPRIOD_MAX_JOINTS * 8,
              "behind the first array of joints there are only such arrays");

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
    errno = 0; /* not in that group: readers of this user's own group remain */
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

/* Release: who reads a new word also sees that its slot is being written (the readers' loads are
 * acquire, so that their second look at the number comes last). */
static void copy_words(void *out, const void *in, size_t bytes) {
  for (size_t i = 0; i < bytes / 8; i++) {
    __atomic_store_n((uint64_t *)out + i, ((const uint64_t *)in)[i], __ATOMIC_RELEASE);
  }
}

static void write_state(struct propriod_state *out, const struct propriod_state *state) {
  const uint64_t finite =
      field_finite(&state_topic, state, state->estimated, (size_t)state->n_joints);
  copy_words(out, state, PROPRIOD_STATE_HEAD_BYTES);
  copy_words(&out->estimated, &finite, sizeof(finite));
  for (size_t a = 0; a < PROPRIOD_STATE_ARRAYS; a++) {
    const size_t begin = PROPRIOD_STATE_HEAD_BYTES + a * PROPRIOD_MAX_JOINTS * 8;
    copy_words((char *)out + begin, (const char *)state + begin, state->n_joints * 8);
  }
}

static void write_centroidal(struct propriod_centroidal *out,
                             const struct propriod_centroidal *centroidal) {
  const uint64_t finite = field_finite(&centroidal_topic, centroidal, centroidal->estimated,
                                       (size_t)centroidal->n_feet);
  copy_words(out, centroidal, sizeof(*centroidal));
  copy_words(&out->estimated, &finite, sizeof(finite));
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
  const uint64_t k = segment->latest + 1;
  struct propriod_state_slot *slot = &segment->slot[(k - 1) % PROPRIOD_STATE_SLOTS];
  __atomic_store_n(&slot->seq, 2 * k - 1, __ATOMIC_RELAXED);
  write_state(&slot->state, &estimates->state);
  write_centroidal(&slot->centroidal, &estimates->centroidal);
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
