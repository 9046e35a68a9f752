/* Sees in the stream of results what a person wants to be told: a status that changed, an estimate
 * that jumped, forces that come too late. */
#ifndef PUBLISH_WATCH_H
#define PUBLISH_WATCH_H

#include "common/event.h"
#include "pipeline.h"

#include <stdbool.h>
#include <stdint.h>

/* What was announced last, and when. */
struct announced {
  enum propriod_status status;
  int64_t t_ns; /* 0: never */
};

struct publish_watch {
  struct announced state, centroidal, inertia;
  bool misaligned; /* was announced */
  uint32_t resets;
  int64_t resets_ns;
};

/* Compares a result with what was announced, and puts at most one event a second and cause into the
 * queue: `status` when state, centroidal or inertia changed theirs, `reset` when `resets` rose,
 * `misaligned` when forces were first found apart from the motion. What flickers faster is
 * announced as it is when the second is over. [worker] `now_ns` is CLOCK_MONOTONIC. */
void publish_watch_look(struct publish_watch *watch, const struct estimates *estimates,
                        int64_t now_ns, struct event_queue *events);

#endif
