/* The segment between sensor drivers and propriod: where everything lies, how it is checked.
 *
 * One header, then per stream a control block and a few slots. A slot is a seqlock: its number is
 * odd while its writer fills it. Readers (propriod, proprioctl) wait on the control's futex word,
 * copy the newest complete slot and accept it when number and checksum agree. Drivers include
 * shm.h, the writer, and need not know any of this. */
#ifndef PROPRIOD_SHM_LAYOUT_H
#define PROPRIOD_SHM_LAYOUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the segment is little-endian; this machine is not"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define PROPRIOD_SHM_MAGIC       0x444f4952504f5250ull /* "PROPRIOD" */
#define PROPRIOD_SHM_VERSION     1u
#define PROPRIOD_SHM_BYTE_ORDER  0x01020304u
#define PROPRIOD_SHM_MAX_JOINTS  128u
#define PROPRIOD_SHM_MAX_IMUS    9u /* the first, and eight on limbs */
#define PROPRIOD_SHM_MAX_CELLS   16384u
#define PROPRIOD_SHM_MAX_WRENCH  8u
#define PROPRIOD_SHM_SLOTS       4u   /* frames kept per stream: three periods to copy one */
#define PROPRIOD_SHM_REASON      256u /* bytes of a reason text */
/* cache line: what different processes write never shares one */
#define PROPRIOD_SHM_LINE        64u
#define PROPRIOD_SHM_HEADER_SIZE 4096u
#define PROPRIOD_SHM_PATH        128u /* bytes of a segment's path with its final zero */

/* The service's segment, in a folder that nobody else may write to; its state lies beside it. */
#define PROPRIOD_SHM_DEFAULT "/run/propriod/shm"

/* The streams in their order in the segment: constant, name, what they have one reading of, and
 * the age in seconds from which a frame is stale by default. All lists of streams come from
 * here. */
#define PROPRIOD_SHM_STREAM_TABLE(STREAM)                                                          \
  STREAM(JOINTS, joints, "joints", "0.02")                                                         \
  STREAM(IMU, imu, "IMUs", "0.02")                                                                 \
  STREAM(SKIN, skin, "cells", "0.05")                                                              \
  STREAM(WRENCH, wrench, "wrench sensors", "0.05")

#define PROPRIOD_SHM_KIND(constant, name, things, limit_s) PROPRIOD_SHM_##constant,
enum propriod_shm_kind { PROPRIOD_SHM_STREAM_TABLE(PROPRIOD_SHM_KIND) PROPRIOD_SHM_STREAMS };
#undef PROPRIOD_SHM_KIND

/* What a writer supplies beyond the mandatory array of its stream. */
#define PROPRIOD_SHM_VELOCITY    1u /* joints: dq */
#define PROPRIOD_SHM_EFFORT      2u /* joints: tau */
#define PROPRIOD_SHM_ORIENTATION 1u /* imu: orientation */
#define PROPRIOD_SHM_PROXIMITY   1u /* skin: proximity */
#define PROPRIOD_SHM_FORCE       2u /* skin: force */

/* Bits of a cell's flags. */
#define PROPRIOD_SHM_CELL_VALID     1u /* its three accelerations are a measurement */
#define PROPRIOD_SHM_CELL_PROXIMITY 2u /* its proximity is a measurement */
#define PROPRIOD_SHM_CELL_FORCE     4u /* its force is a measurement */

/* Where one stream lies; constant after creation. Offsets are bytes from the segment's start. */
struct propriod_shm_stream {
  uint64_t control;   /* offset of its struct propriod_shm_control */
  uint64_t slots;     /* offset of its first slot */
  uint32_t slot_size; /* bytes from slot to slot, the slot's head included */
  uint32_t n_slots;
  uint32_t count;    /* joints, imus, cells or wrench sensors; 0: the robot has none */
  uint32_t reserved; /* 0 */
};

/* At offset 0. All above the hash is constant after creation, and covered by it. */
struct propriod_shm_header {
  uint64_t magic;
  uint32_t version;
  uint32_t byte_order;
  uint64_t size; /* of the whole segment, bytes */
  struct propriod_shm_stream stream[PROPRIOD_SHM_STREAMS];
  uint64_t wanted;      /* offset of the bitmap of cells that the daemon wants, 64 a word */
  uint64_t layout_hash; /* of everything above */
  uint32_t retired;     /* not 0: replaced by another segment of this name; open again */
  uint32_t daemon_pid;
  int64_t daemon_heartbeat_ns; /* the daemon's last sign of life, about once a second */
};

/* One per stream, written by its writer. */
struct propriod_shm_control {
  uint64_t head;        /* frames committed since the segment was created */
  uint32_t futex;       /* low half of head: the word to wait on, also on a read-only mapping */
  uint32_t writer_pid;  /* the last writer; whether it lives is told by the lock at this offset */
  int64_t heartbeat_ns; /* its last commit or propriod_shm_beat() */
  uint8_t pad[40];
};

/* A frame's head; its arrays follow. Frame k (1, 2, ...) lies in slot (k - 1) % n_slots. */
struct propriod_shm_slot {
  uint64_t seq;      /* 2k - 1 while frame k is being written, 2k when it is complete */
  int64_t t_ns;      /* instant of sampling */
  int64_t commit_ns; /* instant of commit */
  uint32_t fields;   /* optional arrays supplied, PROPRIOD_SHM_VELOCITY ... */
  uint32_t reserved; /* 0 */
  uint64_t checksum; /* of the four members above and the arrays in use */
  uint8_t pad[24];
};

/* The arrays of a frame. Write every element of those you supply, NaN where there is none. */
struct propriod_shm_joints {
  double *q;   /* [n_joints] rad or m */
  double *dq;  /* [n_joints] rad/s or m/s */
  double *tau; /* [n_joints] N m or N, joint side */
};
struct propriod_shm_imu {
  double *specific_force; /* [n_imus][3] m/s^2, each its IMU's frame; +9.81 along up at rest */
  double *angular_rate;   /* [n_imus][3] rad/s, IMU frame */
  double *orientation;    /* [n_imus][4] x y z w of the IMU frame in a gravity-aligned world frame;
                             the first one's is used */
};
struct propriod_shm_skin {
  float *acceleration; /* [n_cells][3] m/s^2, cell frame, raw; gravity as in specific_force */
  uint8_t *flags;      /* [n_cells] PROPRIOD_SHM_CELL_* */
  float *proximity;    /* [n_cells] 0 (free) .. 1 (touching) */
  float *force;        /* [n_cells] N, normal */
};
struct propriod_shm_wrench {
  double *wrench; /* [n_sensors][6] moment N m about the sensor's origin, force N; sensor frame,
                     as it acts on the robot */
};

/* The file of a segment: an absolute path means itself, a plain name a file in /dev/shm, which is
 * for trying things out: there, any local user may be first to take a name. 0, or -1: neither. */
static inline int propriod_shm_path(const char *name, char path[PROPRIOD_SHM_PATH]) {
  const size_t length = strlen(name);
  if (length == 0 || length > PROPRIOD_SHM_PATH - 32u ||
      (name[0] == '/' ? name[length - 1] == '/' : strchr(name, '/') != NULL)) {
    return -1;
  }
  snprintf(path, PROPRIOD_SHM_PATH, "%s%s", name[0] == '/' ? "" : "/dev/shm/", name);
  return 0;
}

static inline const char *propriod_shm_name(unsigned kind) {
#define PROPRIOD_SHM_NAME(constant, name, things, limit_s) #name,
  static const char *const names[] = {PROPRIOD_SHM_STREAM_TABLE(PROPRIOD_SHM_NAME)};
#undef PROPRIOD_SHM_NAME
  return kind < PROPRIOD_SHM_STREAMS ? names[kind] : "?";
}

static inline uint64_t propriod_shm_padded(uint64_t bytes, uint64_t unit) {
  return (bytes + unit - 1u) / unit * unit;
}

/* Bytes of a frame's arrays up to the last one supplied; what is copied and checked. */
static inline uint64_t propriod_shm_used(unsigned kind, uint64_t count, uint32_t fields) {
  const uint64_t cells4 = propriod_shm_padded(4u * count, 8u);
  switch (kind) {
  case PROPRIOD_SHM_JOINTS:
    return 8u * count *
           (fields & PROPRIOD_SHM_EFFORT ? 3u : (fields & PROPRIOD_SHM_VELOCITY ? 2u : 1u));
  case PROPRIOD_SHM_IMU:
    return count * (fields & PROPRIOD_SHM_ORIENTATION ? 80u : 48u);
  case PROPRIOD_SHM_SKIN:
    return propriod_shm_padded(12u * count, 8u) + propriod_shm_padded(count, 8u) +
           cells4 *
               (fields & PROPRIOD_SHM_FORCE ? 2u : (fields & PROPRIOD_SHM_PROXIMITY ? 1u : 0u));
  default:
    return 48u * count;
  }
}

/* Where the arrays lie behind a slot's head (`arrays` is the first byte after it). */
static inline struct propriod_shm_joints propriod_shm_view_joints(void *arrays, size_t count) {
  double *q = (double *)arrays;
  struct propriod_shm_joints view = {q, q + count, q + 2 * count};
  return view;
}
static inline struct propriod_shm_imu propriod_shm_view_imu(void *arrays, size_t count) {
  double *f = (double *)arrays;
  struct propriod_shm_imu view = {f, f + 3 * count, f + 6 * count};
  return view;
}
static inline struct propriod_shm_skin propriod_shm_view_skin(void *arrays, size_t count) {
  uint8_t *const acceleration = (uint8_t *)arrays;
  uint8_t *const flags = acceleration + propriod_shm_padded(12u * count, 8u);
  uint8_t *const proximity = flags + propriod_shm_padded(count, 8u);
  uint8_t *const force = proximity + propriod_shm_padded(4u * count, 8u);
  struct propriod_shm_skin view = {(float *)(void *)acceleration, flags, (float *)(void *)proximity,
                                   (float *)(void *)force};
  return view;
}
static inline struct propriod_shm_wrench propriod_shm_view_wrench(void *arrays) {
  struct propriod_shm_wrench view = {(double *)arrays};
  return view;
}

/* Checksum: four lanes of 64 bits.
 *
 * Each step is a bijection of the lane, so a change within one word is always found; several
 * changed words agree by chance once in 2^64. It guards against tearing, stray pointers and
 * flipped bits, not against a forger, who may write to the segment anyway. */
typedef uint64_t propriod_shm_word __attribute__((__may_alias__)); /* any bytes, eight at a time */

struct propriod_shm_sum {
  uint64_t lane[4];
};

static inline struct propriod_shm_sum propriod_shm_sum_begin(void) {
  struct propriod_shm_sum sum = {
      {0x6a09e667f3bcc909ull, 0xbb67ae8584caa73bull, 0x3c6ef372fe94f82bull, 0xa54ff53a5f1d36f1ull}};
  return sum;
}
static inline uint64_t propriod_shm_stir(uint64_t lane, uint64_t word) {
  word *= 0xc6a4a7935bd1e995ull; /* odd, hence invertible */
  word ^= word >> 32;
  return (lane ^ word) * 0x9e3779b97f4a7c15ull;
}
static inline uint64_t propriod_shm_sum_end(const struct propriod_shm_sum *sum,
                                            const struct propriod_shm_slot *slot) {
  uint64_t all = propriod_shm_stir(slot->seq, (uint64_t)slot->t_ns);
  all = propriod_shm_stir(all, (uint64_t)slot->commit_ns);
  all = propriod_shm_stir(all, (uint64_t)slot->fields << 32 | slot->reserved);
  for (int i = 0; i < 4; i++) {
    all = propriod_shm_stir(all, sum->lane[i]);
  }
  return all ^ all >> 29;
}

/* Sum of `bytes` (a multiple of 8) at `arrays` with the slot's head, whose seq must be final. */
static inline uint64_t propriod_shm_checksum(const struct propriod_shm_slot *slot,
                                             const void *arrays, uint64_t bytes) {
  const propriod_shm_word *const word = (const propriod_shm_word *)arrays;
  const uint64_t n = bytes / 8u;
  struct propriod_shm_sum sum = propriod_shm_sum_begin();
  for (uint64_t i = 0; i + 4u <= n; i += 4u) {
    sum.lane[0] = propriod_shm_stir(sum.lane[0], word[i]);
    sum.lane[1] = propriod_shm_stir(sum.lane[1], word[i + 1u]);
    sum.lane[2] = propriod_shm_stir(sum.lane[2], word[i + 2u]);
    sum.lane[3] = propriod_shm_stir(sum.lane[3], word[i + 3u]);
  }
  for (uint64_t lane = 0; lane < n % 4u; lane++) {
    sum.lane[lane] = propriod_shm_stir(sum.lane[lane], word[n - n % 4u + lane]);
  }
  return propriod_shm_sum_end(&sum, slot);
}

/* -- making and checking a header ------------------------------------------------------------- */

static inline uint32_t propriod_shm_max_count(unsigned kind) {
  static const uint32_t most[] = {PROPRIOD_SHM_MAX_JOINTS, PROPRIOD_SHM_MAX_IMUS,
                                  PROPRIOD_SHM_MAX_CELLS, PROPRIOD_SHM_MAX_WRENCH};
  return most[kind];
}

/* Hash of a header's constant part. */
static inline uint64_t propriod_shm_layout_hash(const struct propriod_shm_header *header) {
  const struct propriod_shm_slot none = {0, 0, 0, 0, 0, 0, {0}};
  return propriod_shm_checksum(&none, header, offsetof(struct propriod_shm_header, layout_hash));
}

/* The header of a segment for these counts, each within propriod_shm_max_count(). */
static inline struct propriod_shm_header
propriod_shm_layout(const uint32_t count[PROPRIOD_SHM_STREAMS]) {
  struct propriod_shm_header header;
  memset(&header, 0, sizeof(header));
  header.magic = PROPRIOD_SHM_MAGIC;
  header.version = PROPRIOD_SHM_VERSION;
  header.byte_order = PROPRIOD_SHM_BYTE_ORDER;
  uint64_t end = PROPRIOD_SHM_HEADER_SIZE;
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    struct propriod_shm_stream *stream = &header.stream[kind];
    const uint64_t arrays = propriod_shm_used(kind, count[kind], UINT32_MAX);
    stream->control = end;
    stream->slots = end + sizeof(struct propriod_shm_control);
    stream->slot_size =
        (uint32_t)propriod_shm_padded(sizeof(struct propriod_shm_slot) + arrays, PROPRIOD_SHM_LINE);
    stream->n_slots = PROPRIOD_SHM_SLOTS;
    stream->count = count[kind];
    end = stream->slots + (uint64_t)stream->slot_size * stream->n_slots;
  }
  header.wanted = end;
  end += propriod_shm_padded((count[PROPRIOD_SHM_SKIN] + 63u) / 64u * 8u, PROPRIOD_SHM_LINE);
  header.size = propriod_shm_padded(end, 4096u);
  header.layout_hash = propriod_shm_layout_hash(&header);
  return header;
}

/* Writes the reason; answers -1. */
#define PROPRIOD_SHM_REFUSE(...) (snprintf(why, PROPRIOD_SHM_REASON, __VA_ARGS__), -1)

static inline int propriod_shm_expect(const char *where, const char *what, uint64_t is,
                                      uint64_t expected, char *why) {
  return is == expected
             ? 0
             : PROPRIOD_SHM_REFUSE("segment header: %s%s is %llu, expected %llu", where, what,
                                   (unsigned long long)is, (unsigned long long)expected);
}

static inline int propriod_shm_check_stream(unsigned kind, const struct propriod_shm_stream *is,
                                            const struct propriod_shm_stream *expected, char *why) {
  char where[16];
  snprintf(where, sizeof(where), "%s ", propriod_shm_name(kind));
  if (propriod_shm_expect(where, "control", is->control, expected->control, why) != 0 ||
      propriod_shm_expect(where, "slots", is->slots, expected->slots, why) != 0 ||
      propriod_shm_expect(where, "slot_size", is->slot_size, expected->slot_size, why) != 0 ||
      propriod_shm_expect(where, "n_slots", is->n_slots, expected->n_slots, why) != 0) {
    return -1;
  }
  return propriod_shm_expect(where, "reserved", is->reserved, expected->reserved, why);
}

/* 0 when `header`, a private copy, describes a segment of this version in a file of `file_size`
 * bytes; else -1 with the member that is wrong. */
static inline int propriod_shm_check(const struct propriod_shm_header *header, uint64_t file_size,
                                     char why[PROPRIOD_SHM_REASON]) {
  uint32_t count[PROPRIOD_SHM_STREAMS];
  if (header->magic != PROPRIOD_SHM_MAGIC) {
    return PROPRIOD_SHM_REFUSE("segment header: magic is %016llx, not that of propriod",
                               (unsigned long long)header->magic);
  }
  if (propriod_shm_expect("", "byte_order", header->byte_order, PROPRIOD_SHM_BYTE_ORDER, why) !=
          0 ||
      propriod_shm_expect("", "version", header->version, PROPRIOD_SHM_VERSION, why) != 0) {
    return -1;
  }
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    count[kind] = header->stream[kind].count;
    if (count[kind] > propriod_shm_max_count(kind)) {
      return PROPRIOD_SHM_REFUSE("segment header: %s count is %u, the limit is %u",
                                 propriod_shm_name(kind), count[kind],
                                 propriod_shm_max_count(kind));
    }
  }
  const struct propriod_shm_header expected = propriod_shm_layout(count);
  for (unsigned kind = 0; kind < PROPRIOD_SHM_STREAMS; kind++) {
    if (propriod_shm_check_stream(kind, &header->stream[kind], &expected.stream[kind], why) != 0) {
      return -1;
    }
  }
  if (propriod_shm_expect("", "wanted", header->wanted, expected.wanted, why) != 0 ||
      propriod_shm_expect("", "size", header->size, expected.size, why) != 0 ||
      propriod_shm_expect("", "layout_hash", header->layout_hash, expected.layout_hash, why) != 0) {
    return -1;
  }
  return propriod_shm_expect("", "file size", file_size, expected.size, why);
}

#ifdef __cplusplus
}
#endif
#endif
