/* Reading propriod's estimates from shared memory: for controllers on the same machine.
 *
 *   struct propriod_state_reader reader;
 *   struct propriod_state state;
 *   struct propriod_centroidal centroidal;
 *   char why[PROPRIOD_STATE_REASON];
 *   if (propriod_state_open(&reader, PROPRIOD_STATE_DEFAULT, why) != 0) {
 *     fprintf(stderr, "%s\n", why);
 *   }
 *   if (propriod_state_read(&reader, &state, &centroidal) == 0 &&
 *       (state.estimated & PROPRIOD_STATE_DDQ)) {
 *     use(state.ddq[0]);
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

#include "propriod/vector.h"

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

#define PROPRIOD_STATE_MAGIC   0x45544154534f5250ull /* "PROSTATE" */
#define PROPRIOD_STATE_VERSION 5u
#define PROPRIOD_STATE_SLOTS   4u /* states kept: a reader has three periods to copy one */
#define PROPRIOD_MAX_JOINTS    128u
#define PROPRIOD_MAX_FEET      8u
#define PROPRIOD_STATE_REASON  256u                      /* bytes of a reason text */
#define PROPRIOD_STATE_DEFAULT "/run/propriod/shm-state" /* of the service */

/* `status` of both structs. */
enum propriod_status {
  PROPRIOD_STATUS_INIT, /* not yet converged, or no input yet */
  PROPRIOD_STATUS_OK,
  PROPRIOD_STATUS_DEGRADED, /* valid with fewer or worse sensors; the deviations say how much */
  PROPRIOD_STATUS_DIVERGED, /* lost consistency; recovering */
  PROPRIOD_STATUS_STALE     /* input stopped; predictions or older */
};

/* Parts of struct propriod_state: bits of its `estimated`. The comment says which members; without
 * one it is the member of that name. */
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
#define PROPRIOD_STATE_IMU_BIASES    (1u << 12) /* gyro_bias, accelerometer_bias */
#define PROPRIOD_STATE_INNOVATIONS   (1u << 13) /* nis_* */
#define PROPRIOD_STATE_BASE_SD       (1u << 14) /* base_*_sd, *_bias_sd, tilt_sd */

/* Parts of struct propriod_centroidal: bits of its `estimated`. */
#define PROPRIOD_CENTROIDAL_COM_B         (1u << 0) /* com_in_base */
#define PROPRIOD_CENTROIDAL_COM           (1u << 1) /* com_position */
#define PROPRIOD_CENTROIDAL_COM_VELOCITY  (1u << 2)
#define PROPRIOD_CENTROIDAL_COM_ACC       (1u << 3) /* com_acceleration */
#define PROPRIOD_CENTROIDAL_MOMENTUM      (1u << 4) /* angular_momentum */
#define PROPRIOD_CENTROIDAL_MOMENTUM_RATE (1u << 5) /* angular_momentum_rate */
#define PROPRIOD_CENTROIDAL_COP           (1u << 6) /* cop_position, cop_sd */
#define PROPRIOD_CENTROIDAL_DCM           (1u << 7) /* dcm_position, capture_point */
#define PROPRIOD_CENTROIDAL_MASS          (1u << 8)
#define PROPRIOD_CENTROIDAL_SUPPORT       (1u << 9)  /* com_from_support, support_* */
#define PROPRIOD_CENTROIDAL_WRENCH        (1u << 10) /* contact_force, contact_force_sd */
#define PROPRIOD_CENTROIDAL_FIVE_MASS     (1u << 11) /* five_mass_* */
#define PROPRIOD_CENTROIDAL_POSTURE       (1u << 12) /* inertia_* */
#define PROPRIOD_CENTROIDAL_PUSH          (1u << 13) /* push_* */
#define PROPRIOD_CENTROIDAL_FEET          (1u << 14) /* foot_force: by sensors or torques */
#define PROPRIOD_CENTROIDAL_COP_SENSED    (1u << 15) /* cop_disagreement: sensors on the feet */
#define PROPRIOD_CENTROIDAL_MARGIN        (1u << 16) /* support_margin */
#define PROPRIOD_CENTROIDAL_SD            (1u << 17) /* com_*_sd, angular_momentum_*, dcm_sd */

/* Topic `centroidal`. 8-byte members only, so that it can be copied by words. A comment begins with
 * the unit, and the frame whose axes are meant. */
struct propriod_centroidal {
  uint64_t seq;                            /* cycle number, no gaps */
  int64_t t_ns;                            /* instant that the estimate is for */
  uint64_t status;                         /* enum propriod_status */
  uint64_t estimated;                      /* PROPRIOD_CENTROIDAL_* bits */
  uint64_t n_feet;                         /* feet in use of support_share and foot_force */
  double mass;                             /* kg */
  propriod_vec3 com_in_base;               /* m, base_link */
  propriod_vec3 com_position;              /* m, world */
  propriod_vec3 com_velocity;              /* m/s, world */
  propriod_vec3 com_acceleration;          /* m/s^2, world: gravity removed, zero at rest */
  propriod_vec3 angular_momentum;          /* kg m^2/s, world: about the centre of mass */
  propriod_vec3 angular_momentum_rate;     /* N m, world: about the centre of mass */
  propriod_vec3 cop_position;              /* m, world: on the ground; may be beside the feet */
  propriod_vec3 cop_sd;                    /* m, world: one standard deviation; z is 0 */
  propriod_vec3 dcm_position;              /* m, world: divergent component of motion */
  propriod_vec3 com_from_support;          /* m, world: from the sole of the support foot */
  propriod_vec3 contact_force;             /* N, world: ground and all that pushes */
  uint64_t support_phase;                  /* 0 nothing carries, 1 one foot, 2 more, 3 strike */
  uint64_t support_foot;                   /* index of the foot that carries most, in `feet` */
  double support_share[PROPRIOD_MAX_FEET]; /* 0 .. 1 of the weight, on each foot */
  uint64_t support_slips;                  /* 1 while a foot that stands slips */
  double support_margin;                /* m: cop_position inside of the soles; negative outside */
  propriod_vec3 capture_point;          /* m, world: on the ground; a step there brings to rest */
  propriod_vec3 cop_disagreement;       /* m, world: of the foot sensors less that of the motion */
  double foot_force[PROPRIOD_MAX_FEET]; /* N: vertical, on each foot */
  uint64_t push_active;                 /* 1 while something other than the ground pushes */
  uint64_t push_observable;             /* 0: force and impulse are lower bounds */
  uint64_t push_count;                  /* pushes since the start */
  propriod_vec3 push_force;             /* N, world */
  propriod_vec3 push_impulse;           /* N s, world: of this push, or of the last one */
  propriod_vec3 five_mass_com;          /* m, world: of the five masses */
  propriod_vec3 five_mass_acceleration; /* m/s^2, world: gravity removed, zero at rest */
  propriod_vec3 five_mass_angular_momentum; /* kg m^2/s, world: about five_mass_com */
  propriod_quat inertia_orientation;        /* world: axes of the five masses, R_WI */
  propriod_vec3 inertia_angles;             /* rad, world: its roll, pitch, yaw; yaw is unwrapped */
  propriod_vec3 inertia_rate;               /* rad/s, world: of inertia_angles */
  propriod_vec3 inertia_acceleration;       /* rad/s^2, world: of inertia_angles */
  propriod_vec3 inertia_moments;            /* kg m^2: about the axes of inertia_orientation */
  /* one standard deviation each, of what they are named after */
  propriod_vec3 com_in_base_sd;           /* m, base_link */
  propriod_vec3 com_position_sd;          /* m, world */
  propriod_vec3 com_velocity_sd;          /* m/s, world */
  propriod_vec3 com_acceleration_sd;      /* m/s^2, world */
  propriod_vec3 angular_momentum_sd;      /* kg m^2/s, world */
  propriod_vec3 angular_momentum_rate_sd; /* N m, world */
  propriod_vec3 dcm_sd;                   /* m, world: of dcm_position and capture_point */
  propriod_vec3 contact_force_sd;         /* N, world: what its smoothing hides included */
  propriod_vec3 push_force_sd;            /* N, world: of the recent past without a push */
};

/* Topic `state`: joints and base, likewise. What each joint has stands at the end, one array of
 * PROPRIOD_MAX_JOINTS beside the other, of which the first n_joints elements are in use. */
struct propriod_state {
  uint64_t seq;                               /* cycle number, no gaps */
  int64_t t_ns;                               /* instant that the estimate is for */
  uint64_t status;                            /* enum propriod_status */
  uint64_t estimated;                         /* PROPRIOD_STATE_* bits */
  uint64_t n_joints;                          /* joints in use below */
  uint64_t resets;                            /* published jumps since the start */
  uint64_t imu_suspect;                       /* 0: the IMU is used; otherwise why it is left out */
  propriod_quat quat_xyzw;                    /* world: from base_link, R_WB */
  propriod_vec3 base_position;                /* m, world */
  propriod_vec3 base_velocity;                /* m/s, world */
  propriod_vec3 base_angular_velocity;        /* rad/s, base_link */
  propriod_vec3 base_angular_acceleration;    /* rad/s^2, base_link */
  propriod_vec3 base_specific_force;          /* m/s^2, base_link: acceleration less gravity */
  propriod_vec3 gyro_bias;                    /* rad/s, base_link */
  propriod_vec3 accelerometer_bias;           /* m/s^2, base_link */
  propriod_vec3 base_orientation_sd;          /* rad, base_link: one standard deviation */
  propriod_vec3 base_position_sd;             /* m, world: one standard deviation */
  propriod_vec3 base_velocity_sd;             /* m/s, world: one standard deviation */
  propriod_vec3 base_angular_velocity_sd;     /* rad/s, base_link: one standard deviation */
  propriod_vec3 base_angular_acceleration_sd; /* rad/s^2, base_link: one standard deviation */
  propriod_vec3 base_specific_force_sd;       /* m/s^2, base_link: one standard deviation */
  propriod_vec3 gyro_bias_sd;                 /* rad/s, base_link: one standard deviation */
  propriod_vec3 accelerometer_bias_sd;        /* m/s^2, base_link: one standard deviation */
  double tilt_sd;      /* rad, world: one standard deviation, of the worse axis */
  double nis_encoders; /* normalised innovation squared per encoder row, 1 when consistent */
  double nis_imu;      /* the same per row of the IMU */
  double nis_skin;     /* the same per row of the skin */
  double q[PROPRIOD_MAX_JOINTS];              /* rad or m */
  double dq[PROPRIOD_MAX_JOINTS];             /* rad/s or m/s */
  double ddq[PROPRIOD_MAX_JOINTS];            /* rad/s^2 or m/s^2 */
  double jerk[PROPRIOD_MAX_JOINTS];           /* rad/s^3 or m/s^3 */
  double q_sd[PROPRIOD_MAX_JOINTS];           /* rad or m: one standard deviation */
  double dq_sd[PROPRIOD_MAX_JOINTS];          /* rad/s or m/s: one standard deviation */
  double ddq_sd[PROPRIOD_MAX_JOINTS];         /* rad/s^2 or m/s^2: one standard deviation */
  double effort[PROPRIOD_MAX_JOINTS];         /* N m or N: as measured */
  uint64_t joint_health[PROPRIOD_MAX_JOINTS]; /* 0: the encoder is used; else as in `meta` */
};

/* before the joints' arrays */
#define PROPRIOD_STATE_HEAD_BYTES offsetof(struct propriod_state, q)
#define PROPRIOD_STATE_ARRAYS                                                                      \
  ((sizeof(struct propriod_state) - PROPRIOD_STATE_HEAD_BYTES) / 8u / PROPRIOD_MAX_JOINTS)

/* A result in its slot: result k (1, 2, ...) lies in slot (k - 1) % PROPRIOD_STATE_SLOTS. */
struct propriod_state_slot {
  uint64_t seq; /* 2k - 1 while result k is being written, 2k when it is complete */
  uint64_t reserved[7];
  struct propriod_centroidal centroidal;
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

/* Copies what another process may be writing. Acquire: what is loaded later was written no
 * earlier. */
static inline void propriod_state_copy(void *out, const void *in, size_t bytes) {
  for (size_t i = 0; i < bytes / 8u; i++) {
    ((uint64_t *)out)[i] = __atomic_load_n((const uint64_t *)in + i, __ATOMIC_ACQUIRE);
  }
}

/* Of the joints' arrays only what is in use. -1: the number of joints makes no sense. */
static inline int propriod_state_copy_state(struct propriod_state *out,
                                            const struct propriod_state *in) {
  propriod_state_copy(out, in, PROPRIOD_STATE_HEAD_BYTES);
  if (out->n_joints > PROPRIOD_MAX_JOINTS) {
    return -1;
  }
  for (size_t a = 0; a < PROPRIOD_STATE_ARRAYS; a++) {
    const size_t begin = PROPRIOD_STATE_HEAD_BYTES + a * PROPRIOD_MAX_JOINTS * 8u;
    propriod_state_copy((char *)out + begin, (const char *)in + begin, out->n_joints * 8u);
  }
  return 0;
}

/* Copies the newest result; NULL for the struct that is not wanted. 0, or -1: nothing has been
 * published yet, or propriod has ended or made another segment: close and open again. Bounded, no
 * system call. */
static inline int propriod_state_read(const struct propriod_state_reader *reader,
                                      struct propriod_state *state,
                                      struct propriod_centroidal *centroidal) {
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
    if (centroidal != NULL) {
      propriod_state_copy(centroidal, &slot->centroidal, sizeof(*centroidal));
    }
    if (state != NULL && propriod_state_copy_state(state, &slot->state) != 0) {
      continue;
    }
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
