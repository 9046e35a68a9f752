/* Reads a recording (recording_layout.h): cycles, events and losses in the order of the file, and
 * the texts that the robot was made of.
 *
 * Any file that begins as a recording does opens, however it ended: what is whole is read, what is
 * not is told. */
#ifndef RECORDING_H
#define RECORDING_H

#include "common/event.h"
#include "common/message.h"
#include "common/status.h"
#include "recording/recorded_cycle.h"
#include "recording/recording_writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the heads of its blocks tell. */
struct recording_summary {
  uint64_t cycles, events;
  uint64_t lost;             /* cycles of the daemon that were not recorded */
  int64_t first_ns, last_ns; /* of the cycles, CLOCK_MONOTONIC; 0: there are none */
  uint64_t bytes;            /* of the file */
  uint64_t damaged;          /* bytes that are no block, in `places` */
  uint64_t places;
  uint64_t cut; /* bytes at the end that are half a block */
  bool ended;   /* its writer ended by its own will */
};

enum recording_kind {
  RECORDING_CYCLE, /* item.cycle */
  RECORDING_EVENT, /* item.event */
  RECORDING_LOSS   /* item.loss: between the item before and the next something is missing */
};

struct recording_loss {
  uint64_t cycles; /* of the daemon; 0: unknown */
  bool damaged;    /* true: they were written, and the file is damaged there */
};

struct recording_item {
  enum recording_kind kind;
  const struct recorded_cycle *cycle;
  struct event event;
  struct recording_loss loss;
};

struct recording;

/* Opens a file. [start] STATUS_REFUSED with path and reason for anything that is not a recording of
 * this version; STATUS_NO_MEMORY. */
enum status recording_open(struct recording **recording, const char *path, struct message *error);

/* [any] */
const struct recording_header *recording_header(const struct recording *recording);
struct recording_summary recording_summary(const struct recording *recording);

/* Generations of the configuration: 1 for the start, one more for each reload; 0: no texts. [any]
 */
uint32_t recording_generations(const struct recording *recording);

/* A text of a generation; it ends with a zero byte that `*size` does not count. [any] NULL: there
 * is none of this name. */
const char *recording_text(const struct recording *recording, uint32_t generation, const char *name,
                           size_t *size);

/* Leaves out `parts`, RECORDED_*, from the next block on: their arrays stay as they are. [any] */
void recording_leave_out(struct recording *recording, unsigned parts);

/* The next item; what it points to stays valid until the next call. [any] STATUS_OUT_OF_RANGE at
 * the end of what is whole. */
enum status recording_next(struct recording *recording, struct recording_item *item);

/* The same, of cycles only. [any] `*frame` is what the pipeline took. */
enum status recording_read(struct recording *recording, const struct sensor_frame **frame);

/* Goes to the block that holds the first cycle at `t_ns` or later; 0 for the beginning. [any] */
void recording_seek(struct recording *recording, int64_t t_ns);

/* Share of the file that has been read, 0 .. 1. [any] */
double recording_progress(const struct recording *recording);

/* [start] NULL is allowed. */
void recording_close(struct recording *recording);

#endif
