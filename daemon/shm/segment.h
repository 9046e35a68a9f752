/* The shared-memory segment that sensor drivers write (propriod/shm_layout.h): made, checked and
 * taken down by the daemon.
 *
 * the file that propriod_shm_path() tells, mode 0660, group propriod-in when there is one. A
 * segment that an earlier daemon left is taken over when its layout fits, so that drivers write on
 * as if nothing had happened. The daemon never relies on what the segment says about itself: it
 * keeps a private copy of the layout. */
#ifndef SEGMENT_H
#define SEGMENT_H

#include "common/message.h"
#include "common/status.h"

#include "propriod/shm_layout.h"

#include <stdbool.h>
#include <stdint.h>

#define SEGMENT_NAME_SIZE PROPRIOD_SHM_PATH
#define SEGMENT_GROUP     "propriod-in"

struct segment {
  char name[SEGMENT_NAME_SIZE];
  int fd; /* -1: closed */
  unsigned char *base;
  struct propriod_shm_header layout; /* private */
  struct message warning;            /* what works, but not for drivers of the group; "" for none */
};

/* Makes the segment, or takes over what an earlier daemon left; the caller holds the lock of its
 * name. [start] [worker]
 * `count` per stream, each at most propriod_shm_max_count(); 0: the robot has none. All cells are
 * wanted at first. REFUSED with `error`: another user's file is in the place, its file system is
 * full, permissions. */
enum status segment_create(struct segment *segment, const char *name,
                           const uint32_t count[PROPRIOD_SHM_STREAMS], struct message *error);

/* Looks whether drivers still reach this segment, and shows them that the daemon lives. [worker]
 * About once a second. STALE with `why`: it was removed, replaced, cut short or its header damaged;
 * retire it and make another. */
enum status segment_check(struct segment *segment, struct message *why);

/* Tells drivers that the segment is over and removes its name, when the name is still its own.
 * Memory stays mapped for who still reads it. [worker] */
void segment_retire(struct segment *segment);

/* Undoes the mapping. The name stays, for the next daemon. Harmless when closed. [worker] */
void segment_close(struct segment *segment);

/* Tells the skin driver which cells' accelerations are wanted: 64 a word, cell 0 in the lowest
 * bit, (n_cells + 63) / 64 words. [any] */
void segment_want(struct segment *segment, const uint64_t *wanted);

/* The control block of a stream. [real-time] */
static inline struct propriod_shm_control *segment_control(const struct segment *segment,
                                                           unsigned kind) {
  return (struct propriod_shm_control *)(void *)(segment->base +
                                                 segment->layout.stream[kind].control);
}

#endif
