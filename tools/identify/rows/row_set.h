/* Measured rows, thinned: one channel for each joint's torque, or, on a floating base whose feet's
 * wrenches are measured, one for each of the six components of the wrench on the base.
 *
 * Parallel decimation: one low-pass (a window of Hann's shape) runs over the columns of the
 * regressor and over the torques alike, before both are thinned, so that what it does to one side
 * it does to the other and no phase or gain is left between them. */
#ifndef ROW_SET_H
#define ROW_SET_H

#include "identify/log/log_motion.h"
#include "identify/rows/unknowns.h"

struct channel_rows {
  size_t n_columns;
  size_t *column; /* [n_columns] places in x, ascending */
  size_t n;       /* rows */
  double *Y;      /* [n][n_columns] N m (N) per unit */
  double *tau;    /* [n] N m (N) */
  double *speed;  /* [n] mean |dq|, rad/s (m/s); of a component of the base's wrench: 1 */
};

struct row_set {
  size_t n_channels;
  size_t n;                     /* instants: rows of each channel */
  size_t thin;                  /* samples between rows */
  double dt;                    /* s between rows */
  double *t;                    /* [n] s from the log's first stamp */
  double *still;                /* [n_channels] rad/s: less speed is near standstill */
  struct channel_rows *channel; /* [n_channels] */
};

struct row_settings {
  double rate_hz;     /* of rows; 0: twice the motion's cutoff */
  double still_share; /* near standstill: below this share of a joint's greatest speed */
};

struct row_settings row_defaults(void);

/* All rows of a motion; where it does not say how the base moves, that is at rest and `up` what an
 * accelerometer on it reads. [start] STATUS_BAD_ARGUMENT: a floating base without its wrench;
 * STATUS_NO_MEMORY; STATUS_TOO_FEW: no row; statuses of kinematics_update. */
enum status row_set_make(const struct unknowns *unknowns, const struct log_motion *motion, vec3 up,
                         const struct row_settings *settings, struct row_set *rows);
void row_set_free(struct row_set *rows);

/* Whether row k of channel j is to be used: the joint moves. */
static inline bool row_moves(const struct row_set *rows, size_t j, size_t k) {
  return rows->channel[j].speed[k] >= rows->still[j];
}

/* What x [n] leaves of row k of a channel: tau - Y x. */
double row_residual(const struct channel_rows *joint, size_t k, const double *x);

#endif
