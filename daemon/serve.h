/* What the main thread does while the cycle runs: signals, reloads, the control socket, sensors
 * lost and found, the shared memory once a second, the watchdog. */
#ifndef SERVE_H
#define SERVE_H

#include "common/log.h"
#include "cycle/worker.h"
#include "learned/learned_store.h"
#include "origin.h"
#include "publish/publisher.h"
#include "publish/state_export.h"
#include "recording/recorder.h"
#include "reload.h"
#include "service/control.h"
#include "service/systemd.h"
#include "shm/segment_keeper.h"

#include <stdbool.h>

/* What it looks after; all borrowed. */
struct serve {
  int signals; /* as signals_open gives it */
  struct control *control;
  struct reloader *reloader;
  struct segment_keeper *segment;
  struct state_export *state;
  const struct diagnostics *diagnostics;
  struct publisher *publisher;
  struct worker *worker;
  struct learned_store *learned;
  struct recorder *recorder;
  struct origin origin;
  struct log *log;
};

/* Blocks SIGTERM, SIGINT and SIGHUP in this thread and all that it starts, ignores SIGPIPE. [start]
 * From here on no signal is lost, and none kills. The descriptor from
 * which they are read, or -1. */
int signals_open(void);

/* True when SIGTERM or SIGINT waits to be read; takes nothing away. [start] */
bool signals_want_end(void);

/* Serves until SIGTERM or SIGINT. [main] */
void serve(struct serve *serve);

#endif
