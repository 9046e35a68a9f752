/* Keeps the skin within its budget: when cells drop out or come back, the worker chooses anew, and
 * the pipeline and the skin's driver learn which cells are wanted. */
#ifndef CELL_CHOOSER_H
#define CELL_CHOOSER_H

#include "cycle/worker.h"
#include "pipeline.h"
#include "shm/segment_keeper.h"
#include "skin/cell_choice.h"

struct cell_chooser {
  struct worker_job job; /* first: the worker hands it back */
  struct worker *worker;
  struct segment_keeper *keeper;
  struct cell_choice choice;
  struct pipeline *pipeline; /* the one that the choice is for */
  uint64_t *wanted;          /* [(n_cells + 63) / 64] bits for the driver */
  uint64_t adopted;          /* choices that the pipelines were given so far */
  uint64_t seen;             /* the pipeline's count of changes that the choice has taken in */
  bool under_way, stale;     /* a job runs; its result is for a pipeline that is gone */
};

/* [start] Statuses of cell_choice_init. */
enum status cell_chooser_init(struct cell_chooser *chooser, const struct robot *robot,
                              double cell_noise, struct worker *worker,
                              struct segment_keeper *keeper, struct arena *arena);

/* After each cycle: adopts a choice that is ready, posts a job when one is needed. [real-time] */
void cell_chooser_cycle(struct cell_chooser *chooser, struct pipeline *pipeline);

#endif
