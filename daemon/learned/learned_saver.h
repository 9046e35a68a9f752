/* The thread that saves what is learned. A disk may take seconds to say that it has written; that
 * holds up this thread alone, and not the main thread, which feeds the watchdog. */
#ifndef LEARNED_SAVER_H
#define LEARNED_SAVER_H

#include "common/log.h"
#include "common/message.h"
#include "common/status.h"
#include "learned/learned_keeper.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

struct learned_saver {
  struct learned_keeper *keeper; /* borrowed, as is the log */
  struct log *log;
  pthread_mutex_t saving; /* held while files are written or removed */
  sem_t end;
  pthread_t thread;
  bool running;
};

/* Starts the thread, which looks once a second. [start] STATUS_REFUSED with `error`. */
enum status learned_saver_start(struct learned_saver *saver, struct learned_keeper *keeper,
                                struct log *log, struct message *error);

/* As learned_keeper_forget(). [main] STATUS_STALE also while a save is under way. */
enum status learned_saver_forget(struct learned_saver *saver, struct message *error);

/* Ends the thread, after a save that is under way. [main] Harmless when it does not run. */
void learned_saver_stop(struct learned_saver *saver);

#endif
