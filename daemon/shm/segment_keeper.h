/* Keeps a good segment in place while the cycle runs.
 *
 * The main thread looks once a second and makes a new segment when the old one was removed, cut
 * short or damaged. The cycle reads whichever is current; the old one is unmapped only after the
 * cycle has let go of it. */
#ifndef SEGMENT_KEEPER_H
#define SEGMENT_KEEPER_H

#include "common/counter.h"
#include "common/diagnostics.h"
#include "common/pid_lock.h"
#include "shm/segment.h"

#include <stdatomic.h>

#define SEGMENT_WANTED_WORDS (PROPRIOD_SHM_MAX_CELLS / 64)

struct segment_keeper {
  char name[SEGMENT_NAME_SIZE];
  struct pid_lock lock; /* keeps a second daemon out */
  uint32_t count[PROPRIOD_SHM_STREAMS];
  struct segment place[2];           /* one current, one on its way out */
  int current;                       /* index of the current one; the main thread's */
  bool leaving;                      /* the other one is still mapped */
  _Atomic(struct segment *) offered; /* the current one, for the cycle */
  _Atomic(struct segment *) in_use;  /* the one that the cycle reads; NULL: no cycle */
  struct diagnostics *diagnostics;
  uint64_t wanted[SEGMENT_WANTED_WORDS]; /* the cycle's */
};

/* Takes the lock of the name and makes the first segment. [start] REFUSED with `error`: another
 * daemon has it, or as segment_create(). */
enum status segment_keeper_init(struct segment_keeper *keeper, const char *name,
                                const uint32_t count[PROPRIOD_SHM_STREAMS],
                                struct diagnostics *diagnostics, struct message *error);

/* Looks after the segment, about once a second. [worker] OK: nothing to report. STALE with `event`:
 * the segment was replaced, and why. REFUSED with `event`: it is gone and another cannot be made
 * now; the cycle goes on without input, the next call tries again. */
enum status segment_keeper_step(struct segment_keeper *keeper, struct message *event);

/* The segment to read now. [real-time] Whatever this answered before may be unmapped. By one
 * thread. */
const struct segment *segment_keeper_current(struct segment_keeper *keeper);

/* The cycle has ended and reads no more. [start] [worker] */
void segment_keeper_let_go(struct segment_keeper *keeper);

/* Asks the skin driver for these cells only: 64 a word, (n_cells + 63) / 64 words. [real-time]
 * Asked again of every segment made later; all cells until the first time. */
void segment_keeper_want(struct segment_keeper *keeper, const uint64_t *wanted);

/* Undoes everything; the segment's name stays for the next daemon unless `remove`. [start] */
void segment_keeper_close(struct segment_keeper *keeper, bool remove);

#endif
