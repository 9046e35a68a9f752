/* Everything that runs: each part, the order in which they start, and the opposite one in which
 * they end. */
#ifndef DAEMON_H
#define DAEMON_H

#include "arguments.h"
#include "common/log.h"
#include "common/pid_lock.h"
#include "cycle/cell_chooser.h"
#include "cycle/cycle.h"
#include "cycle/worker.h"
#include "generation.h"
#include "learned/learned_store.h"
#include "loader.h"
#include "publish/publisher.h"
#include "publish/state_export.h"
#include "recording/recorder.h"
#include "reload.h"
#include "service/control.h"
#include "shm/segment_keeper.h"

#include <stdbool.h>

/* The parts, in the order in which they are started. The first three are borrowed. */
struct daemon {
  const struct arguments *arguments;
  int signals; /* as signals_open gives it */
  struct log *log;
  struct loader loader;
  struct generation *generation; /* the first; later ones are the reloader's */
  struct pid_lock lock;          /* of the runtime folder */
  struct diagnostics diagnostics;
  struct segment_keeper segment;
  bool has_segment;
  struct publisher *publisher;
  struct state_export state;
  struct world_keeper world;
  struct estimates placed; /* in the published world, where it is another; the cycle's */
  struct worker *worker;
  void *memory; /* of sensor input, cell chooser and cycle */
  struct sensor_input input;
  struct cell_chooser chooser;
  struct learned_store learned;
  struct recorder *recorder;
  void *recorder_memory;
  struct cycle *cycle;
  struct control *control;
  struct reloader reloader;
};

/* Starts every part; each that fails says why in the log. [start] An exit status: EXIT_SUCCESS also
 * when told to end before the last, EXIT_CONFIG where the configuration is at fault. A
 * configuration without a robot is waited for (first_generation.h). */
int daemon_start(struct daemon *daemon);

/* Says that it is ready, and serves until told to end. [main] */
void daemon_run(struct daemon *daemon);

/* Ends what was started, however far that went. [main] False: a load hangs, and lives on until the
 * process ends. */
bool daemon_stop(struct daemon *daemon);

#endif
