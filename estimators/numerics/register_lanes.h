/* A vector of doubles that fills a register; for kernels that are compiled for each instruction set
 * (math/dispatch.h). [real-time] */
#ifndef REGISTER_LANES_H
#define REGISTER_LANES_H

#include "math/dispatch.h"

#include <stddef.h>

/* What a register holds; of memory that begins anywhere, too. */
typedef double lanes __attribute__((vector_size(REGISTER_BYTES), may_alias));
typedef double loose_lanes __attribute__((vector_size(REGISTER_BYTES), aligned(8), may_alias));
enum { LANES = REGISTER_BYTES / sizeof(double) };

/* Before a loop of few turns over registers. */
#define LANES_UNROLL _Pragma("GCC unroll 8")

ISA_INLINE double lanes_sum(lanes a) {
#if REGISTER_BYTES == 64
  const double high = (a[4] + a[5]) + (a[6] + a[7]);
#else
  const double high = 0.0;
#endif
#if REGISTER_BYTES >= 32
  return (a[0] + a[1]) + (a[2] + a[3]) + high;
#else
  return a[0] + a[1] + high;
#endif
}

/* sum of a[j] b[j], j < count. */
ISA_INLINE double lanes_dot(const double *a, const double *b, size_t count) {
  enum { PARTS = 4 };
  lanes part[PARTS] = {{0}};
  double rest = 0.0;
  size_t j = 0;
  for (; j + PARTS * LANES <= count; j += PARTS * LANES) {
    LANES_UNROLL for (size_t k = 0; k < PARTS; k++) {
      const size_t at = j + k * LANES;
      part[k] += *(const loose_lanes *)(a + at) * *(const loose_lanes *)(b + at);
    }
  }
  for (; j + LANES <= count; j += LANES) {
    part[0] += *(const loose_lanes *)(a + j) * *(const loose_lanes *)(b + j);
  }
  for (; j < count; j++) {
    rest += a[j] * b[j];
  }
  return rest + lanes_sum((part[0] + part[1]) + (part[2] + part[3]));
}

#endif
