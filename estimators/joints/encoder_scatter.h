/* By how much readings of an encoder, or of an axis of an IMU, scatter by themselves: one whose
 * cable, supply or magnet is bad is noisier than it is said to be, and so good for less.
 *
 * Of readings with white noise s the second differences d follow each other with -4 s^2 on average,
 * E[d d'] = -4 s^2; those of motion, however fast, are alike. A single wrong reading counts no more
 * than some of what is usual, so that it takes about ten to believe in thirty times the noise. */
#ifndef ENCODER_SCATTER_H
#define ENCODER_SCATTER_H

#include <stdbool.h>

struct encoder_scatter {
  double last, rate, bend; /* rad or m; per s; rad or m: second difference */
  double since;            /* s: since the last */
  unsigned heard;          /* readings that these are from, 3 at most */
  double variance;         /* (rad or m)^2; 0: nothing is known */
};

/* The next reading, dt s after the last; one that is no number is passed over, and a gap begins
 * anew. [real-time] told: its noise as it is said to be, rad or m. Returns the deviation to use:
 * `told`, unless readings scatter by several times that. */
double encoder_scatter_next(struct encoder_scatter *scatter, double q, double dt, double told);

/* True while that is more than told. [real-time] */
bool encoder_scatter_noisy(const struct encoder_scatter *scatter, double told);

#endif
