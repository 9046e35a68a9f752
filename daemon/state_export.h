/* Shows each result in shared memory, for controllers on the same machine (propriod/state.h). */
#ifndef STATE_EXPORT_H
#define STATE_EXPORT_H

#include "handover.h"
#include "message.h"
#include "status.h"

#include "propriod/state.h"

#include <stdint.h>

#define STATE_EXPORT_NAME_SIZE 65 /* bytes of a name with its final zero */
#define STATE_EXPORT_GROUP     "propriod"

struct state_export {
  char name[STATE_EXPORT_NAME_SIZE];
  struct propriod_state_segment *segment; /* NULL: none */
  struct propriod_state next;             /* put together here, then copied by words */
};

/* Makes the segment /dev/shm/NAME, mode 0640, its group `propriod` where there is one, its memory
 * taken and touched. An older one of this name is replaced: the caller holds the lock that keeps a
 * second daemon away. [start] `name` "" makes none, and writing does nothing. REFUSED with `error`
 * set. */
enum status state_export_open(struct state_export *export, const char *name, int64_t period_ns,
                              struct message *error);

/* Makes a result the newest state. [real-time] */
void state_export_write(struct state_export *export, const struct estimates *estimates);

/* Tells readers that it is over, and removes the name. [start] Harmless when there is none. */
void state_export_close(struct state_export *export);

#endif
