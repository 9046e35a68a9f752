/* By how much readings of an encoder, or of an axis of an IMU, scatter by themselves: one whose
 * cable, supply or magnet is bad is noisier than it is said to be, and so good for less.
 *
 * Of readings with white noise s the second differences d follow each other with -4 s^2 on average,
 * E[d d'] = -4 s^2; those of motion, however fast, are alike. A single wrong reading counts no more
 * than some of what is usual: by 6 times that it takes about ten readings to believe in thirty
 * times the noise, by 9 times seven. */
#ifndef SENSOR_SCATTER_H
#define SENSOR_SCATTER_H

#include <stdbool.h>

struct sensor_scatter {
  double last, rate, bend; /* in the reading's unit; per s; the same: second difference */
  double since;            /* s: since the last */
  unsigned heard;          /* readings that these are from, 3 at most */
  double variance;         /* the unit squared; 0: nothing is known */
};

/* The next reading, in any unit, dt s after the last; one that is no number is passed over, and a
 * gap begins anew. [real-time] told: its noise as it is said to be; most: how much one reading may
 * count, times usual. Returns the deviation to use: `told`, unless readings scatter by several
 * times that. */
double sensor_scatter_next(struct sensor_scatter *scatter, double z, double dt, double told,
                           double most);

/* True while that is more than told. [real-time] */
bool sensor_scatter_noisy(const struct sensor_scatter *scatter, double told);

#endif
