/* Reading propriod's estimates from shared memory: for controllers on the same machine.
 *
 *   struct propriod_state_reader reader;
 *   struct propriod_state state;
 *   char why[PROPRIOD_STATE_REASON];
 *   if (propriod_state_open(&reader, PROPRIOD_STATE_DEFAULT, why) != 0) { fprintf(stderr, "%s\n",
 * why); } if (propriod_state_read(&reader, &state) == 0 && (state.estimated & PROPRIOD_STATE_DDQ))
 * { use(state.joint[0].ddq);
 *   }
 *
 * The same numbers as the topics `state` and `centroidal`, under the same names, every cycle, at
 * the cost of a copy (well below a microsecond) and without a system call. Order and names of the
 * joints, and the frames, are in the topic `meta`. A part whose bit is not set has no meaning; one
 * whose bit is set is finite. Time is CLOCK_MONOTONIC in nanoseconds: compare t_ns with the clock
 * to see how old a state is; propriod that has died leaves its last one behind.
 *
 * Needs nothing but the C library: C11 or C++11 with GNU extensions (gcc's and clang's default, or
 * -D_GNU_SOURCE). Link nothing. Any number of readers; none disturbs the daemon. */
#ifndef PROPRIOD_STATE_H
#define PROPRIOD_STATE_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the segment is little-endian; this machine is not"
#endif
#ifndef _DEFAULT_SOURCE
#error "compile with -std=gnu11 (gcc's default) or with -D_GNU_SOURCE"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define PROPRIOD_STATE_MAGIC      0x45544154534f5250ull /* "PROSTATE" */
#define PROPRIOD_STATE_VERSION    2u
#define PROPRIOD_STATE_SLOTS      4u /* states kept: a reader has three periods to copy one */
#define PROPRIOD_STATE_MAX_JOINTS 128u
#define PROPRIOD_STATE_MAX_FEET   8u
#define PROPRIOD_STATE_REASON     256u                      /* bytes of a reason text */
#define PROPRIOD_STATE_DEFAULT    "/run/propriod/shm-state" /* of the service */

/* `status` and `centroidal_status`. */
#define PROPRIOD_STATUS_INIT     0u /* not yet converged, or no input yet */
#define PROPRIOD_STATUS_OK       1u
#define PROPRIOD_STATUS_DEGRADED 2u /* valid with fewer or worse sensors */
#define PROPRIOD_STATUS_DIVERGED 3u /* lost consistency; recovering */
#define PROPRIOD_STATUS_STALE    4u /* input stopped; predictions or older */

/* Bits of `estimated`. */
#define PROPRIOD_STATE_Q             (1u << 0)
#define PROPRIOD_STATE_DQ            (1u << 1)
#define PROPRIOD_STATE_DDQ           (1u << 2)
#define PROPRIOD_STATE_JERK          (1u << 3)
#define PROPRIOD_STATE_DEVIATIONS    (1u << 4) /* q_sd, dq_sd, ddq_sd */
#define PROPRIOD_STATE_BASE_RATE     (1u << 5) /* base_angular_velocity */
#define PROPRIOD_STATE_BASE_ANG_ACC  (1u << 6) /* base_angular_acceleration */
#define PROPRIOD_STATE_BASE_FORCE    (1u << 7) /* base_specific_force */
#define PROPRIOD_STATE_BASE_ATTITUDE (1u << 8) /* quat_xyzw */
#define PROPRIOD_STATE_BASE_VELOCITY (1u << 9)
#define PROPRIOD_STATE_BASE_POSITION (1u << 10)
#define PROPRIOD_STATE_EFFORT        (1u << 11)
#define PROPRIOD_STATE_GYRO_BIAS     (1u << 12)
#define PROPRIOD_STATE_INNOVATIONS   (1u << 13) /* nis_* */

/* Bits of `centroidal_estimated`. */
#define PROPRIOD_CENTROIDAL_COM_B         (1u << 0) /* com_in_base */
#define PROPRIOD_CENTROIDAL_COM           (1u << 1) /* com_position */
#define PROPRIOD_CENTROIDAL_COM_VELOCITY  (1u << 2)
#define PROPRIOD_CENTROIDAL_COM_ACC       (1u << 3)
#define PROPRIOD_CENTROIDAL_MOMENTUM      (1u << 4)
#define PROPRIOD_CENTROIDAL_MOMENTUM_RATE (1u << 5)
#define PROPRIOD_CENTROIDAL_COP           (1u << 6)
#define PROPRIOD_CENTROIDAL_DCM           (1u << 7) /* dcm_position, capture_point */
#define PROPRIOD_CENTROIDAL_MASS          (1u << 8)
#define PROPRIOD_CENTROIDAL_SUPPORT       (1u << 9)  /* com_from_support, support_phase .. */
#define PROPRIOD_CENTROIDAL_WRENCH        (1u << 10) /* contact_force */
#define PROPRIOD_CENTROIDAL_FIVE_MASS     (1u << 11) /* five_mass_* */
#define PROPRIOD_CENTROIDAL_POSTURE       (1u << 12) /* inertia_* */
#define PROPRIOD_CENTROIDAL_PUSH          (1u << 13) /* push_* */
#define PROPRIOD_CENTROIDAL_FEET          (1u << 14) /* foot_force */
#define PROPRIOD_CENTROIDAL_COP_SENSED    (1u << 15) /* cop_disagreement */
#define PROPRIOD_CENTROIDAL_MARGIN        (1u << 16) /* support_margin */

struct propriod_state_joint {
  double q, dq, ddq, jerk;    /* rad or m, and its derivatives by time */
  double q_sd, dq_sd, ddq_sd; /* one standard deviation */
  double effort;              /* N m or N, as measured */
  uint64_t health;            /* 0: the encoder is used; else as joint_health in `meta` */
};

/* One state. 8-byte members only, so that it can be copied by words. */
struct propriod_state {
  uint64_t seq;                        /* cycle number */
  int64_t t_ns;                        /* instant that the estimate is for */
  uint64_t n_joints;                   /* joints in use below */
  uint64_t status;                     /* PROPRIOD_STATUS_* of joints and base */
  uint64_t estimated;                  /* PROPRIOD_STATE_* */
  uint64_t resets;                     /* published jumps since the start */
  uint64_t imu_suspect;                /* 0: the IMU is used; otherwise why it is left out */
  uint64_t centroidal_status;          /* PROPRIOD_STATUS_* */
  uint64_t centroidal_estimated;       /* PROPRIOD_CENTROIDAL_* */
  double quat_xyzw[4];                 /* base_link to world */
  double base_position[3];             /* m, world */
  double base_velocity[3];             /* m/s, world */
  double base_angular_velocity[3];     /* rad/s, base_link */
  double base_angular_acceleration[3]; /* rad/s^2, base_link */
  double base_specific_force[3];       /* m/s^2, base_link: acceleration less gravity */
  double gyro_bias[3];                 /* rad/s, base_link */
  double mass;                         /* kg */
  double com_in_base[3];               /* m, base_link */
  double com_position[3];              /* m, world */
  double com_velocity[3];              /* m/s, world */
  double com_acceleration[3];          /* m/s^2, world, zero at rest */
  double angular_momentum[3];          /* kg m^2/s, world axes, about the centre of mass */
  double angular_momentum_rate[3];     /* N m, world axes, about the centre of mass */
  double cop_position[3];              /* m, world, on the ground; not clipped to the feet */
  double cop_sd[3];                    /* m, world, one standard deviation */
  double dcm_position[3];              /* m, world */
  double com_from_support[3];          /* m, world axes, from the sole of the support foot */
  double contact_force[3];             /* N, world axes */
  double capture_point[3];             /* m, world, on the ground: a step there brings to rest */
  double cop_disagreement[3];          /* m, world: of the foot sensors less that of the motion */
  double support_margin;               /* m: cop_position inside of the soles; negative outside */
  uint64_t support_phase;              /* 0: nothing carries, 1: one foot, 2: more, 3: strike */
  uint64_t support_foot;               /* index of the foot that carries most */
  uint64_t support_slips;              /* 1 while a standing foot slips */
  uint64_t n_feet;                     /* feet in use of support_share and foot_force */
  double support_share[PROPRIOD_STATE_MAX_FEET]; /* 0 .. 1, of the weight on each foot */
  double foot_force[PROPRIOD_STATE_MAX_FEET];    /* N, vertical, on each foot */
  uint64_t push_active;                 /* 1 while something other than the ground pushes */
  uint64_t push_observable;             /* 0: force and impulse are lower bounds */
  uint64_t push_count;                  /* since the start */
  double push_force[3];                 /* N, world axes */
  double push_impulse[3];               /* N s, world axes: of this push, or of the last one */
  double five_mass_com[3];              /* m, world */
  double five_mass_acceleration[3];     /* m/s^2, world, zero at rest */
  double five_mass_angular_momentum[3]; /* kg m^2/s, world axes, about five_mass_com */
  double inertia_orientation[4];        /* x y z w: axes of the five masses to world */
  double inertia_angles[3];             /* rad: roll, pitch, yaw of it; yaw does not wrap */
  double inertia_rate[3];               /* rad/s */
  double inertia_acceleration[3];       /* rad/s^2 */
  double inertia_moments[3];            /* kg m^2, about the axes of inertia_orientation */
  double nis_encoders, nis_imu,
      nis_skin; /* normalised innovation squared per row, 1 when consistent */
  struct propriod_state_joint joint[PROPRIOD_STATE_MAX_JOINTS];
};

#define PROPRIOD_STATE_HEAD_WORDS  (offsetof(struct propriod_state, joint) / 8u)
#define PROPRIOD_STATE_JOINT_WORDS (sizeof(struct propriod_state_joint) / 8u)

/* A state in its slot: state k (1, 2, ...) lies in slot (k - 1) % PROPRIOD_STATE_SLOTS. */
struct propriod_state_slot {
  uint64_t seq; /* 2k - 1 while state k is being written, 2k when it is complete */
  uint64_t reserved[7];
  struct propriod_state state;
};

/* The whole segment. */
struct propriod_state_segment {
  uint64_t magic;
  uint32_t version;
  uint32_t retired; /* not 0: propriod has ended or made another; open again */
  uint64_t size;    /* of this struct */
  int64_t period_ns;
  uint64_t latest; /* states written so far */
  uint64_t reserved[3];
  struct propriod_state_slot slot[PROPRIOD_STATE_SLOTS];
};

struct propriod_state_reader {
  const struct propriod_state_segment *segment; /* NULL: not open */
};

static inline void propriod_state_close(struct propriod_state_reader *reader) {
  if (reader->segment != NULL) {
    munmap((void *)(uintptr_t)reader->segment, sizeof(*reader->segment));
  }
  reader->segment = NULL;
}

static inline int propriod_state_map(struct propriod_state_reader *reader, int fd, const char *path,
                                     char *why) {
  struct stat file;
  if (fstat(fd, &file) != 0 || (uint64_t)file.st_size != sizeof(struct propriod_state_segment)) {
    snprintf(why, PROPRIOD_STATE_REASON, "%s: not of the size that version %u has", path,
             PROPRIOD_STATE_VERSION);
    return -1;
  }
  void *base = mmap(NULL, sizeof(struct propriod_state_segment), PROT_READ,
                    MAP_SHARED | MAP_POPULATE, fd, 0);
  if (base == MAP_FAILED) {
    snprintf(why, PROPRIOD_STATE_REASON, "%s: %s", path, strerror(errno));
    return -1;
  }
  reader->segment = (const struct propriod_state_segment *)base;
  if (reader->segment->magic != PROPRIOD_STATE_MAGIC ||
      reader->segment->version != PROPRIOD_STATE_VERSION ||
      reader->segment->size != sizeof(struct propriod_state_segment)) {
    snprintf(why, PROPRIOD_STATE_REASON, "%s: version %u of another layout, this reader has %u",
             path, reader->segment->version, PROPRIOD_STATE_VERSION);
    propriod_state_close(reader);
    return -1;
  }
  return 0;
}

/* Opens the state called `name`: propriod's `input.segment` with -state behind, normally
 * PROPRIOD_STATE_DEFAULT; an absolute path means itself, a plain name a file in /dev/shm. 0, or -1
 * with a reason in `why`; try again about once a second. */
static inline int propriod_state_open(struct propriod_state_reader *reader, const char *name,
                                      char why[PROPRIOD_STATE_REASON]) {
  char path[128];
  reader->segment = NULL;
  if (name[0] == '\0' || strlen(name) > sizeof(path) - 16u ||
      (name[0] != '/' && strchr(name, '/') != NULL)) {
    snprintf(why, PROPRIOD_STATE_REASON, "\"%.70s\" is neither an absolute path nor a plain name",
             name);
    return -1;
  }
  snprintf(path, sizeof(path), "%s%s", name[0] == '/' ? "" : "/dev/shm/", name);
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) {
    snprintf(why, PROPRIOD_STATE_REASON, "%.120s: %.80s%s", path, strerror(errno),
             errno == ENOENT   ? "; is propriod running?"
             : errno == EACCES ? "; is this user in group propriod?"
                               : "");
    return -1;
  }
  const int mapped = propriod_state_map(reader, fd, path, why);
  close(fd);
  return mapped;
}

/* Copies words that another process may be writing. Acquire: what is loaded later was written no
 * earlier. */
static inline void propriod_state_copy(uint64_t *out, const uint64_t *in, size_t words) {
  for (size_t i = 0; i < words; i++) {
    out[i] = __atomic_load_n(in + i, __ATOMIC_ACQUIRE);
  }
}

/* Copies the newest state; of `out->joint` only the first n_joints are written. 0, or -1: nothing
 * has been published yet, or propriod has ended or made another segment: close and open again.
 * Bounded, no system call. */
static inline int propriod_state_read(const struct propriod_state_reader *reader,
                                      struct propriod_state *out) {
  const struct propriod_state_segment *segment = reader->segment;
  if (__atomic_load_n(&segment->retired, __ATOMIC_RELAXED) != 0) {
    return -1;
  }
  for (int attempt = 0; attempt < 16; attempt++) {
    const uint64_t k = __atomic_load_n(&segment->latest, __ATOMIC_ACQUIRE);
    if (k == 0) {
      return -1;
    }
    const struct propriod_state_slot *slot = &segment->slot[(k - 1u) % PROPRIOD_STATE_SLOTS];
    if (__atomic_load_n(&slot->seq, __ATOMIC_ACQUIRE) != 2u * k) {
      continue;
    }
    propriod_state_copy((uint64_t *)(void *)out, (const uint64_t *)(const void *)&slot->state,
                        PROPRIOD_STATE_HEAD_WORDS);
    if (out->n_joints > PROPRIOD_STATE_MAX_JOINTS) {
      continue;
    }
    propriod_state_copy((uint64_t *)(void *)out->joint,
                        (const uint64_t *)(const void *)slot->state.joint,
                        out->n_joints * PROPRIOD_STATE_JOINT_WORDS);
    if (__atomic_load_n(&slot->seq, __ATOMIC_RELAXED) == 2u * k) {
      return 0;
    }
  }
  return -1;
}

#ifdef __cplusplus
}
#endif
#endif
