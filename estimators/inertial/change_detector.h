/* Finds that a constant has changed, from whitened innovations: independent, of unit variance and
 * mean zero as long as it has not.
 *
 * Each innovation is clipped, so that one wild sample cannot raise the alarm, and averaged over a
 * window; the squared length of the mean, in units of its own variance, is held against a
 * chi-square bound. Large changes need not wait for the window, see sudden_change. All functions:
 * [real-time] unless said otherwise. */
#ifndef CHANGE_DETECTOR_H
#define CHANGE_DETECTOR_H

#include "inertial/inertial_core.h"

#include <stdbool.h>

#define CHANGE_DETECTOR_MAX_WINDOW 32

struct change_detector {
  size_t window;   /* samples */
  double clip;     /* standard deviations */
  double quantile; /* normal quantile of the bound */
  size_t rows;     /* of the samples in the window; other rows begin anew */
  size_t filled, next;
  double sample[CHANGE_DETECTOR_MAX_WINDOW][INERTIAL_MAX_ROWS];
};

/* [start] STATUS_BAD_ARGUMENT: window out of range. STATUS_OUT_OF_RANGE: clipped samples could
 * never reach the bound, so that the detector would be locked out for good. */
enum status change_detector_init(struct change_detector *detector, size_t window, double clip,
                                 double quantile);

void change_detector_reset(struct change_detector *detector);

/* Takes whitened innovations [rows] in and says whether the mean has changed; after an alarm the
 * window begins anew. statistic: out, share of the bound, or NULL. */
bool change_detector_step(struct change_detector *detector, const double *white, size_t rows,
                          double *statistic);

#endif
