/* By how much wrenches and torques come after the motion that they belong to, from the rows of
 * every instant, a few of them averaged (misalignment.h): base rows speak of the wrenches' stamps,
 * joint rows that no wrench enters of the torques'. [real-time] unless said otherwise. */
#ifndef INERTIAL_DELAYS_H
#define INERTIAL_DELAYS_H

#include "inertial/inertial_measurement.h"
#include "inertial/misalignment.h"

/* By how much forces come after the motion. */
struct inertial_delay {
  bool known; /* not while forces move little, or turn with friction */
  double s, sd_s;
};

struct inertial_delays {
  struct misalignment wrench, torque;
  double time_s; /* of the instants in the sums so far */
  size_t count, rows;
  size_t row[INERTIAL_MAX_ROWS]; /* of the robot */
  struct misalignment_sample sum;
};

/* [any] */
void inertial_delays_reset(struct inertial_delays *delays);

/* Time has passed without rows, or a load came or went: no delay is looked for across it. */
void inertial_delays_break(struct inertial_delays *delays);

/* The rows of an instant, dt after the last: what parameters and biases leave of them [n_rows], and
 * their deviations [n_rows], N or N m. */
void inertial_delays_take(struct inertial_delays *delays, double dt,
                          const struct inertial_measurement *measurement, const double *residual,
                          const double *noise);

/* What is left of the delay after what was corrected; not known until it is known to 1 ms. */
struct inertial_delay inertial_delay_of(const struct misalignment *misalignment);

#endif
