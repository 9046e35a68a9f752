/* Kinematics of many samples at once: what the sigma points of the joint filter need.
 *
 * The sample index is innermost, so that one instruction serves several samples. Results are those
 * of kinematics.h in link coordinates. Three forms, from dear to cheap:
 *
 *   kinematics_batch_step     every sample has its own q: sines, rotations, everything
 *   kinematics_batch_step_at  one q for all; dq, omega0 and the accelerations differ
 *   kinematics_batch_linear   one q; the response to (omegadot0, ddq, vdot0), which is linear */
#ifndef KINEMATICS_BATCH_H
#define KINEMATICS_BATCH_H

#include "common/arena.h"
#include "common/status.h"
#include "model/joint_map.h"

/* Rows of samples are padded to a multiple of this. */
#define BATCH_WIDTH ((size_t)8)

static inline size_t batch_stride(size_t count) {
  return (count + BATCH_WIDTH - 1) / BATCH_WIDTH * BATCH_WIDTH;
}

/* Rows of a link's predicted motion, each row [stride]. */
enum batch_row {
  BATCH_OMEGA = 0,    /* 3 rows: angular velocity, rad/s */
  BATCH_OMEGADOT = 3, /* 3 rows: angular acceleration, rad/s^2 */
  BATCH_VDOT = 6,     /* 3 rows: proper acceleration of the link's origin, m/s^2 */
  BATCH_ROWS = 9
};

/* The samples. NULL stands for zeros. Columns from `count` to the end of the width are computed
 * along and mean nothing; the caller keeps them finite (arena memory is zero). */
struct batch_samples {
  size_t count;            /* samples in use, <= stride */
  size_t stride;           /* multiple of BATCH_WIDTH: distance between rows */
  const double *q;         /* [n_joints][stride] rad or m */
  const double *dq;        /* [n_joints][stride] */
  const double *ddq;       /* [n_joints][stride] */
  const double *omega0;    /* [3][stride] rad/s, base coordinates */
  const double *omegadot0; /* [3][stride] rad/s^2, base coordinates */
  const double *vdot0;     /* [3][stride] m/s^2, proper, base coordinates */
};

struct kinematics_batch {
  const struct model *model;
  struct joint_map *map; /* [n_joints] constants */
  bool *needed;          /* [n_links] the link, or one beyond it, is wanted */
  size_t stride;         /* largest stride that a step takes */
  double *sin_q, *cos_q; /* [n_joints][stride] of the last step */
  double *zeros;         /* [stride] what NULL stands for */
};

/* Prepares for up to `max_samples` samples. [start]
 * wanted: [n_links] links whose motion is asked for, or NULL for all; the passes leave out others.
 * STATUS_NO_MEMORY: the arena is full; STATUS_BAD_ARGUMENT: max_samples is 0. */
enum status kinematics_batch_init(struct kinematics_batch *batch, const struct model *model,
                                  const bool *wanted, size_t max_samples, struct arena *arena);

/* Motion of every needed link for every sample. [real-time]
 * y: [n_links][BATCH_ROWS][stride], link coordinates, no overlap with the inputs. Rows of links not
 * needed are not written, and nothing is unless STATUS_OK.
 * STATUS_NOT_FINITE, STATUS_OUT_OF_RANGE: as kinematics_update, over the samples in use.
 * STATUS_BAD_ARGUMENT: q is NULL, or sizes beyond what init prepared.
 * Leboutet (141)-(142). */
enum status kinematics_batch_step(struct kinematics_batch *batch,
                                  const struct batch_samples *samples, double *y);

/* The same with one configuration for all. q: [n_joints]; samples->q is not read. [real-time] */
enum status kinematics_batch_step_at(struct kinematics_batch *batch, const double *q,
                                     const struct batch_samples *samples, double *y);

/* The part of the motion that is linear in (omegadot0, ddq, vdot0) at the configuration q: what
 * remains when omega0 and dq are zero. [real-time]
 * samples: omegadot0, ddq, vdot0 are read. y: as above; BATCH_OMEGA rows are not written. */
enum status kinematics_batch_linear(struct kinematics_batch *batch, const double *q,
                                    const struct batch_samples *samples, double *y);

#endif
