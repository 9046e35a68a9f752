/* The logarithm of a register's numbers, lane by lane: to 2e-16 of itself, or of one near one.
 *
 * x = 2^e m with m between sqrt(1/2) and sqrt(2): log x = e log 2 + 2 atanh((m - 1) / (m + 1)), by
 * the series. For files that are compiled for each instruction set (math/dispatch.h). */
#ifndef LANE_LOG_H
#define LANE_LOG_H

#include "math/dispatch.h"

#include <stdint.h>

typedef double log_lanes __attribute__((vector_size(REGISTER_BYTES), may_alias));
typedef int64_t log_bits __attribute__((vector_size(REGISTER_BYTES), may_alias));

/* [any] x: positive and normal; the others give what means nothing, but a number. */
ISA_INLINE log_lanes lane_log(log_lanes x) {
  const int64_t fraction = 0x000fffffffffffff, half = 0x3fe0000000000000;
  const int64_t root = 0x3fe6a09e667f3bcd;     /* sqrt(1/2) */
  const int64_t counting = 0x4330000000000000; /* 2^52: adding counts in its last bits */
  const log_bits bits = (log_bits)x;
  /* m in [1/2, 1), and e to it; then m doubled below sqrt(1/2), which leaves e one less */
  const log_bits m_bits = (bits & fraction) | half, small = m_bits < root;
  const log_lanes m = (log_lanes)(m_bits + (small & ((int64_t)1 << 52)));
  const log_bits e_bits = ((bits >> 52) & 0x7ff) + small; /* a true lane is -1 */
  const log_lanes e = (log_lanes)(e_bits | counting) - (4503599627370496.0 + 1022.0);
  const log_lanes s = (m - 1.0) / (m + 1.0), t = s * s;
  log_lanes series = t * (1.0 / 21.0) + 1.0 / 19.0;
  series = series * t + 1.0 / 17.0;
  series = series * t + 1.0 / 15.0;
  series = series * t + 1.0 / 13.0;
  series = series * t + 1.0 / 11.0;
  series = series * t + 1.0 / 9.0;
  series = series * t + 1.0 / 7.0;
  series = series * t + 1.0 / 5.0;
  series = series * t + 1.0 / 3.0;
  return e * 0.69314718055994531 + 2.0 * (s + s * t * series);
}

#endif
