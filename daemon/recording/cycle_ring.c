#include "recording/cycle_ring.h"

#include <string.h>

enum { ALIGN = 16, LEAST_CYCLES = 2 };

/* Before each cycle in the ring; its arrays follow. Length without a cycle: the rest up to the
 * ring's end is not used. */
struct entry {
  size_t length; /* bytes up to the next entry */
  bool used;
  struct recorded_cycle cycle; /* its pointers lead into the ring */
};

static size_t padded(size_t bytes) {
  return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

/* Bytes of the largest entry. */
static size_t longest(const uint32_t count[PROPRIOD_SHM_STREAMS]) {
  const size_t cells = count[PROPRIOD_SHM_SKIN];
  return padded(sizeof(struct entry)) + 3 * padded(8 * count[PROPRIOD_SHM_JOINTS]) +
         padded(sizeof(struct imu_triads) * count[PROPRIOD_SHM_IMU]) + padded(12 * cells) +
         2 * padded(4 * cells) + padded(cells) +
         padded(sizeof(struct force) * count[PROPRIOD_SHM_WRENCH]) + padded((cells + 63) / 64 * 8) +
         padded(sizeof(struct estimates));
}

enum status cycle_ring_init(struct cycle_ring *ring, const uint32_t count[PROPRIOD_SHM_STREAMS],
                            size_t size, struct arena *arena) {
  size_t power = 4096;
  while (power < size) {
    power *= 2;
  }
  if (power < LEAST_CYCLES * longest(count)) {
    return STATUS_BAD_ARGUMENT;
  }
  unsigned char *bytes = ARENA_ARRAY(arena, unsigned char, power);
  if (arena_is_counting(arena)) {
    return STATUS_OK;
  }
  if (bytes == NULL) {
    return STATUS_NO_MEMORY;
  }
  *ring = (struct cycle_ring){.bytes = bytes, .size = power};
  memcpy(ring->count, count, sizeof(ring->count));
  return STATUS_OK;
}

/* -- from the cycle --------------------------------------------------------------------------- */

/* A copy of `bytes` at `*place`, which moves on behind it. */
static void *keep(unsigned char **place, const void *bytes, size_t size) {
  if (bytes == NULL || size == 0) {
    return NULL;
  }
  void *kept = *place;
  memcpy(kept, bytes, size);
  *place += padded(size);
  return kept;
}

/* Only the arrays of what is fresh; the reader keeps the others. */
static void keep_arrays(const struct cycle_ring *ring, struct recorded_cycle *cycle,
                        unsigned char **place) {
  struct sensor_frame *frame = &cycle->frame;
  const size_t n = 8 * ring->count[PROPRIOD_SHM_JOINTS], cells = ring->count[PROPRIOD_SHM_SKIN];
  if (frame->joints.stamp.fresh) {
    frame->joints.q = keep(place, frame->joints.q, n);
    frame->joints.dq = keep(place, frame->joints.dq, n);
    frame->joints.tau = keep(place, frame->joints.tau, n);
  }
  if (frame->imu.stamp.fresh) {
    frame->imu.limb = keep(place, frame->imu.limb, frame->imu.n_limbs * sizeof(struct imu_triads));
  }
  if (frame->skin.stamp.fresh) {
    frame->skin.acceleration = keep(place, frame->skin.acceleration, 12 * cells);
    frame->skin.proximity = keep(place, frame->skin.proximity, 4 * cells);
    frame->skin.force = keep(place, frame->skin.force, 4 * cells);
    frame->skin.flags = keep(place, frame->skin.flags, cells);
  }
  if (frame->wrench.stamp.fresh) {
    frame->wrench.wrench =
        keep(place, frame->wrench.wrench, sizeof(struct force) * ring->count[PROPRIOD_SHM_WRENCH]);
  }
  if ((cycle->flags & CYCLE_CHOSE) != 0) {
    cycle->chosen = keep(place, cycle->chosen, (cells + 63) / 64 * 8);
  }
  cycle->result = keep(place, cycle->result, sizeof(struct estimates));
}

bool cycle_ring_put(struct cycle_ring *ring, const struct recorded_cycle *cycle) {
  const uint64_t put = atomic_load_explicit(&ring->put, memory_order_relaxed);
  const uint64_t taken = atomic_load_explicit(&ring->taken, memory_order_acquire);
  const size_t at = (size_t)(put & (ring->size - 1)), most = longest(ring->count);
  const size_t rest = ring->size - at < most ? ring->size - at : 0; /* too short for any */
  if (put + rest + most - taken > ring->size) {
    ring->lost++;
    atomic_store_explicit(&ring->full, atomic_load_explicit(&ring->full, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    return false;
  }
  /* from the ring's beginning where its end is too near */
  if (rest > 0) {
    struct entry *gap = (struct entry *)(void *)(ring->bytes + at);
    if (rest >= sizeof(*gap)) {
      gap->length = rest;
      gap->used = false;
    }
  }
  unsigned char *const begin = rest > 0 ? ring->bytes : ring->bytes + at;
  struct entry *entry = (struct entry *)(void *)begin;
  unsigned char *place = begin + padded(sizeof(*entry));
  entry->used = true;
  entry->cycle = *cycle;
  entry->cycle.lost = ring->lost;
  keep_arrays(ring, &entry->cycle, &place);
  entry->length = (size_t)(place - begin);
  ring->lost = 0;
  atomic_store_explicit(&ring->put, put + rest + entry->length, memory_order_release);
  return true;
}

/* -- to the reader ---------------------------------------------------------------------------- */

/* The entry at the reader's place; passes over the ring's unused end. NULL: nothing is there. */
static const struct entry *entry_of(struct cycle_ring *ring) {
  for (;;) {
    const uint64_t taken = atomic_load_explicit(&ring->taken, memory_order_relaxed);
    if (taken == atomic_load_explicit(&ring->put, memory_order_acquire)) {
      return NULL;
    }
    const size_t at = (size_t)(taken & (ring->size - 1)), left = ring->size - at;
    const struct entry *entry = (const struct entry *)(const void *)(ring->bytes + at);
    if (left >= sizeof(*entry) && entry->used) {
      return entry;
    }
    atomic_store_explicit(&ring->taken, taken + left, memory_order_release);
  }
}

const struct recorded_cycle *cycle_ring_oldest(struct cycle_ring *ring) {
  const struct entry *entry = entry_of(ring);
  return entry != NULL ? &entry->cycle : NULL;
}

void cycle_ring_release(struct cycle_ring *ring) {
  const struct entry *entry = entry_of(ring);
  if (entry != NULL) {
    const uint64_t taken = atomic_load_explicit(&ring->taken, memory_order_relaxed);
    atomic_store_explicit(&ring->taken, taken + entry->length, memory_order_release);
  }
}

bool cycle_ring_is_half_full(const struct cycle_ring *ring) {
  const uint64_t put = atomic_load_explicit(&ring->put, memory_order_relaxed);
  return put - atomic_load_explicit(&ring->taken, memory_order_relaxed) > ring->size / 2;
}
