/* When the frames of a stream were sampled, from when they arrived: for drivers that cannot tell.
 *
 * A sensor samples by a clock of its own, evenly; a bus, a network or a busy machine brings its
 * frames late, by another time each. A line through the arrivals, arrival over number, has that
 * clock's period; no frame arrives before it was sampled, so the line lies below the arrivals, by
 * what is left of the shortest way. Arrivals far off the line (a frame that was stuck) pull at it
 * no more than ordinary ones. The part of the delay that is always there cannot be seen so. */
#ifndef STREAM_CLOCK_H
#define STREAM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct stream_clock {  /* all zero: nothing is known yet */
  uint64_t seq;        /* of the newest frame */
  int64_t line_ns;     /* where the line has it, CLOCK_MONOTONIC */
  int64_t given_ns;    /* when it was said to be sampled; these rise */
  double period_ns;    /* from one frame to the next, by the line */
  double frames;       /* that the line rests upon */
  double jitter_ns;    /* mean distance of arrivals from the line */
  double early_ns;     /* by how much arrivals come before the line, at most, of late */
  double late_periods; /* whole periods by which the newest arrival was late */
  unsigned off;        /* arrivals in a row far to one side */
};

/* Forgets all. [real-time] */
void stream_clock_reset(struct stream_clock *clock);

/* When frame number `seq`, which arrived at `arrival_ns`, was sampled. [real-time] Numbers and
 * results rise; a result is never later than the arrival, unless the one before was. Begins anew
 * after a gap, and when frames have come otherwise than expected for some time. */
int64_t stream_clock_step(struct stream_clock *clock, uint64_t seq, int64_t arrival_ns);

#endif
