/* Finds that a constant has changed, from whitened innovations: independent, of unit variance and
 * mean zero as long as it has not. No rows are quite white: what share of its bound the statistic
 * usually has is learned, and an alarm must stand out from that, too.
 *
 * One ring of innovations is looked at over two windows. Each innovation is clipped, so that one
 * wild sample cannot raise the alarm; the squared length of their sum over a window, in units of
 * its own variance, is held against a chi-square bound; so is what all of the shorter one have in
 * common, unclipped, for changes that stand out from much that is usual. And it must stay beyond
 * for as long as is asked: what a late acceleration leaves when a motion begins, blows to and fro,
 * and forces that move before their motion is seen are soon their own opposite; a load stays. What
 * a body that came or went explains whole is none of these, and an alarm after three samples. What
 * it does not explain is suspect by then, and so is a single sample far beyond the bound.
 *
 * After an alarm there is none for a while. Alarms that come too often mean that no constant
 * explains what is measured: the detector doubts itself. [real-time] unless said otherwise. */
#ifndef CHANGE_DETECTOR_H
#define CHANGE_DETECTOR_H

#include "inertial/row_memory.h"

#include "common/status.h"

#include <stdbool.h>

#define CHANGE_LONGEST 64 /* samples of the longest window */
#define CHANGE_SLOWER  5  /* times the window: small changes are looked for over this, too */
#define CHANGE_SUDDEN  3  /* samples in which a change is suspect, and one if a body explains it */
#define CHANGE_ALARMS  4  /* in doubt_s, and it doubts itself */

struct change_settings {
  int window;          /* samples; 0: no change is ever found */
  int lasting;         /* samples for which a change must be seen; 0: it is one at once */
  double clip;         /* standard deviations */
  double quantile;     /* normal quantile of the bound */
  double refractory_s; /* s after an alarm without another */
  double doubt_s;      /* s in which CHANGE_ALARMS are too many */
};

struct change_detector {
  struct change_settings settings;
  size_t rows;         /* of the samples in the ring; other rows begin anew */
  size_t taken, since; /* samples since init; of them since the last alarm, at most a ring */
  double time_s;       /* s of all samples */
  double usual;        /* share of the bound that is usual */
  int beyond;          /* samples in a row beyond the bound: something may have changed */
  bool startled;       /* the newest sample is far beyond it, or CHANGE_SUDDEN together are */
  int bodies;          /* samples in a row that a body explains */
  double alarm_s[CHANGE_ALARMS]; /* times of the newest alarms, the newest first; -HUGE_VAL: none */
  double sample[CHANGE_LONGEST][INERTIAL_MAX_ROWS];
};

/* [start] STATUS_BAD_ARGUMENT: window out of range. STATUS_OUT_OF_RANGE: clipped samples could
 * never reach the bound, so that the detector would be locked out for good. */
enum status change_detector_init(struct change_detector *detector,
                                 const struct change_settings *settings);

/* Forgets samples and alarms. */
void change_detector_reset(struct change_detector *detector);

/* Takes whitened innovations [rows] of dt seconds in and says whether the mean has changed; after
 * an alarm the search begins anew. a_body: these innovations are beyond what is usual, and within
 * it for a body that has come or gone. statistic: out, largest share of a bound, or NULL. */
bool change_detector_step(struct change_detector *detector, const double *white, size_t rows,
                          double dt, bool a_body, double *statistic);

/* True for a sample whose squared length is far beyond what noise, and what is usual, would be. */
bool change_detector_startles(const struct change_detector *detector, double squared, size_t rows);

/* True while something may have changed and is not decided. */
bool change_detector_suspects(const struct change_detector *detector);

/* True while it suspects, and after an alarm until it is clear that none follows which says that
 * the first was not explained. */
bool change_detector_wavers(const struct change_detector *detector);

/* True while its newest alarms came too often. */
bool change_detector_doubts(const struct change_detector *detector);

/* Alarms per second over the newest CHANGE_ALARMS; 0 when there were fewer. */
double change_detector_rate(const struct change_detector *detector);

#endif
