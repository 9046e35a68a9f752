/* Keeps what the inertial filter learns: loads it before the first cycle, takes it from the
 * real-time thread, saves it now and then and at the end, and forgets it when told to. */
#ifndef LEARNED_KEEPER_H
#define LEARNED_KEEPER_H

#include "common/log.h"
#include "learned/learned_box.h"

#define LEARNED_SAVE_NS INT64_C(5000000000) /* saved at most this often, but at the end */

#define LEARNED_FOLDER_SIZE 256

struct learned_keeper {
  struct learned_box *box;
  char folder[LEARNED_FOLDER_SIZE];
  int64_t next_ns;                       /* not saved again before this instant */
  const struct learned_inertia *unsaved; /* in the box: the newest, until it is saved */
  bool failing;                          /* the last save failed: said once */
  _Atomic bool forgetting;               /* the next cycle begins again from the model */
};

/* [start] STATUS_NO_MEMORY. */
enum status learned_keeper_init(struct learned_keeper *keeper, const char *folder, double period_s,
                                struct arena *arena);

/* Gives a pipeline what an earlier run has learned, and says so, or why not. [start] */
void learned_keeper_recall(const struct learned_keeper *keeper, struct pipeline *pipeline,
                           struct log *log);

/* Once a cycle. [real-time] */
void learned_keeper_cycle(struct learned_keeper *keeper, struct pipeline *pipeline);

/* Saves what is new when it is time, and what could not be saved the last time. [saver] */
void learned_keeper_save(struct learned_keeper *keeper, int64_t now_ns, struct log *log);

/* Begins again from the model in the next cycle, and removes what was saved. [main] Waits for the
 * cycle. STATUS_STALE: no cycle came for a second; STATUS_REFUSED: files that cannot be removed;
 * both with `error`. */
enum status learned_keeper_forget(struct learned_keeper *keeper, struct message *error);

/* Saves what a pipeline knows that is not stepped any more. [main] */
void learned_keeper_finish(struct learned_keeper *keeper, struct pipeline *pipeline,
                           struct log *log);

#endif
