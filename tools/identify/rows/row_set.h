/* Measured rows of every joint, thinned.
 *
 * Parallel decimation: one low-pass (a window of Hann's shape) runs over the columns of the
 * regressor and over the torques alike, before both are thinned, so that what it does to one side
 * it does to the other and no phase or gain is left between them. */
#ifndef ROW_SET_H
#define ROW_SET_H

#include "identify/log/log_motion.h"
#include "identify/rows/unknowns.h"

struct joint_rows {
  size_t n_columns;
  size_t *column; /* [n_columns] places in x, ascending */
  size_t n;       /* rows */
  double *Y;      /* [n][n_columns] N m (N) per unit */
  double *tau;    /* [n] N m (N) */
  double *speed;  /* [n] mean |dq|, rad/s (m/s) */
};

struct row_set {
  size_t n_joints;
  size_t n;                 /* instants: rows of each joint */
  size_t thin;              /* samples between rows */
  double dt;                /* s between rows */
  double *t;                /* [n] s from the log's first stamp */
  double *still;            /* [n_joints] rad/s: a row with less speed is near standstill */
  struct joint_rows *joint; /* [n_joints] */
};

struct row_settings {
  double rate_hz;     /* of rows; 0: twice the motion's cutoff */
  double still_share; /* near standstill: below this share of a joint's greatest speed */
};

struct row_settings row_defaults(void);

/* All rows of a motion, the base at rest and `up` what an accelerometer on it reads. [start]
 * STATUS_NO_MEMORY; STATUS_TOO_FEW: no row; statuses of kinematics_update. */
enum status row_set_make(const struct unknowns *unknowns, const struct log_motion *motion, vec3 up,
                         const struct row_settings *settings, struct row_set *rows);
void row_set_free(struct row_set *rows);

/* Whether row k of joint j is to be used: the joint moves. */
static inline bool row_moves(const struct row_set *rows, size_t j, size_t k) {
  return rows->joint[j].speed[k] >= rows->still[j];
}

/* What x [n] leaves of row k of joint j: tau - Y x. */
double row_residual(const struct joint_rows *joint, size_t k, const double *x);

#endif
