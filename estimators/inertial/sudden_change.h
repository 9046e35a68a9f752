/* Finds a large change of a constant with the third sample after it, from whitened innovations.
 *
 * What three samples in a row have in common, row by row the one nearest to zero, is held against
 * the chi-square bound of their mean, SUDDEN_CHANGE times; and the two newest must be alike,
 * further from zero than from each other. One wild sample has nothing in common with its
 * neighbours, blows to and fro have nothing with one another, and what a blow leaves when stamps
 * are late is soon another. Small changes are change_detector's. All functions: [real-time]. */
#ifndef SUDDEN_CHANGE_H
#define SUDDEN_CHANGE_H

#include "inertial/inertial_core.h"

#define SUDDEN_CHANGE 4.0

struct sudden_change {
  double quantile;                   /* normal quantile of the bound */
  size_t rows;                       /* of the newest sample; other rows begin anew */
  double last[2][INERTIAL_MAX_ROWS]; /* the newest samples, the newest first; 0 after a reset */
};

void sudden_change_reset(struct sudden_change *sudden);

/* Takes whitened innovations [rows] in. Returns the share of the bound: above 1 it has changed, and
 * the search begins anew. */
double sudden_change_step(struct sudden_change *sudden, const double *white, size_t rows);

#endif
