/* Keeps what the inertial filter learns: loads it before the first cycle, takes it from the
 * real-time thread, saves it now and then and at the end, and forgets it when told to.
 *
 * A thread of its own saves: a disk may take seconds to say that it has written, and that must not
 * hold up the main thread, which feeds the watchdog. From the cycle to that thread it goes through
 * a triple buffer; neither waits. */
#ifndef LEARNED_STORE_H
#define LEARNED_STORE_H

#include "common/log.h"
#include "common/message.h"
#include "common/status.h"
#include "cycle/triple_buffer.h"
#include "learned/learned_inertia.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

#define LEARNED_SAVE_NS INT64_C(5000000000) /* saved at most this often, but at the end */

#define LEARNED_FOLDER_SIZE 256

struct learned_store {
  char folder[LEARNED_FOLDER_SIZE];
  struct log *log; /* borrowed */

  /* from the cycle */
  struct learned_inertia *newest; /* [TRIPLE_BUFFERS] */
  struct triple_buffer buffer;
  uint64_t snapshot;       /* of the newest written */
  unsigned every, cycles;  /* looks each so many cycles; cycles since the last look */
  _Atomic bool forgetting; /* the next cycle begins again from the model */

  /* to the disk */
  int64_t next_ns;                       /* not saved again before this instant */
  const struct learned_inertia *unsaved; /* the newest, until it is saved */
  bool failing;                          /* the last save failed: said once */
  pthread_mutex_t saving;                /* held while files are written or removed */
  _Atomic int64_t turned_ns;             /* when the thread last came round; 0: it does not run */
  sem_t end;
  pthread_t thread;
  bool running;
};

/* Nothing learned yet, of cycles of `period_s`, in memory from the arena, every page touched.
 * [start] The store keeps `log`. STATUS_NO_MEMORY. */
enum status learned_store_init(struct learned_store *store, const char *folder, double period_s,
                               struct log *log, struct arena *arena);

/* Gives a pipeline what an earlier run has learned, and says so, or why not. [start] True: it was
 * given, and is in `*learned`. */
bool learned_store_recall(const struct learned_store *store, struct pipeline *pipeline,
                          struct learned_inertia *learned);

/* Starts the thread that saves, which looks once a second. [start] STATUS_REFUSED with `error`. */
enum status learned_store_start(struct learned_store *store, struct message *error);

/* How long that thread has not come round, ns; 0 when it does not run. [any] Some seconds are a
 * slow disk, and no reason to end; more should be told. */
int64_t learned_store_silence(const struct learned_store *store, int64_t now_ns);

/* Once a cycle. [real-time] True: the estimator has begun again from the model. */
bool learned_store_cycle(struct learned_store *store, struct pipeline *pipeline);

/* Saves what is new when it is time, and what could not be saved the last time. [any] For the
 * thread that saves, and for tests in its place. */
void learned_store_save(struct learned_store *store, int64_t now_ns);

/* Begins again from the model in the next cycle, and removes what was saved. [main] Waits for the
 * cycle. STATUS_STALE: no cycle came for a second, or a save is under way; STATUS_REFUSED: files
 * that cannot be removed; all with `error`. */
enum status learned_store_forget(struct learned_store *store, struct message *error);

/* Ends the thread, after a save that is under way. [main] Harmless when it does not run. */
void learned_store_stop(struct learned_store *store);

/* Saves what a pipeline knows that is not stepped any more. [main] */
void learned_store_finish(struct learned_store *store, struct pipeline *pipeline);

#endif
