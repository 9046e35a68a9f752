/* From the real-time thread to the publisher: a ring with one writer and one reader.
 *
 * The writer fills its slot in place, so that handing over copies nothing, and never waits: when
 * the reader has fallen a whole ring behind, the newest result is dropped and counted, and its
 * missing `seq` shows where. Nothing wakes the reader, since that would be a system call in the
 * cycle; the reader knows the period and looks by itself. */
#ifndef HANDOVER_H
#define HANDOVER_H

#include "common/arena.h"
#include "common/status.h"
#include "cycle/world_origin.h"
#include "pipeline.h"

#include <stdbool.h>
#include <stdint.h>

/* What one cycle leaves behind. */
struct cycle_result {
  struct estimates estimates;
  struct world_origin origin; /* of the published world; the estimates are in their own */
  int64_t committed_ns;       /* CLOCK_MONOTONIC instant of the hand-over */
};

struct handover;

/* Makes an empty ring of at least `capacity` results (rounded up to a power of two), every page
 * touched. [start] BAD_ARGUMENT: no capacity. NO_MEMORY: the arena is full. */
enum status handover_init(struct handover **handover, size_t capacity, struct arena *arena);

/* The slot to write the next result into; whatever an earlier cycle left is still in it. Never
 * NULL: when the ring is full it is a spare one, whose content handover_commit drops. Belongs to
 * the caller until then. [real-time] */
struct cycle_result *handover_begin(struct handover *handover);

/* Hands the slot of the last handover_begin to the reader, stamped `now_ns`. False: the ring was
 * full, the result is dropped and counted. [real-time] */
bool handover_commit(struct handover *handover, int64_t now_ns);

/* The oldest result not yet released, or NULL. Stays valid until handover_release. [reader's
 * thread] */
const struct cycle_result *handover_oldest(struct handover *handover);

/* Gives the oldest result's slot back. [any] */
void handover_release(struct handover *handover);

/* Results dropped since the start because the ring was full. [any] */
uint64_t handover_dropped(const struct handover *handover);

/* Results handed over and not yet released. [any] */
size_t handover_waiting(const struct handover *handover);

#endif
