/* Sees in the stream of results what a person wants to be told: a status that changed, an estimate
 * that jumped, forces that come too late. */
#ifndef STATUS_EVENTS_H
#define STATUS_EVENTS_H

#include "common/event.h"
#include "pipeline.h"

#include <stdbool.h>
#include <stdint.h>

/* What was announced last, and when. */
struct announced {
  enum propriod_status status;
  int64_t t_ns; /* 0: never */
};

struct status_events {
  struct announced state, centroidal, inertia;
  bool misaligned; /* was announced */
  enum inertial_doubt doubt;
  int64_t doubt_ns;
  uint32_t resets;
  int64_t resets_ns;
};

/* Compares a result with what was announced, and puts at most one event a second and cause into the
 * queue: `status` when state, centroidal or inertia changed theirs, `reset` when `resets` rose,
 * `misaligned` when forces were first found apart from the motion, `doubt` when no load explains
 * what is measured. What flickers faster is
 * announced as it is when the second is over. [publisher] `now_ns` is CLOCK_MONOTONIC. */
void status_events_look(struct status_events *shown, const struct estimates *estimates,
                        int64_t now_ns, struct event_queue *events);

#endif
