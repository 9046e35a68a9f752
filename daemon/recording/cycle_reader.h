/* Cycles out of a block's columns (cycle_block.h), one after another, as the daemon took them:
 * a stream that has brought nothing new keeps its last values. */
#ifndef CYCLE_READER_H
#define CYCLE_READER_H

#include "common/status.h"
#include "recording/cycle_block.h"

/* Takes a payload apart, into memory of the block's own. [any] `block` is all zeros but `count`, or
 * from an earlier call; cycle_block_free frees it. Results of another version's structs are passed
 * over. STATUS_REFUSED: it makes no sense for such a robot; STATUS_NO_MEMORY. */
enum status cycle_block_unpack(struct cycle_block *block, const unsigned char *payload,
                               size_t size);

/* Where a reader has got to, and the arrays that hold the newest values. */
struct cycle_reader {
  size_t next[CYCLE_COLUMNS]; /* rows taken of the block */
  struct recorded_cycle cycle;
  struct estimates result;
  struct joints_reading joints; /* all arrays of the streams, */
  struct skin_reading skin;     /* of which the frame shows those that its newest frame has */
  struct imu_triads limb[PROPRIOD_SHM_MAX_IMUS];
  void *memory;
};

/* Arrays for `count` joints, IMUs, cells and wrench sensors, as before the first frame: NaN.
 * [start] STATUS_NO_MEMORY. */
enum status cycle_reader_init(struct cycle_reader *reader,
                              const uint32_t count[PROPRIOD_SHM_STREAMS]);
void cycle_reader_free(struct cycle_reader *reader);

/* As before the first frame. [any] `count` is that of init. */
void cycle_reader_reset(struct cycle_reader *reader, const uint32_t count[PROPRIOD_SHM_STREAMS]);

/* Begins with the first cycle of another block; values stay. [any] */
void cycle_reader_begin(struct cycle_reader *reader);

/* Takes the block's next cycle into `reader->cycle`, whose arrays hold until the next call. [any]
 * STATUS_OUT_OF_RANGE: there is none; STATUS_REFUSED: a column ends too early. */
enum status cycle_reader_next(struct cycle_reader *reader, const struct cycle_block *block);

#endif
