/* Writes a recording: what the robot was made of, every cycle with the frames it took, and what
 * happened meanwhile, in one file that needs nothing beside it (recording_layout.h).
 *
 * Cycles are gathered into blocks of a quarter of a second or a megabyte; a block reaches the file
 * whole or not at all. A block that does not is lost, counted, and told in the next one. */
#ifndef RECORDING_WRITER_H
#define RECORDING_WRITER_H

#include "common/event.h"
#include "common/message.h"
#include "common/status.h"
#include "recording/recorded_cycle.h"

#include <stddef.h>
#include <stdint.h>

#define RECORDING_BLOCK_NS    INT64_C(250000000) /* longest time that a block waits for more */
#define RECORDING_BLOCK_BYTES ((size_t)1 << 20)  /* about the largest block, before compression */

/* What a recording is of. */
struct recording_header {
  uint32_t count[PROPRIOD_SHM_STREAMS]; /* joints, IMUs, cells, wrench sensors */
  uint64_t model_hash;                  /* robot.h; 0: unknown */
  uint64_t session;                     /* parts of one session have the same number */
  uint32_t part;                        /* of the session: 0, 1, ... */
  int64_t wall_ns;                      /* CLOCK_REALTIME less CLOCK_MONOTONIC, ns */
};

/* What came of it so far. */
struct recording_written {
  uint64_t cycles, events;
  uint64_t lost;        /* cycles that were not recorded: lost blocks, and what cycles say */
  uint64_t lost_blocks; /* that did not get into the file */
  uint64_t raw_bytes;   /* of the cycles' rows before compression */
  uint64_t bytes;       /* of the file */
};

struct recording_writer;

/* Begins a file, which must not exist yet. [start] [worker] `level` of zstd, 1 (fast) .. 19, 0 for
 * none. STATUS_REFUSED with path and reason; STATUS_NO_MEMORY. */
enum status recording_create(struct recording_writer **writer, const char *path,
                             const struct recording_header *header, int level,
                             struct message *error);

/* Adds a text that the robot of `generation` is made of: recording_layout.h has the names. [worker]
 * STATUS_REFUSED with errno: it did not fit on the disk. */
enum status recording_add_text(struct recording_writer *writer, uint32_t generation,
                               const char *name, const void *bytes, size_t size);

/* Adds something that happened, behind the cycles added before. [worker] As above. */
enum status recording_add_event(struct recording_writer *writer, const struct event *event);

/* Adds a cycle. [worker] STATUS_REFUSED with errno: a whole block of earlier cycles did not fit on
 * the disk and is lost; this one is kept for the next. */
enum status recording_add_cycle(struct recording_writer *writer,
                                const struct recorded_cycle *cycle);

/* Writes the block that is being filled. [worker] As above. */
enum status recording_flush(struct recording_writer *writer);

/* Waits until the disk has all blocks. [worker] STATUS_REFUSED with errno. */
enum status recording_sync(struct recording_writer *writer);

/* [worker] */
struct recording_written recording_written(const struct recording_writer *writer);

/* Writes what is left and the end, and closes the file; the writer and its memory stay for another.
 * [worker] STATUS_REFUSED when blocks were lost, now or before; with errno when it was now. */
enum status recording_end(struct recording_writer *writer);

/* Begins another file after recording_end, with the same sensors and level, in the memory that is
 * there: nothing is taken from the system. [worker] STATUS_REFUSED with path and reason; then it
 * has ended still. */
enum status recording_begin_next(struct recording_writer *writer, const char *path,
                                 const struct recording_header *header, struct message *error);

/* Frees a writer that has ended. [worker] NULL is allowed. */
void recording_free(struct recording_writer *writer);

/* recording_end and recording_free. [worker] NULL is allowed. */
enum status recording_finish(struct recording_writer *writer);

#endif
