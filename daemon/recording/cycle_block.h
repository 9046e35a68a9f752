/* Cycles in columns: the payload of a BLOCK_CYCLES.
 *
 *   uint32_t n_columns, 0
 *   struct column_head [n_columns]
 *   the columns one behind the other, each packed as column.h does, or
 *   as counts of what its converters count (counts.h)
 *
 * A column has a row for each cycle, or one for each new frame of its stream, which the cycle's
 * `fresh` bit tells; so the rows of the streams are counted through in the order of the cycles.
 * Columns that would have no row are left out, and readers pass over those that they do not know.
 *
 *   COLUMN_CYCLE       8 x 4   t_ns; woken_ns; present | fresh << 8 | flags << 16
 *                              | generation << 32 (present, fresh: bit i is stream i);
 *                              cycles lost before
 *   COLUMN_DIGEST      8 x 1   per cycle with CYCLE_HAS_DIGEST
 *   COLUMN_CHOSEN      8 x (n_cells + 63) / 64       per cycle with CYCLE_CHOSE
 *   COLUMN_STATE       8 x ... struct propriod_state, of its arrays the joints in use;
 *   COLUMN_CENTROIDAL  8 x ... struct propriod_centroidal;
 *   COLUMN_INERTIA     1 x ... struct inertia_estimate; per cycle with CYCLE_HAS_RESULT
 *   COLUMN_STAMP + i   8 x 3   stream i: seq, t_ns of sampling, arrival (commit)
 *   COLUMN_Q           8 x n_joints         doubles, as the driver wrote them
 *   COLUMN_DQ, _TAU    8 x n_joints
 *   COLUMN_IMU         8 x 6                specific force, angular rate
 *   COLUMN_ORIENTATION 8 x 4                x y z w
 *   COLUMN_SKIN        4 x 3 n_cells        floats
 *   COLUMN_FLAGS       1 x n_cells
 *   COLUMN_PROXIMITY, COLUMN_FORCE  4 x n_cells
 *   COLUMN_WRENCH      8 x 6 n_wrench       moment, force
 *
 * Optional arrays (velocity, effort, orientation, proximity, force) are there for all frames of a
 * stream in a block, or for none. */
#ifndef CYCLE_BLOCK_H
#define CYCLE_BLOCK_H

#include "common/status.h"
#include "recording/counts.h"
#include "recording/recorded_cycle.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cycle_column {
  COLUMN_CYCLE,
  COLUMN_DIGEST,
  COLUMN_CHOSEN,
  COLUMN_STATE,
  COLUMN_CENTROIDAL,
  COLUMN_INERTIA,
  COLUMN_STAMP, /* and one for each further stream */
  COLUMN_Q = COLUMN_STAMP + PROPRIOD_SHM_STREAMS,
  COLUMN_DQ,
  COLUMN_TAU,
  COLUMN_IMU,
  COLUMN_ORIENTATION,
  COLUMN_SKIN,
  COLUMN_FLAGS,
  COLUMN_PROXIMITY,
  COLUMN_FORCE,
  COLUMN_WRENCH,
  CYCLE_COLUMNS
};

/* As it lies in the payload. */
struct column_head {
  uint16_t what; /* enum cycle_column */
  uint8_t width;
  uint8_t coding; /* enum column_coding (counts.h) */
  uint32_t elements, rows;
};

struct block_column {
  size_t width, elements;
  size_t n_rows, capacity; /* rows; capacity 0: not in this robot */
  unsigned char *row;      /* [n_rows][elements] numbers of `width` bytes */
  size_t n_converters;     /* writing: of which its numbers are counts; 0: of none */
  struct converter *converter;
};

/* A block in memory, being filled or being read. */
struct cycle_block {
  uint32_t count[PROPRIOD_SHM_STREAMS];
  struct block_column column[CYCLE_COLUMNS];
  uint32_t fields[PROPRIOD_SHM_STREAMS]; /* writing: optional arrays of the block's frames */
  int64_t first_ns, last_ns;             /* instants of its first and last cycle */
  unsigned char *packed;                 /* writing: the payload */
  unsigned char *scratch;                /* writing: a column's counts, and its exceptions */
  unsigned left_out;                     /* reading: RECORDED_* whose columns are passed over */
  void *memory;
  size_t memory_size; /* bytes of it; reading */
  size_t pages_size;  /* bytes of it; writing, in pages of its own (loose_pages.h) */
};

/* The columns of a robot with `count` joints, IMUs, cells and wrench sensors: width and elements,
 * 0 elements where it has none, no rows. [any] */
void cycle_block_describe(struct block_column column[CYCLE_COLUMNS],
                          const uint32_t count[PROPRIOD_SHM_STREAMS]);

/* An empty block for a robot with `count` joints, IMUs, cells and wrench sensors. [start] At most
 * `max_cycles` go into it, and of each column at most about `max_bytes`. STATUS_NO_MEMORY. */
enum status cycle_block_init(struct cycle_block *block, const uint32_t count[PROPRIOD_SHM_STREAMS],
                             size_t max_cycles, size_t max_bytes);

/* [any] Harmless when it was never made. */
void cycle_block_free(struct cycle_block *block);

/* True when `cycle` can be added: the block is not full, and has the same optional arrays. [any] An
 * empty block takes every cycle. */
bool cycle_block_fits(const struct cycle_block *block, const struct recorded_cycle *cycle);

/* Adds a cycle that fits; copies all of it. [any] */
void cycle_block_add(struct cycle_block *block, const struct recorded_cycle *cycle);

/* Cycles in it. [any] */
size_t cycle_block_cycles(const struct cycle_block *block);

/* Bytes that its rows take. [any] */
size_t cycle_block_bytes(const struct cycle_block *block);

/* Makes the payload of it, `*size` bytes in the block's own memory. [any] */
const unsigned char *cycle_block_pack(struct cycle_block *block, size_t *size);

/* Nothing in it. [any] */
void cycle_block_clear(struct cycle_block *block);

#endif
