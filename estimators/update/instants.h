/* The last few instants of measurement in order of time, each with what was measured then and the
 * estimate after it. A late sample finds its place here; what came after is filtered again.
 *
 * Covariances are large, and what has not been touched for a while is far from the processor. So
 * only those keep theirs from which filtering is likely to begin again: the newest, as far back as
 * samples have come late of late; the oldest; and of those in between one in a few. A sample that
 * comes later than usual costs the steps from the last of these. */
#ifndef INSTANTS_H
#define INSTANTS_H

#include "common/arena.h"
#include "common/status.h"
#include "process/blows.h"
#include "process/joint_process.h"
#include "robot/robot.h"
#include "robot/sensor_frame.h"
#include "skin/joint_measurement.h"

#include <stdint.h>

/* What is known of one foot beside the state. */
struct base_contact {
  bool stands;   /* carries some of the weight */
  bool landed;   /* has just come to stand, here: where it stood before is forgotten */
  bool again;    /* with `landed`: it stood there already, and has told of its ground */
  bool level;    /* on level ground */
  bool known;    /* ... whose height is not only what feet have found */
  double ground; /* m: that height */
  double share;  /* 0 .. 1: of the weight that it carries; an unloaded foot says less */
  bool felt;     /* `share` is measured: it does stand, whatever the base does */
  bool turns;    /* its sole turns, and moves no faster than one does that turns about an edge */
  bool steep;    /* its sole is so steep that it stands on an edge */
  vec3 rolled;   /* m, world: how far its ball's centre has rolled since it landed */
  bool tips;     /* it has a sole, and stands on its edge alone: how it is turned says nothing */
};

enum stream { STREAM_JOINTS = 1u, STREAM_IMU = 2u, STREAM_SKIN = 4u };

/* Readings of encoders that x has taken and P has not yet (encoder_rows.h). */
struct encoders_pending {
  int64_t since_ns; /* when the first was read; 0: none is pending */
  double *told;     /* [n] what they tell of each position, as a part of its variance */
};

struct instant {
  int64_t t_ns;
  unsigned streams;                 /* enum stream bits: what was measured */
  unsigned filtered;                /* of them, already taken into x and P at least once */
  uint64_t revision;                /* of x and P; no two estimates have the same */
  double *q;                        /* [n] encoders, STREAM_JOINTS */
  bool *q_used;                     /* [n] those that passed */
  double *kick_q, *kick, *kick_ddq; /* [n] variance that each q, dq, ddq gained here: in a blow,
                                       by what encoders said against the prediction */
  struct blow blow;                 /* felt since the IMU's reading before */
  struct encoders_pending pending;  /* at this instant and before */
  vec3 rate, force;                 /* IMU frame, STREAM_IMU */
  int64_t felt_ns;                  /* when a force was last told, here or before; 0: never */
  vec3 open_rate, open_force;       /* variance that omega and f gained here, base axes */
  vec3 open_pulse;                  /* what of the latter no turn accounts for */
  struct imu_triads *limb;          /* [n_limbs] of the IMUs on limbs, STREAM_IMU */
  bool rests;                       /* the base does, by its IMU */
  double imu_nis; /* normalised innovation of the IMU, the worse triad, per axis */
  bool has_orientation;
  quat orientation;                            /* R of the base in the world, by the IMU */
  struct base_contact contact[ROBOT_MAX_FEET]; /* STREAM_JOINTS */
  struct link_rows *block;                     /* [blocks_max] fused skin, STREAM_SKIN */
  size_t n_blocks;
  vec3 carried_rate;     /* rad/s: how the base of a limb that is carried moved, STREAM_SKIN */
  struct motion carried; /* rad/s^2, m/s^2: likewise; base coordinates */
  double *carried_noise; /* [observed][6] carried_limb_widen; NULL: not carried */
  double *x, *P; /* estimate after this instant: [numbers], [size][stride], of which the upper
                    triangle; with everything that has come since and belongs here or before.
                    P is NULL once it has been let go */
};

struct instants {
  size_t count, capacity, n_joints;
  int64_t merge_ns;        /* samples closer than this share an instant */
  struct instant **at;     /* [capacity] by rising time; the first `count` in use */
  struct instant *storage; /* [capacity] */
  double **spare;          /* [capacity] covariances that are free; the last was used last */
  size_t spares;
  size_t reach;     /* newest instants that keep their covariances */
  size_t unreached; /* samples placed since one came so late */
  size_t added;     /* instants since covariances were let go */
};

/* One in so many instants keeps its covariance, however old it is. */
enum { INSTANTS_KEEP_EVERY = 4 };

/* [start] */
enum status instants_init(struct instants *instants, const struct joint_layout *layout,
                          size_t capacity, size_t blocks_max, int64_t merge_ns,
                          struct arena *arena);

/* Forgets all. [any] */
void instants_clear(struct instants *instants);

/* The place of a sample of `stream` taken at t_ns: an instant close enough that has none yet, or a
 * new one in between. [real-time] When all places are taken the oldest are dropped, up to the next
 * that has a covariance: INSTANTS_KEEP_EVERY of them at most. Writes its index. STATUS_STALE: not
 * newer than the oldest instant, whose estimate everything starts from; nothing is dropped. */
enum status instants_place(struct instants *instants, int64_t t_ns, enum stream stream,
                           size_t *index);

/* Lets covariances go that are not likely to be wanted. [real-time] That of the instant at
 * keep_ns stays: it holds what filtering it again would not give. */
void instants_thin(struct instants *instants, int64_t keep_ns);

/* Gives instant `index` a covariance, which means nothing yet, if it has let its own go.
 * [real-time] */
void instants_hold(struct instants *instants, size_t index);

/* Index of the newest instant before `index` > 0 that has its covariance. [real-time] */
size_t instants_base(const struct instants *instants, size_t index);

/* Index of the instant that becomes the oldest when the oldest is dropped. [real-time] */
size_t instants_next(const struct instants *instants);

static inline struct instant *instants_newest(const struct instants *instants) {
  return instants->at[instants->count - 1];
}

/* The place for a sample would push the oldest instant out. [real-time] */
static inline bool instants_full(const struct instants *instants) {
  return instants->count == instants->capacity;
}

#endif
