#include "cycle/handover.h"

#include <stdatomic.h>

/* Each side's counter has a cache line of its own: neither side's writes slow the other's reads. */
struct handover {
  struct cycle_result *slot; /* [capacity] and one spare behind them */
  uint64_t capacity;         /* power of two */
  bool spare;                /* writer only: the slot being filled is the spare one */
  _Alignas(ARENA_ALIGN) atomic_uint_fast64_t written;  /* results handed over since the start */
  _Alignas(ARENA_ALIGN) atomic_uint_fast64_t released; /* results given back since the start */
  _Alignas(ARENA_ALIGN) atomic_uint_fast64_t dropped;
};

enum status handover_init(struct handover **handover, size_t capacity, struct arena *arena) {
  if (capacity == 0 || capacity > SIZE_MAX / 4) {
    return STATUS_BAD_ARGUMENT;
  }
  size_t rounded = 1;
  /* a power of two, so that a slot is a mask away */
  while (rounded < capacity) {
    rounded *= 2;
  }
  struct handover *h = ARENA_ARRAY(arena, struct handover, 1);
  struct cycle_result *slot = ARENA_ARRAY(arena, struct cycle_result, rounded + 1);
  if (arena_is_counting(arena)) {
    return STATUS_OK;
  }
  if (arena->failed) {
    return STATUS_NO_MEMORY;
  }
  h->slot = slot;
  h->capacity = rounded;
  *handover = h;
  return STATUS_OK;
}

struct cycle_result *handover_begin(struct handover *h) {
  const uint64_t written = atomic_load_explicit(&h->written, memory_order_relaxed);
  /* acquire, of handover_release: the reader was done with the slot before it is written again */
  const uint64_t released = atomic_load_explicit(&h->released, memory_order_acquire);
  /* full: the result goes into the spare slot and is dropped */
  h->spare = written - released == h->capacity;
  return &h->slot[h->spare ? h->capacity : written & (h->capacity - 1)];
}

bool handover_commit(struct handover *h, int64_t now_ns) {
  if (h->spare) {
    atomic_fetch_add_explicit(&h->dropped, 1, memory_order_relaxed);
    return false;
  }
  const uint64_t written = atomic_load_explicit(&h->written, memory_order_relaxed);
  h->slot[written & (h->capacity - 1)].committed_ns = now_ns;
  /* release: who counts this result sees all of it */
  atomic_store_explicit(&h->written, written + 1, memory_order_release);
  return true;
}

const struct cycle_result *handover_oldest(struct handover *h) {
  const uint64_t released = atomic_load_explicit(&h->released, memory_order_relaxed);
  const uint64_t written = atomic_load_explicit(&h->written, memory_order_acquire);
  return written == released ? NULL : &h->slot[released & (h->capacity - 1)];
}

void handover_release(struct handover *h) {
  const uint64_t released = atomic_load_explicit(&h->released, memory_order_relaxed);
  atomic_store_explicit(&h->released, released + 1, memory_order_release);
}

uint64_t handover_dropped(const struct handover *h) {
  return atomic_load_explicit(&h->dropped, memory_order_relaxed);
}

size_t handover_waiting(const struct handover *h) {
  const uint64_t released = atomic_load_explicit(&h->released, memory_order_relaxed);
  return (size_t)(atomic_load_explicit(&h->written, memory_order_relaxed) - released);
}
