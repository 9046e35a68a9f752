/* How good a mass is that was estimated beside the true one: errors, steps, and whether the error
 * lies where the filter believes it. */
#ifndef INERTIAL_SCORE_H
#define INERTIAL_SCORE_H

#include "inertia/pseudo_inertia.h"
#include "inertial/inertial_filter.h"

enum { SCORE_SWITCHES = 24 };

struct inertial_score {
  double from_s, dt;                /* s: the first load; period */
  size_t told, unphysical, flagged; /* samples with an estimate; of them; of them beyond 3 sigma */
  size_t n, n_settled;              /* samples of the sums */
  double squares, squares_settled;  /* kg^2 */
  double worst_sigmas, worst_com_sigmas; /* settled: largest error over its deviation */
  size_t switches;
  double rise_s[SCORE_SWITCHES]; /* until 90 % of a step; NaN: never */
  double overshoot;              /* largest, of a step */
  double true_m, step, switched_s;
  double after_1s;                /* kg: error of the estimate 1 s after the first load */
  double worst_error;             /* kg: settled */
  double published_off_s;         /* s after the load: the last time when it was 2 % off */
  double com_after_5s, com_shift; /* m: error, and distance of the true centre of mass */
};

double root_mean_square(double squares, size_t n);

/* The slowest rise, s; infinite when a step was never followed. */
double score_slowest_rise(const struct inertial_score *s);

struct inertial_score inertial_score_from(double from_s, double dt);

/* One sample at t (s), when the link truly weighed `truth`. */
void inertial_score_take(struct inertial_score *s, double t,
                         const struct inertial_link_estimate *found, const struct inertia *truth);

#endif
