/* Feeding propriod: the shared memory that sensor drivers write, and the writer itself.
 *
 * propriod creates one segment with four streams: joints, imu, skin, wrench. Each stream has its
 * own rate and one writer. A driver opens its stream, and for every sample begins a frame, fills
 * it in place and commits it:
 *
 *   struct propriod_shm joints;
 *   char why[PROPRIOD_SHM_REASON];
 *   if (propriod_shm_open(&joints, PROPRIOD_SHM_DEFAULT, PROPRIOD_SHM_JOINTS, 30, 0, why) != 0) {
 *     fprintf(stderr, "%s\n", why);
 *   }
 *   struct propriod_shm_joints frame = propriod_shm_begin_joints(&joints);
 *   frame.q[0] = ...;
 *   if (propriod_shm_commit(&joints, t_ns) != 0) { propriod_shm_close(&joints); ... open again }
 *
 * The order of joints, cells and sensors is that of propriod's configuration; names and geometry
 * are never here. Everything is SI and little-endian. Time is CLOCK_MONOTONIC in nanoseconds, the
 * instant at which the sensor was sampled, not the instant of writing.
 *
 * Whoever may write to the segment may also cut it short, which ends every driver that writes to it
 * with SIGBUS, as with any mapped file; propriod itself goes on and makes another.
 *
 * Needs nothing but the C library: C11 or C++11 with GNU extensions (gcc's and clang's default, or
 * -D_GNU_SOURCE). Link nothing. One struct propriod_shm belongs to one thread. */
#ifndef PROPRIOD_SHM_H
#define PROPRIOD_SHM_H

#include "propriod/shm_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef _DEFAULT_SOURCE
#error "compile with -std=gnu11 (gcc's default) or with -D_GNU_SOURCE"
#endif
#ifndef F_OFD_SETLK
#define F_OFD_SETLK 37 /* Linux: a lock that belongs to the open file and dies with its process */
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* One open stream. Treat as opaque. */
struct propriod_shm {
  unsigned kind;
  uint32_t count;  /* joints, IMUs, cells or sensors */
  uint32_t fields; /* optional arrays supplied */
  int fd;          /* holds the lock that keeps a second writer out */
  unsigned char *base;
  struct propriod_shm_header layout; /* as checked when opened; the shared one is not trusted */
  int64_t next_look_ns;
};

static inline int64_t propriod_shm_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline struct propriod_shm_control *propriod_shm_control_of(const struct propriod_shm *shm) {
  return (struct propriod_shm_control *)(void *)(shm->base + shm->layout.stream[shm->kind].control);
}

static inline struct propriod_shm_slot *propriod_shm_slot_of(const struct propriod_shm *shm,
                                                             uint64_t head) {
  const struct propriod_shm_stream *stream = &shm->layout.stream[shm->kind];
  return (struct propriod_shm_slot *)(void *)(shm->base + stream->slots +
                                              head % stream->n_slots * stream->slot_size);
}

/* Locks one byte of the file for this open file alone; released when the process ends, however. */
static inline int propriod_shm_lock(int fd, uint64_t offset) {
  struct flock lock;
  memset(&lock, 0, sizeof(lock));
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = (off_t)offset;
  lock.l_len = 1;
  return fcntl(fd, F_OFD_SETLK, &lock);
}

static inline int propriod_shm_open_file(const char *name, char *why) {
  char path[PROPRIOD_SHM_PATH];
  if (propriod_shm_path(name, path) != 0) {
    return PROPRIOD_SHM_REFUSE("segment \"%.64s\" is neither an absolute path nor a plain name",
                               name);
  }
  const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) {
    return PROPRIOD_SHM_REFUSE("%.120s: %.80s%s", path, strerror(errno),
                               errno == ENOENT   ? "; is propriod running?"
                               : errno == EACCES ? "; is this user in group propriod-in?"
                                                 : "");
  }
  return fd;
}

/* Reads and checks the header, without touching a mapping that somebody may have cut short. */
static inline int propriod_shm_read_header(int fd, struct propriod_shm_header *header, char *why) {
  struct stat file;
  if (fstat(fd, &file) != 0 || pread(fd, header, sizeof(*header), 0) != (ssize_t)sizeof(*header)) {
    return PROPRIOD_SHM_REFUSE("segment is shorter than its header");
  }
  if (propriod_shm_check(header, (uint64_t)file.st_size, why) != 0) {
    return -1;
  }
  return header->retired == 0 ? 0 : PROPRIOD_SHM_REFUSE("segment is being replaced; try again");
}

static inline int propriod_shm_attach(struct propriod_shm *shm, uint32_t count, char *why) {
  const struct propriod_shm_stream *stream = &shm->layout.stream[shm->kind];
  if (propriod_shm_read_header(shm->fd, &shm->layout, why) != 0) {
    return -1;
  }
  if (stream->count == 0) {
    return PROPRIOD_SHM_REFUSE("%s: propriod is configured without this stream",
                               propriod_shm_name(shm->kind));
  }
  if (stream->count != count) {
    return PROPRIOD_SHM_REFUSE("%s: propriod is configured for %u, this driver has %u",
                               propriod_shm_name(shm->kind), stream->count, count);
  }
  void *const base =
      mmap(NULL, shm->layout.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, shm->fd, 0);
  if (base == MAP_FAILED) {
    return PROPRIOD_SHM_REFUSE("mapping the segment: %s", strerror(errno));
  }
  shm->base = (unsigned char *)base;
  if (propriod_shm_lock(shm->fd, stream->control) != 0) {
    const uint32_t pid =
        __atomic_load_n(&propriod_shm_control_of(shm)->writer_pid, __ATOMIC_RELAXED);
    return PROPRIOD_SHM_REFUSE("%s: another writer has this stream, process %u",
                               propriod_shm_name(shm->kind), pid);
  }
  madvise(base, shm->layout.size, MADV_DONTFORK); /* a child must not write as a second writer */
  __atomic_store_n(&propriod_shm_control_of(shm)->writer_pid, (uint32_t)getpid(), __ATOMIC_RELAXED);
  return 0;
}

/* Ends writing and lets another writer in. Also right after a refused open, and twice. */
static inline void propriod_shm_close(struct propriod_shm *shm) {
  if (shm->base != NULL) {
    munmap(shm->base, shm->layout.size);
  }
  if (shm->fd >= 0) {
    close(shm->fd);
  }
  shm->base = NULL;
  shm->fd = -1;
}

/* Opens stream `kind` of segment `name` (propriod's `input.segment`, normally
 * PROPRIOD_SHM_DEFAULT) for writing. `count` is the driver's number of joints, IMUs, cells or
 * sensors and must be what propriod is configured for; `fields` names the optional arrays that
 * every frame will carry. 0, or -1 with a reason in `why`; try again about once a second. */
static inline int propriod_shm_open(struct propriod_shm *shm, const char *name,
                                    enum propriod_shm_kind kind, uint32_t count, uint32_t fields,
                                    char why[PROPRIOD_SHM_REASON]) {
  memset(shm, 0, sizeof(*shm));
  shm->fd = -1;
  if ((unsigned)kind >= PROPRIOD_SHM_STREAMS) {
    return PROPRIOD_SHM_REFUSE("there is no stream %u", (unsigned)kind);
  }
  shm->kind = (unsigned)kind;
  shm->count = count;
  shm->fields = fields;
  shm->fd = propriod_shm_open_file(name, why);
  if (shm->fd < 0 || propriod_shm_attach(shm, count, why) != 0) {
    propriod_shm_close(shm);
    return -1;
  }
  return 0;
}

/* A slot's number is odd while it is written. The fence below, one `dmb ish` on ARM and none on
 * x86, pairs with the one at the end of the reader's look: who has read one word of this frame
 * finds the odd number there. In commit, each release store makes visible all that was written
 * before it: the frame before its number, the number before the count that leads to it, the count
 * before the word that readers sleep on. */

/* Begins the next frame and answers its arrays, to be written in place. Bounded, no system call. */
static inline void *propriod_shm_begin(struct propriod_shm *shm) {
  const uint64_t head = __atomic_load_n(&propriod_shm_control_of(shm)->head, __ATOMIC_RELAXED);
  struct propriod_shm_slot *slot = propriod_shm_slot_of(shm, head);
  __atomic_store_n(&slot->seq, 2u * head + 1u, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE); /* no array may change before the odd number is seen */
  return slot + 1;
}
static inline struct propriod_shm_joints propriod_shm_begin_joints(struct propriod_shm *shm) {
  return propriod_shm_view_joints(propriod_shm_begin(shm), shm->count);
}
static inline struct propriod_shm_imu propriod_shm_begin_imu(struct propriod_shm *shm) {
  return propriod_shm_view_imu(propriod_shm_begin(shm), shm->count);
}
static inline struct propriod_shm_skin propriod_shm_begin_skin(struct propriod_shm *shm) {
  return propriod_shm_view_skin(propriod_shm_begin(shm), shm->count);
}
static inline struct propriod_shm_wrench propriod_shm_begin_wrench(struct propriod_shm *shm) {
  return propriod_shm_view_wrench(propriod_shm_begin(shm));
}

/* 0 while the segment is the one that propriod reads; -1 once it was replaced, removed or cut. One
 * fstat() a second. */
static inline int propriod_shm_still_there(struct propriod_shm *shm, int64_t now_ns) {
  struct propriod_shm_header *shared = (struct propriod_shm_header *)(void *)shm->base;
  if (now_ns >= shm->next_look_ns) {
    struct stat file;
    shm->next_look_ns = now_ns + 1000000000;
    if (fstat(shm->fd, &file) != 0 || file.st_nlink == 0 ||
        (uint64_t)file.st_size != shm->layout.size) {
      return -1;
    }
  }
  return __atomic_load_n(&shared->retired, __ATOMIC_RELAXED) == 0 ? 0 : -1;
}

/* Completes the frame begun last, sampled at `t_ns`, and wakes who waits for it. Bounded; one
 * system call (futex wake). 0, or -1: the segment is gone; close and open again. */
static inline int propriod_shm_commit(struct propriod_shm *shm, int64_t t_ns) {
  struct propriod_shm_control *control = propriod_shm_control_of(shm);
  const uint64_t head = __atomic_load_n(&control->head, __ATOMIC_RELAXED);
  struct propriod_shm_slot *slot = propriod_shm_slot_of(shm, head);
  struct propriod_shm_slot done;
  memset(&done, 0, sizeof(done));
  done.seq = 2u * head + 2u;
  done.t_ns = t_ns;
  done.commit_ns = propriod_shm_now_ns();
  done.fields = shm->fields;
  slot->t_ns = done.t_ns;
  slot->commit_ns = done.commit_ns;
  slot->fields = done.fields;
  slot->reserved = 0;
  slot->checksum =
      propriod_shm_checksum(&done, slot + 1, propriod_shm_used(shm->kind, shm->count, shm->fields));
  __atomic_store_n(&slot->seq, done.seq, __ATOMIC_RELEASE);
  __atomic_store_n(&control->head, head + 1u, __ATOMIC_RELEASE);
  __atomic_store_n(&control->heartbeat_ns, done.commit_ns, __ATOMIC_RELAXED);
  __atomic_store_n(&control->futex, (uint32_t)(head + 1u), __ATOMIC_RELEASE);
  syscall(SYS_futex, &control->futex, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
  return propriod_shm_still_there(shm, done.commit_ns);
}

/* Says that the driver lives although it has no sample. 0 or -1 as for commit. */
static inline int propriod_shm_beat(struct propriod_shm *shm) {
  const int64_t now_ns = propriod_shm_now_ns();
  __atomic_store_n(&propriod_shm_control_of(shm)->heartbeat_ns, now_ns, __ATOMIC_RELAXED);
  return propriod_shm_still_there(shm, now_ns);
}

/* 1 when propriod asks for this cell's accelerations, 0 when the driver may leave them out to save
 * bus time. All cells until propriod has chosen. Skin streams only. */
static inline int propriod_shm_wanted(const struct propriod_shm *shm, uint32_t cell) {
  const uint64_t *word = (const uint64_t *)(void *)(shm->base + shm->layout.wanted) + cell / 64u;
  return cell < shm->count && (__atomic_load_n(word, __ATOMIC_RELAXED) >> cell % 64u & 1u) != 0;
}

#ifdef __cplusplus
}
#endif
#endif
