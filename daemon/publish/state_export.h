/* Shows each result in shared memory, for controllers on the same machine (propriod/state.h), and
 * makes it again where somebody removes it or cuts it short. */
#ifndef STATE_EXPORT_H
#define STATE_EXPORT_H

#include "common/message.h"
#include "common/pid_lock.h"
#include "common/status.h"
#include "cycle/handover.h"

#include "propriod/shm_layout.h"
#include "propriod/state.h"

#include <stdatomic.h>
#include <stdint.h>

#define STATE_EXPORT_SUFFIX "-state"
#define STATE_EXPORT_GROUP  "propriod"

struct state_segment {
  int fd;
  struct propriod_state_segment *base; /* NULL: none */
};

struct state_export {
  char path[PROPRIOD_SHM_PATH];
  struct pid_lock lock; /* keeps a second daemon out */
  int64_t period_ns;
  struct state_segment current, before; /* the main thread's; the one before is on its way out */
  _Atomic(struct propriod_state_segment *) segment; /* the current one, for the cycle */
  _Atomic(struct propriod_state_segment *) in_use;  /* the one that the cycle writes */
};

/* Makes the segment beside the input's `name`, with -state behind (propriod_shm_path()), mode 0640,
 * its group `propriod` where there is one, its memory taken and touched. What a dead daemon left
 * under this name is replaced. [start] REFUSED with `error` set: another daemon shows its state
 * there, another user's file is in the place, its file system is full. */
enum status state_export_open(struct state_export *export, const char *name, int64_t period_ns,
                              struct message *error);

/* Looks whether readers still find the segment, about once a second. [main] OK: they do, or there
 * is none. STALE with `event`: it was made anew, and why. REFUSED with `event`: it is gone and
 * another cannot be made now; the next call tries again. */
enum status state_export_check(struct state_export *export, struct message *event);

/* Makes a result the newest state; nothing when there is no segment (all zero). [real-time] */
void state_export_write(struct state_export *export, const struct estimates *estimates);

/* Tells readers that it is over, and removes the name. [start] Harmless when there is none. */
void state_export_close(struct state_export *export);

#endif
