/* The way of one stream's samples from the sensor to the daemon: rate, latency, jitter, loss.
 *
 * Samples leave in the order in which they were taken; of several that have arrived the newest
 * counts, as in shared memory. */
#ifndef DELAY_LINE_H
#define DELAY_LINE_H

#include "common/status.h"
#include "robot/sensor_frame.h"
#include "sim_options.h"
#include "sim_random.h"

/* A sample under way. */
struct delay_slot {
  int64_t t_ns, arrival_ns; /* taken at, arrives at */
};

struct delay_line {
  struct sim_stream_options options;
  struct sim_random random;
  size_t sample_bytes;
  unsigned char *samples;       /* [capacity][sample_bytes] */
  struct delay_slot *slot;      /* [capacity] */
  size_t capacity, head, count; /* ring: the oldest sample under way, and how many */
  uint64_t taken;               /* samples due so far: the next is due at taken / rate */
  int64_t last_arrival_ns;
  struct stream_stamp stamp; /* of the sample that is at the daemon */
  size_t at_daemon;          /* its slot, kept until the next arrives */
};

/* [start] Free with `delay_line_free`. The daemon looks every `period_s`. A rate of 0 makes a line
 * that never carries anything. */
enum status delay_line_init(struct delay_line *line, const struct sim_stream_options *options,
                            size_t sample_bytes, double period_s, struct sim_random random);
void delay_line_free(struct delay_line *line);

/* True when a sample is due at `elapsed_ns` since the start. [any] */
bool delay_line_is_due(const struct delay_line *line, int64_t elapsed_ns);

/* Sends a sample taken at `t_ns` on its way. [any] Returns where to write it, or NULL when it is
 * lost. Call once for each time that it is due. */
void *delay_line_send(struct delay_line *line, int64_t t_ns);

/* Moves on what has arrived by `now_ns`, and marks the stamp. [any] Returns the newest sample at
 * the daemon, NULL before the first. */
void *delay_line_receive(struct delay_line *line, int64_t now_ns);

#endif
