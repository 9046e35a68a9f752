/* How late forces come after the motion that they belong to (or before it), found from what the
 * delay leaves behind.
 *
 * A force that is late by d differs from the right one by d times its slope, so the residual of the
 * equations of motion, regressed on the force's slope, gives the delay. Slopes are taken over two
 * samples on either side, which leaves noise of the residual's own instant out. A residual larger
 * than a delay of `largest_s` and three deviations of noise would leave has another cause, a load
 * that was taken up or a strike, and is not counted; nor is a force that moves so slowly that a
 * delay would neither be seen nor matter. A constant part of each row's residual, the IMU's bias or
 * the sensor's, is fitted beside the delay. [real-time] */
#ifndef MISALIGNMENT_H
#define MISALIGNMENT_H

#include <stdbool.h>
#include <stddef.h>

#define MISALIGNMENT_ROWS 6

struct misalignment {
  double time_s, largest_s; /* s: what is older than this fades; longest delay looked for */
  size_t held;              /* samples since the last break, at most 5 */
  double force[5][MISALIGNMENT_ROWS], residual[5][MISALIGNMENT_ROWS]; /* the newest at [4] */
  struct misalignment_sums {
    double count, slope, residual, across, along, spread;
  } sums[MISALIGNMENT_ROWS]; /* faded: 1, s, e, e s, s^2, e^2 with slope s and residual e */
};

/* [start] */
void misalignment_init(struct misalignment *misalignment, double time_s, double largest_s);

/* Time has passed without samples: slopes are not taken across it. */
void misalignment_break(struct misalignment *misalignment);

/* One sample: measured forces and residuals of the same rows, dt after the last, each in units of
 * its noise. */
void misalignment_step(struct misalignment *misalignment, double dt, const double *force,
                       const double *residual, size_t rows);

/* The delay (s, positive: forces come late) and its standard deviation; false until forces have
 * moved enough for a deviation below `worst`. */
bool misalignment_delay(const struct misalignment *misalignment, double worst, double *delay,
                        double *deviation);

#endif
