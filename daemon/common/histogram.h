/* How often a duration was how long: 32 bins an octave, so that a quantile is right to 3 %.
 *
 * One thread adds, any thread reads while it does. */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include "common/counter.h"

#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_SUB_BITS   5 /* bits behind the leading one that a bin tells apart */
#define HISTOGRAM_PER_OCTAVE (1 << HISTOGRAM_SUB_BITS)
#define HISTOGRAM_BINS       (HISTOGRAM_PER_OCTAVE * 32) /* up to 2^36 ns, more than a minute */

struct histogram {
  struct counter bin[HISTOGRAM_BINS];
  struct counter count;
  struct counter sum_ns;
  struct counter max_ns;
};

/* Counts one duration; negative ones count as 0. [real-time] */
void histogram_add(struct histogram *histogram, int64_t duration_ns);

/* The duration, ns, that the share `p` (0 .. 1) of all counted ones does not exceed: the upper edge
 * of its bin, at most the largest counted. 0 when empty. [any] */
int64_t histogram_quantile(const struct histogram *histogram, double p);

/* Mean, ns; 0 when empty. [any] */
double histogram_mean(const struct histogram *histogram);

/* Bin of a duration, and the largest duration, ns, that falls into a bin. [any] */
size_t histogram_bin(int64_t duration_ns);
int64_t histogram_bin_end(size_t bin);

#endif
