/* How an estimate fared over a stretch of time: error, error in its own deviations, and above all
 * whether it said `ok` while it was wrong. */
#ifndef SCORE_H
#define SCORE_H

#include "quantity.h"

enum { SCORE_STATUSES = PROPRIOD_STATUS_STALE + 1 };

#define SCORE_SIGMAS 5.0 /* published deviations beyond which a sample counts as wrong */

struct quantity_score {
  uint64_t samples, components; /* instants; numbers compared */
  double squares, absolutes;    /* sums over the components */
  double norms;                 /* sum over the instants of the components' norm */
  double worst;                 /* largest error */
  uint64_t with_sd;             /* components with a deviation */
  double nees;                  /* sum of (error / deviation)^2 */
  double worst_sigma;           /* largest error over its deviation */
  uint64_t beyond;              /* components beyond SCORE_SIGMAS */
  uint64_t lying, longest_lie;  /* instants in a row that were `ok` and wrong: now, at most */
};

struct score {
  struct quantity_score of[QUANTITIES];
  uint64_t samples, with_status[SCORE_STATUSES]; /* the worse of state and centroidal */
  uint32_t resets_before, resets;                /* of the state */
  uint64_t pushes_before, pushes;                /* found, true ones included */
  bool begun;
};

/* Begins. [any] */
void score_reset(struct score *score);

/* Adds one instant. [any] */
void score_add(struct score *score, const struct estimates *estimates,
               const struct quantity_truth *truth);

/* Root mean square and mean absolute error of a component, mean norm of the error, SI; NEES per
 * component; NaN when there is none. [any] */
double score_rms(const struct score *score, enum quantity quantity);
double score_norm(const struct score *score, enum quantity quantity);
double score_mean(const struct score *score, enum quantity quantity);
double score_nees(const struct score *score, enum quantity quantity);

/* Share of instants with status ok. [any] */
double score_ok(const struct score *score);

/* The longest stretch in which something was `ok` and wrong, s; which, in `quantity` unless NULL.
 * [any] */
double score_longest_lie(const struct score *score, double period_s, enum quantity *quantity);

/* Status of the whole: the worse of joints and base, and centroidal estimate. [any] */
enum propriod_status whole_status(const struct estimates *estimates);

#endif
