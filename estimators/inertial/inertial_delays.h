/* By how much wrenches and torques come after the motion that they belong to, from the rows of
 * every instant, a few of them averaged (misalignment.h): base rows speak of the wrenches' stamps,
 * joint rows that no wrench enters of the torques'. [real-time] unless said otherwise. */
#ifndef INERTIAL_DELAYS_H
#define INERTIAL_DELAYS_H

#include "inertial/inertial_measurement.h"
#include "inertial/misalignment.h"
#include "inertial/row_block.h"

/* s: instants are averaged over this, long enough for slow motion, short enough for steps. */
#define INERTIAL_DELAYS_TOGETHER 10e-3

/* By how much forces come after the motion. */
struct inertial_delay {
  bool known; /* not while forces move little, or turn with friction */
  double s, sd_s;
};

struct inertial_delays {
  struct misalignment wrench, torque;
  struct row_block instants; /* the newest, to be filled by whoever asks */
};

/* [any] */
void inertial_delays_reset(struct inertial_delays *delays);

/* Time has passed without rows, or a load came or went: no delay is looked for across it. */
void inertial_delays_break(struct inertial_delays *delays);

/* Takes the mean of `instants` and empties it: what parameters and biases leave of its rows, and
 * deviations of the rows, [rows] N or N m. */
void inertial_delays_take(struct inertial_delays *delays,
                          const struct inertial_measurement *measurement, const double *residual,
                          const double *noise);

/* What is left of the delay after what was corrected; not known until it is known to 1 ms. */
struct inertial_delay inertial_delay_of(const struct misalignment *misalignment);

#endif
