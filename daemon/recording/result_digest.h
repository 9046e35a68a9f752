/* A number that stands for all that a cycle published: equal digests, equal bits.
 *
 * Made from the rows of the topics: of a part that is not estimated nothing counts, since nothing
 * of it is published. */
#ifndef RESULT_DIGEST_H
#define RESULT_DIGEST_H

#include "pipeline.h"

#include <stdbool.h>
#include <stdint.h>

enum { RESULT_DIGEST_ROWS = 128 };

/* A row of a topic as it lies in its struct. */
struct digest_row {
  uint32_t offset;
  uint32_t size; /* bytes of one value */
  bool per_joint, per_foot;
  uint64_t part;
};

/* What is summed up of state and centroidal; made once. */
struct digest_plan {
  struct digest_row state[RESULT_DIGEST_ROWS], centroidal[RESULT_DIGEST_ROWS];
  size_t n_state, n_centroidal;
};

/* [start] */
void digest_plan_init(struct digest_plan *plan);

/* [real-time] Bits 63 .. 40 are of `state`, 39 .. 16 of `centroidal`, 15 .. 0 of `inertia`. */
uint64_t result_digest(const struct digest_plan *plan, const struct estimates *estimates);

/* "state", "centroidal", "inertia", where two digests differ: written one behind the other,
 * separated by blanks. [any] */
void digest_difference(uint64_t a, uint64_t b, char text[40]);

#endif
