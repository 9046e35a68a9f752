/* A new configuration under way: built beside the running one, swapped in between two cycles. */
#ifndef RELOAD_H
#define RELOAD_H

#include "common/log.h"
#include "cycle/cycle.h"
#include "loader.h"
#include "publish/publisher.h"
#include "recording/recorder.h"

#include <stdbool.h>
#include <stdio.h>

/* What a reload works on. All but the last five is borrowed. */
struct reloader {
  const char *file;
  const struct settings_overrides *overrides;
  struct loader *loader;
  struct cycle *cycle;
  struct publisher *publisher;
  struct recorder *recorder;
  struct log *log;
  struct generation *running;  /* exchanged by a reload */
  uint32_t generation;         /* its number: 1 for the start */
  struct reload_report report; /* of all reloads so far */
  int64_t begun_ns;            /* of the one under way */
  int64_t word_ns;             /* when it is next said that it takes long */
};

enum reload_state { RELOAD_NONE, RELOAD_UNDER_WAY, RELOAD_DONE, RELOAD_REFUSED };

/* Has the configuration read again. [main] False: one is under way; its end may know nothing of
 * what was written since, so ask again then. systemd is told the beginning. */
bool reload_begin(struct reloader *reloader);

/* Where the reload under way has got to; when its load has ended, lets the cycle go over to it.
 * [main] DONE: it is in effect; options that wait for a restart are named. REFUSED: nothing has
 * changed, and every error is named. Both, once, in `answer`, in the log, as an `event`, and in
 * `diag`; systemd is told the end. A reload that takes long says so in the log and as an
 * `event`. */
enum reload_state reload_step(struct reloader *reloader, int64_t now_ns, FILE *answer);

#endif
