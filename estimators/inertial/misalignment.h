/* How late forces come after the motion that they belong to (or before it), found from what the
 * delay leaves behind.
 *
 * A force that is late by d differs from the right one by d times its slope, so the residual of the
 * equations of motion, regressed on the force's slope, gives the delay. Slopes are taken over two
 * samples on either side: noise of the residual's own instant is left out. A residual larger than a
 * delay of `largest_s` and three deviations of noise leave has another cause, a load or a strike,
 * and is not counted, but in joints' rows: there it may be friction. Nor is a force that moves too
 * slowly for a delay to matter, or so unevenly that its slope is not the middle's.
 *
 * Beside the delay, three things are fitted to each row that look like one: a constant, the IMU's
 * bias or the sensor's; and what friction leaves that the model does not know, one part with the
 * joint's rate and one with its sense. A joint that swings as a pendulum at one frequency turns
 * with its torque's slope: then neither can be told from the other, and such rows do not count.
 * [real-time] */
#ifndef MISALIGNMENT_H
#define MISALIGNMENT_H

#include "inertial/row_memory.h"

#include <stdbool.h>
#include <stddef.h>

enum { MISALIGNMENT_HELD = 5, MISALIGNMENT_ROWS = INERTIAL_MAX_ROWS };

/* What is fitted, residual last: constant, rate, sense, slope. */
enum { MISALIGNMENT_SLOPE = 3, MISALIGNMENT_RESIDUAL, MISALIGNMENT_TERMS };

/* Rows of one instant; a row that is not there has a force that is no number. */
struct misalignment_sample {
  double force[MISALIGNMENT_ROWS], residual[MISALIGNMENT_ROWS]; /* in units of the row's noise */
  double rate[MISALIGNMENT_ROWS]; /* rad/s or m/s of its joint; 0 where there is no friction */
};

struct misalignment {
  double time_s, largest_s; /* s: what is older than this fades; longest delay looked for */
  size_t held;              /* samples since the last break, at most MISALIGNMENT_HELD */
  struct misalignment_sample sample[MISALIGNMENT_HELD];                   /* the newest last */
  double sums[MISALIGNMENT_ROWS][MISALIGNMENT_TERMS][MISALIGNMENT_TERMS]; /* of products, faded */
};

/* By how much forces come after the motion, and one standard deviation of that. */
struct inertial_delay {
  bool known; /* not while forces move little, or turn with friction */
  double s, sd_s;
};

/* [start] */
void misalignment_init(struct misalignment *misalignment, double time_s, double largest_s);

/* Time has passed without samples: slopes are not taken across it. */
void misalignment_break(struct misalignment *misalignment);

/* One sample of `rows` rows, dt after the last. */
void misalignment_step(struct misalignment *misalignment, double dt,
                       const struct misalignment_sample *sample, size_t rows);

/* The delay of `rows` rows from the first on, which have one in common: not known until forces
 * have moved enough for a deviation below `worst`, s, nor beyond the longest delay looked for. */
struct inertial_delay misalignment_delay(const struct misalignment *misalignment, size_t first,
                                         size_t rows, double worst);

#endif
