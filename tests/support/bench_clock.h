/* What benchmarks share: the time, and the order of times. */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include "common/clock.h"

static inline double now_us(void) {
  return 1e-3 * (double)clock_now_ns();
}

/* For qsort: ascending doubles. */
static inline int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

#endif
