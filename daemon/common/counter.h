/* A number that one thread counts up and any thread reads. No lock, no locked instruction. */
#ifndef COUNTER_H
#define COUNTER_H

#include <stdatomic.h>
#include <stdint.h>

struct counter {
  _Atomic uint64_t n;
};

/* [real-time] By the one thread that owns the counter. */
static inline void counter_add(struct counter *counter, uint64_t n) {
  const uint64_t now = atomic_load_explicit(&counter->n, memory_order_relaxed);
  atomic_store_explicit(&counter->n, now + n, memory_order_relaxed);
}
static inline void counter_increment(struct counter *counter) {
  counter_add(counter, 1);
}

/* Makes it another number. [start] By the one thread that owns it. */
static inline void counter_set(struct counter *counter, uint64_t n) {
  atomic_store_explicit(&counter->n, n, memory_order_relaxed);
}

/* [any] */
static inline uint64_t counter_read(const struct counter *counter) {
  return atomic_load_explicit(&counter->n, memory_order_relaxed);
}

#endif
