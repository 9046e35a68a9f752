/* Several parts of a series into one file, a piece at a time: under a name of its own until it is
 * whole. */
#ifndef PART_JOINER_H
#define PART_JOINER_H

#include "common/message.h"
#include "common/status.h"
#include "recording/block_file.h"
#include "recording/part_series.h"

#include <stdbool.h>

struct part_joiner {
  char path[PART_PATH_SIZE]; /* final name; .saving behind it until then */
  struct block_reader part[PART_MOST];
  size_t n_parts, at_part, at_block;
  struct block_writer writer;
  uint32_t known, newest; /* generation of the texts before this part; and up to now */
  bool busy;
};

/* Opens `n` parts, which may be removed from then on, and begins `path`, which must not exist.
 * [worker] STATUS_REFUSED with `error`; parts that cannot be read are left out. */
enum status part_joiner_begin(struct part_joiner *joiner, const char *path,
                              const struct part *parts, size_t n, struct message *error);

/* Copies about `bytes`. [worker] STATUS_STALE: there is more; STATUS_OK: it is whole and has its
 * name; STATUS_REFUSED with `error`: it cannot be, and nothing is left of it. */
enum status part_joiner_step(struct part_joiner *joiner, uint64_t bytes, struct message *error);

/* Gives up. [worker] Harmless when there is nothing to give up. */
void part_joiner_abandon(struct part_joiner *joiner);

#endif
