#include "shm/segment.h"

#include "shm/mapping_guard.h"

#include "propriod/shm.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void path_of(const struct segment *segment, char path[PROPRIOD_SHM_PATH]) {
  propriod_shm_path(segment->name, path);
}

static enum status give_up(struct message *error, const char *path, const char *doing) {
  message_set(error, "segment %s: %s: %s", path, doing, strerror(errno));
  return STATUS_REFUSED;
}

/* Drivers belong to a group of their own. Without that group only the daemon's own can write. Also
 * for what is taken over: the group may have been made since. */
static void give_to_group(struct segment *segment) {
  const struct group *group = getgrnam(SEGMENT_GROUP);
  if (group == NULL) {
    message_set(&segment->warning,
                "there is no group %s; only drivers of the same user and group can write",
                SEGMENT_GROUP);
  } else if (fchown(segment->fd, (uid_t)-1, group->gr_gid) != 0) {
    message_set(&segment->warning, "group %s: %s; only drivers of the same user can write",
                SEGMENT_GROUP, strerror(errno));
  }
  fchmod(segment->fd, 0660);
}

static bool name_is_ours(const struct segment *segment) {
  char path[PROPRIOD_SHM_PATH];
  struct stat by_name, by_fd;
  path_of(segment, path);
  return stat(path, &by_name) == 0 && fstat(segment->fd, &by_fd) == 0 &&
         by_name.st_ino == by_fd.st_ino && by_name.st_dev == by_fd.st_dev;
}

/* Room first: a file without blocks behind it kills its writer when its file system is full. */
static enum status reserve(const struct segment *segment, const char *path, struct message *error) {
  int result;
  do {
    result = posix_fallocate(segment->fd, 0, (off_t)segment->layout.size);
  } while (result == EINTR);
  if (result != 0) {
    message_set(error, "segment %s: no room for its %llu bytes: %s", path,
                (unsigned long long)segment->layout.size, strerror(result));
    return STATUS_REFUSED;
  }
  return STATUS_OK;
}

/* A new file. */
static enum status make(struct segment *segment, const char *path, struct message *error) {
  segment->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (segment->fd < 0) {
    return give_up(error, path, "making it");
  }
  const enum status status = reserve(segment, path, error);
  if (status != STATUS_OK) {
    unlink(path);
    close(segment->fd);
    return status;
  }
  give_to_group(segment);
  return STATUS_OK;
}

/* Whether a file that was there can go on being the segment. */
static bool is_usable(const struct segment *segment, const struct stat *file, const char *path) {
  struct propriod_shm_header header;
  struct message ignored;
  char why[PROPRIOD_SHM_REASON];
  return S_ISREG(file->st_mode) && file->st_uid == geteuid() && name_is_ours(segment) &&
         propriod_shm_read_header(segment->fd, &header, why) == 0 &&
         header.layout_hash == segment->layout.layout_hash &&
         reserve(segment, path, &ignored) == STATUS_OK;
}

/* A file that was there: ours when its layout fits, else out of the way. */
static enum status take_over(struct segment *segment, const char *path) {
  struct stat file;
  segment->fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (segment->fd < 0 || fstat(segment->fd, &file) != 0) {
    return STATUS_STALE;
  }
  if (is_usable(segment, &file, path)) {
    give_to_group(segment);
    return STATUS_OK;
  }
  segment_retire(segment);
  close(segment->fd);
  return STATUS_STALE;
}

static enum status get_hold(struct segment *segment, struct message *error) {
  char path[PROPRIOD_SHM_PATH];
  struct stat file;
  path_of(segment, path);
  /* what a daemon before left is used on, so that drivers need not open again */
  if (take_over(segment, path) == STATUS_OK) {
    return STATUS_OK;
  }
  /* anything else in its place goes */
  if (lstat(path, &file) == 0 && unlink(path) != 0) {
    message_set(error, "segment %s: a file of user %u is in its place and cannot be removed: %s",
                path, (unsigned)file.st_uid, strerror(errno));
    return STATUS_REFUSED;
  }
  return make(segment, path, error);
}

static enum status map(struct segment *segment, struct message *error) {
  void *const base = mmap(NULL, segment->layout.size, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_POPULATE, segment->fd, 0);
  if (base == MAP_FAILED) {
    message_set(error, "segment %s: mapping %llu bytes: %s", segment->name,
                (unsigned long long)segment->layout.size, strerror(errno));
    return STATUS_NO_MEMORY;
  }
  segment->base = base;
  return mapping_guard_add(base, segment->layout.size, error);
}

static void show_life(struct segment *segment) {
  struct propriod_shm_header *shared = (struct propriod_shm_header *)(void *)segment->base;
  __atomic_store_n(&shared->daemon_pid, (uint32_t)getpid(), __ATOMIC_RELAXED);
  __atomic_store_n(&shared->daemon_heartbeat_ns, propriod_shm_now_ns(), __ATOMIC_RELAXED);
}

/* Drivers may open as soon as the magic number stands there: last. */
static void write_header(struct segment *segment) {
  struct propriod_shm_header *shared = (struct propriod_shm_header *)(void *)segment->base;
  struct propriod_shm_header header = segment->layout;
  /* everything but the magic number */
  header.magic = 0;
  *shared = header;
  show_life(segment);
  memset(segment->base + segment->layout.wanted, 0xff,
         segment->layout.size - segment->layout.wanted);
  __atomic_store_n(&shared->magic, segment->layout.magic, __ATOMIC_RELEASE);
}

enum status segment_create(struct segment *segment, const char *name,
                           const uint32_t count[PROPRIOD_SHM_STREAMS], struct message *error) {
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    if (count[kind] > propriod_shm_max_count(kind)) {
      message_set(error, "segment: %u in stream %s, the limit is %u", count[kind],
                  propriod_shm_name(kind), propriod_shm_max_count(kind));
      return STATUS_BAD_ARGUMENT;
    }
  }
  char path[PROPRIOD_SHM_PATH];
  if (propriod_shm_path(name, path) != 0) {
    message_set(error, "segment \"%.80s\" is neither an absolute path nor a plain name", name);
    return STATUS_BAD_ARGUMENT;
  }
  /* a file, a mapping, a header; undone when one fails */
  struct segment made = {.fd = -1, .layout = propriod_shm_layout(count)};
  strcpy(made.name, name);
  enum status status = get_hold(&made, error);
  if (status != STATUS_OK) {
    return status;
  }
  status = map(&made, error);
  if (status != STATUS_OK) {
    segment_close(&made);
    return status;
  }
  write_header(&made);
  *segment = made;
  return STATUS_OK;
}

enum status segment_check(struct segment *segment, struct message *why) {
  struct propriod_shm_header header;
  char reason[PROPRIOD_SHM_REASON] = "";
  if (mapping_guard_tripped(segment->base)) {
    message_set(why, "segment %s: it was cut short while it was read", segment->name);
  } else if (!name_is_ours(segment)) {
    message_set(why, "segment %s: its name was removed or given to another file", segment->name);
  } else if (propriod_shm_read_header(segment->fd, &header, reason) != 0) {
    message_set(why, "segment %s: %s", segment->name, reason);
  } else if (header.layout_hash != segment->layout.layout_hash) {
    message_set(why, "segment %s: its header describes another layout", segment->name);
  } else {
    show_life(segment);
    return STATUS_OK;
  }
  return STATUS_STALE;
}

/* Through the file and not the mapping, which may have been cut short. Where the file is too short
 * or cannot be written, drivers notice within a second that its name is gone. */
void segment_retire(struct segment *segment) {
  const uint32_t retired = 1;
  const off_t place = offsetof(struct propriod_shm_header, retired);
  char path[PROPRIOD_SHM_PATH];
  struct stat file;
  /* drivers that look see that it is retired */
  if (fstat(segment->fd, &file) == 0 && file.st_size > place) {
    const ssize_t told = pwrite(segment->fd, &retired, sizeof(retired), place);
    (void)told;
  }
  /* and nobody opens it any more */
  if (name_is_ours(segment)) {
    path_of(segment, path);
    unlink(path);
  }
}

void segment_close(struct segment *segment) {
  if (segment->base != NULL) {
    mapping_guard_remove(segment->base);
    munmap(segment->base, segment->layout.size);
  }
  if (segment->fd >= 0) {
    close(segment->fd);
  }
  segment->base = NULL;
  segment->fd = -1;
}

void segment_want(struct segment *segment, const uint64_t *wanted) {
  uint64_t *shared = (uint64_t *)(void *)(segment->base + segment->layout.wanted);
  const uint32_t words = (segment->layout.stream[PROPRIOD_SHM_SKIN].count + 63) / 64;
  for (uint32_t i = 0; i < words; i++) {
    __atomic_store_n(&shared[i], wanted[i], __ATOMIC_RELAXED);
  }
}
