/* Hands cycles to files of one or several formats: what was fresh in each, and what became of it,
 * as rows of the series. */
#ifndef CYCLE_SINKS_H
#define CYCLE_SINKS_H

#include "exchange/sink.h"

enum { MOST_SINKS = 4 };

struct cycle_sinks {
  struct series_set set; /* before cycle_sinks_open; it stays where it is while they are open */
  const struct sink_format *format[MOST_SINKS];
  void *sink[MOST_SINKS];
  size_t n;
  double *row; /* of the widest series */
  uint64_t rows[SERIES_KINDS];
};

/* Begins a file of each format. [worker] STATUS_REFUSED with a reason, or STATUS_NO_MEMORY; then
 * cycle_sinks_close is still to be called. */
enum status cycle_sinks_open(struct cycle_sinks *sinks, const struct sink_about *about,
                             const struct sink_format *const *formats, const char *const *paths,
                             size_t n, struct message *error);

/* Adds a cycle, an event. [worker] `estimates`: what became of it. STATUS_REFUSED with a reason. */
enum status cycle_sinks_cycle(struct cycle_sinks *sinks, const struct sensor_frame *frame,
                              const struct estimates *estimates, struct message *error);
enum status cycle_sinks_event(struct cycle_sinks *sinks, const struct event *event,
                              struct message *error);

/* The files get their names. [worker] STATUS_REFUSED with a reason. */
enum status cycle_sinks_finish(struct cycle_sinks *sinks, struct message *error);

/* Frees; files that are not finished are removed. [worker] Harmless when none is open. */
void cycle_sinks_close(struct cycle_sinks *sinks);

#endif
