/* A new configuration under way: built beside the running one, swapped in between two cycles. */
#ifndef RELOAD_H
#define RELOAD_H

#include "common/log.h"
#include "cycle/cycle.h"
#include "generation.h"
#include "publish/publisher.h"
#include "settings/settings.h"

#include <stdbool.h>
#include <stdio.h>

/* What a reload works on. All but the last three is borrowed. */
struct reloader {
  const char *file;
  const struct settings_overrides *overrides;
  struct cycle *cycle;
  struct publisher *publisher;
  struct log *log;
  struct generation *running;    /* exchanged by a reload */
  struct reload_report report;   /* of all reloads so far */
  struct settings_report errors; /* of the last one */
};

/* Reads the configuration again and lets the cycle go over to it. [main]
 * True: it is in effect; options that wait for a restart are named. False: nothing has changed, and
 * every error is named. Both in `answer`, in the log, as an `event`, and in `diag`; systemd is told
 * the beginning and the end. */
bool reload(struct reloader *reloader, FILE *answer);

#endif
