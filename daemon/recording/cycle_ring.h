/* From the cycle to the recorder: a ring of bytes with one writer and one reader.
 *
 * The cycle copies what it took and what became of it, and never waits: when the reader has fallen
 * a whole ring behind, the cycle is left out and counted, and the next that fits says how many. */
#ifndef CYCLE_RING_H
#define CYCLE_RING_H

#include "common/arena.h"
#include "common/status.h"
#include "recording/recorded_cycle.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cycle_ring {
  uint32_t count[PROPRIOD_SHM_STREAMS]; /* joints, IMUs, cells, wrench sensors */
  unsigned char *bytes;
  size_t size;          /* of the ring; a power of two */
  _Atomic uint64_t put; /* bytes ever put, and taken */
  _Atomic uint64_t taken;
  _Atomic uint64_t full; /* cycles that did not fit */
  uint64_t lost;         /* of them since the last that fitted; the writer's */
};

/* An empty ring of at least `size` bytes, every page touched. [start] STATUS_NO_MEMORY;
 * STATUS_BAD_ARGUMENT: there is no room for even two cycles of such a robot. */
enum status cycle_ring_init(struct cycle_ring *ring, const uint32_t count[PROPRIOD_SHM_STREAMS],
                            size_t size, struct arena *arena);

/* Puts a copy of all of `cycle` but its `lost`, which the ring knows. [real-time] False: no room,
 * counted. */
bool cycle_ring_put(struct cycle_ring *ring, const struct recorded_cycle *cycle);

/* True when less than half of it is free. [reader's thread] */
bool cycle_ring_is_half_full(const struct cycle_ring *ring);

/* The oldest cycle, or NULL; holds until cycle_ring_release. [reader's thread] */
const struct recorded_cycle *cycle_ring_oldest(struct cycle_ring *ring);
void cycle_ring_release(struct cycle_ring *ring);

#endif
