/* The newest frame of one stream, copied out of the segment and checked.
 *
 * Nothing in shared memory is trusted: the layout comes from the daemon's private copy, the work
 * per call is bounded whatever a writer does, and a frame counts only when its number was steady
 * and its checksum fits what was copied. */
#ifndef STREAM_READER_H
#define STREAM_READER_H

#include "common/arena.h"
#include "common/status.h"

#include "propriod/shm_layout.h"

#include <stdint.h>

#define STREAM_TRIES  64 /* looks at a slot that its writer is in; together under 2 us */
#define STREAM_COPIES 4  /* of these, so many may go as far as copying; 1 is the rule */

enum stream_news {
  STREAM_NOTHING_NEW, /* no frame was committed since the last one that was looked at */
  STREAM_NEW_FRAME,   /* a whole frame waits in `next` and `next_arrays` */
  STREAM_TORN,        /* the writer is in the newest slot, or died there */
  STREAM_CORRUPT      /* the newest frame's checksum is wrong */
};

struct stream_reader {
  unsigned kind;  /* enum propriod_shm_kind */
  uint32_t count; /* joints, 1, cells or sensors */
  uint64_t seen;  /* number of the newest frame looked at; 0: none */

  struct propriod_shm_slot head; /* of the frame last accepted; t_ns 0: none */
  unsigned char *arrays;         /* its arrays, shm_layout.h's views; all ones bits at first: NaN */

  struct propriod_shm_slot next; /* of the frame found by the last poll */
  unsigned char *next_arrays;
};

/* [start] BAD_ARGUMENT: no such stream, or a count beyond its limit. NO_MEMORY: the arena is
 * full. */
enum status stream_reader_init(struct stream_reader *reader, unsigned kind, uint32_t count,
                               struct arena *arena);

/* Another segment: its frames count from 1 again. What was accepted stays. [real-time] */
void stream_reader_attach(struct stream_reader *reader);

/* Looks for a frame in the segment at `base`, whose part for this stream is `place`. [real-time]
 * `place` fits the reader's kind and count. */
enum stream_news stream_reader_poll(struct stream_reader *reader, const unsigned char *base,
                                    const struct propriod_shm_stream *place);

/* Makes the frame found by the last poll the accepted one. [real-time] */
void stream_reader_accept(struct stream_reader *reader);

#endif
