/* The cycle: the real-time thread that turns sensor frames into estimates.
 *
 * Sleep until the next instant or the next frame; take one consistent frame; step the pipeline;
 * hand the result over; count how late we were. */
#ifndef CYCLE_H
#define CYCLE_H

#include "common/arena.h"
#include "common/diagnostics.h"
#include "common/message.h"
#include "common/status.h"
#include "cycle/handover.h"
#include "cycle/realtime.h"
#include "cycle/world_keeper.h"
#include "pipeline.h"
#include "shm/segment_keeper.h"
#include "shm/sensor_input.h"

#include <stdbool.h>
#include <stdint.h>

#define CYCLE_TIMEOUT_PERIODS 2 /* without a joints frame for so long, predict */

enum cycle_trigger {
  CYCLE_ON_FRAME, /* a new joints frame starts a cycle */
  CYCLE_ON_TIMER  /* the clock does, at multiples of the period */
};

struct cycle_settings {
  struct realtime_settings realtime;
  enum cycle_trigger trigger;
};

/* What a cycle ran on, for its hook. */
struct cycle_latest {
  const struct sensor_frame *frame; /* as the pipeline took it */
  int64_t woken_ns;                 /* CLOCK_MONOTONIC instant at which it ran */
  bool swapped;                     /* another pipeline than in the cycle before */
  bool overloaded;                  /* what was `ok` is handed over as `degraded` */
};

/* What else happens to each result in the real-time thread, such as showing it in shared memory.
 * `call` is real-time; NULL: nothing. */
struct cycle_hook {
  void (*call)(void *context, struct pipeline *pipeline, const struct cycle_result *result);
  void *context;
};

/* What the cycle works with. All outlive it. */
struct cycle_parts {
  struct segment_keeper *keeper; /* where the segment comes from */
  struct sensor_input *input;
  struct pipeline *pipeline; /* the first one */
  struct handover *handover;
  struct diagnostics *diagnostics;
  struct cycle_hook hook;
  struct world_keeper *world; /* places the published world; NULL: it is the estimators' own */
};

struct cycle;

/* [start] BAD_ARGUMENT: period_s not positive. NO_MEMORY: the arena is full. */
enum status cycle_init(struct cycle **cycle, const struct cycle_settings *settings, double period_s,
                       const struct cycle_parts *parts, struct arena *arena);

/* Starts the thread and waits until it has warmed up and turns. [start] After realtime_prepare().
 * OK with `note` "" or naming what was not granted; REFUSED with `note`. */
enum status cycle_start(struct cycle *cycle, struct message *note);

/* What the cycle under way ran on; valid within its hook. [real-time] */
const struct cycle_latest *cycle_latest(const struct cycle *cycle);

/* Estimates of a machine that does not keep up are not as good as it gets: `ok` becomes `degraded`.
 * [real-time] */
void cycle_degrade(struct estimates *estimates);

/* Puts `next` in the running pipeline's place between two cycles; `next` adopts what the old one
 * has learned. [main] Waits for that, a few periods. True: the old one is no longer used. False:
 * the cycle did not come round within `timeout_ns`; nothing has changed. */
bool cycle_swap(struct cycle *cycle, struct pipeline *next, int64_t timeout_ns);

/* Ends the thread after its current cycle. [main] Harmless when it does not run. */
void cycle_stop(struct cycle *cycle);

#endif
