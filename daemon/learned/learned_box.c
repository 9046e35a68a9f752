#include "learned/learned_box.h"

#include <stdatomic.h>

enum { BUFFERS = 3, FRESH = 4 /* beside a buffer's number: not yet taken */ };

struct learned_box {
  struct learned_inertia buffer[BUFFERS];
  uint64_t snapshot;      /* of the newest written: the writer's */
  unsigned every, cycles; /* cycles since the last look: the writer's */
  unsigned back;          /* buffer being written: the writer's */
  unsigned front;         /* buffer being read: the reader's */
  atomic_uint between;    /* the third, perhaps FRESH */
};

enum status learned_box_init(struct learned_box **box, unsigned every, struct arena *arena) {
  struct learned_box *b = ARENA_ARRAY(arena, struct learned_box, 1);
  if (arena_is_counting(arena)) {
    return STATUS_OK;
  }
  if (arena->failed) {
    return STATUS_NO_MEMORY;
  }
  b->every = every;
  b->back = 0;
  b->front = 1;
  atomic_init(&b->between, 2);
  *box = b;
  return STATUS_OK;
}

void learned_box_write(struct learned_box *b, struct pipeline *pipeline) {
  if (++b->cycles < b->every) {
    return;
  }
  struct learned_inertia *learned = &b->buffer[b->back];
  if (!learned_take(pipeline, learned)) {
    return; /* looks again next cycle */
  }
  b->cycles = 0;
  if (learned->snapshot == b->snapshot || learned->updates == 0) {
    return;
  }
  b->snapshot = learned->snapshot;
  b->back = atomic_exchange_explicit(&b->between, b->back | FRESH, memory_order_acq_rel) &
            ~(unsigned)FRESH;
}

const struct learned_inertia *learned_box_take(struct learned_box *b) {
  if ((atomic_load_explicit(&b->between, memory_order_relaxed) & FRESH) == 0) {
    return NULL;
  }
  b->front =
      atomic_exchange_explicit(&b->between, b->front, memory_order_acq_rel) & ~(unsigned)FRESH;
  return &b->buffer[b->front];
}
