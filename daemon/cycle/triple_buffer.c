#include "cycle/triple_buffer.h"

enum { FRESH = 4 /* beside a buffer's number: not yet taken */ };

void triple_buffer_init(struct triple_buffer *b) {
  b->back = 0;
  b->front = 1;
  atomic_init(&b->between, 2);
}

/* Both exchanges give one buffer and take another: release, so that who takes the one sees what was
 * written into it; acquire, so that the other side was done with what comes back. */
void triple_buffer_hand_over(struct triple_buffer *b) {
  b->back = atomic_exchange_explicit(&b->between, b->back | FRESH, memory_order_acq_rel) &
            ~(unsigned)FRESH;
}

bool triple_buffer_take(struct triple_buffer *b) {
  if ((atomic_load_explicit(&b->between, memory_order_relaxed) & FRESH) == 0) {
    return false;
  }
  b->front =
      atomic_exchange_explicit(&b->between, b->front, memory_order_acq_rel) & ~(unsigned)FRESH;
  return true;
}
