/* How noisy rows truly are in motion, beside what was told of them, and how long their noise lasts.
 *
 * Residuals of real drives and of a model that is a little off are coloured: blocks in a row err
 * alike. Each row's residuals are therefore averaged over 1, 2, 4 ... samples, and the variance of
 * such a mean times its time is what noise counts for over that time; the largest is taken. It is
 * the same however often sensors are sampled.
 *
 * What stays is no noise but a bias, which has a state of its own, where it is the sensors': there
 * the variance is Allan's, half the mean square of what neighbouring means differ by. Counted as
 * noise it would never be found, for the noise that it is taken for. What stays in a joint's row
 * may be friction, which turns with the motion, and counts.
 *
 * Longer means, of which there are few, begin from what the shorter ones say, and from how long
 * noise was told to last. Told noise is the least. [real-time], no allocation. */
#ifndef ROW_SCATTER_H
#define ROW_SCATTER_H

#include "inertial/row_memory.h"

enum { ROW_SCATTER_LEVELS = 8 }; /* means of up to 128 samples */

struct row_scatter {
  double lasts_s;                    /* s: correlation time of noise until it is learned */
  double dt;                         /* s of the newest sample */
  size_t rows;                       /* of the samples; other rows begin anew */
  double time_s[ROW_SCATTER_LEVELS]; /* of the mean that waits for its other half; 0: none does */
  double mean[ROW_SCATTER_LEVELS][INERTIAL_MAX_ROWS];     /* the newest mean */
  double weight[ROW_SCATTER_LEVELS];                      /* means that were taken, fading */
  double variance[ROW_SCATTER_LEVELS][INERTIAL_MAX_ROWS]; /* times a mean's time over block_s */
};

/* Nothing is known but what was told, and that noise may last for lasts_s (s). */
void row_scatter_reset(struct row_scatter *scatter, double lasts_s);

/* Takes residuals [rows] of dt seconds, in units of the told deviation of a block's mean; what
 * stays of the first `biased` is a bias. block_s: s of a block. What is beyond four deviations
 * counts as four, so that a change of load teaches little. */
void row_scatter_take(struct row_scatter *scatter, const double *residual, size_t rows,
                      size_t biased, double dt, double block_s);

/* How many times the told variance row r has over times that count; at least 1. */
double row_scatter_ratio(const struct row_scatter *scatter, size_t r);

/* The same of the worst row of those seen. */
double row_scatter_worst(const struct row_scatter *scatter);

#endif
