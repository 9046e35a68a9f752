#include "common/histogram.h"

/* Durations below HISTOGRAM_PER_OCTAVE ns have a bin each; above, a bin is named by the octave and
 * the bits behind the leading one. */
size_t histogram_bin(int64_t duration_ns) {
  if (duration_ns < HISTOGRAM_PER_OCTAVE) {
    return duration_ns < 0 ? 0 : (size_t)duration_ns;
  }
  const int shift = 63 - __builtin_clzll((unsigned long long)duration_ns) - HISTOGRAM_SUB_BITS;
  const size_t bin = (size_t)shift * HISTOGRAM_PER_OCTAVE + (size_t)(duration_ns >> shift);
  return bin < HISTOGRAM_BINS ? bin : HISTOGRAM_BINS - 1;
}

int64_t histogram_bin_end(size_t bin) {
  if (bin < HISTOGRAM_PER_OCTAVE) {
    return (int64_t)bin;
  }
  const size_t shift = bin / HISTOGRAM_PER_OCTAVE - 1;
  const int64_t first = (int64_t)(HISTOGRAM_PER_OCTAVE + bin % HISTOGRAM_PER_OCTAVE) << shift;
  return first + ((int64_t)1 << shift) - 1;
}

void histogram_add(struct histogram *histogram, int64_t duration_ns) {
  const uint64_t ns = duration_ns > 0 ? (uint64_t)duration_ns : 0;
  counter_increment(&histogram->bin[histogram_bin(duration_ns)]);
  counter_increment(&histogram->count);
  counter_add(&histogram->sum_ns, ns);
  if (ns > counter_read(&histogram->max_ns)) {
    counter_add(&histogram->max_ns, ns - counter_read(&histogram->max_ns));
  }
}

int64_t histogram_quantile(const struct histogram *histogram, double p) {
  uint64_t total = 0;
  for (size_t bin = 0; bin < HISTOGRAM_BINS; bin++) {
    total += counter_read(&histogram->bin[bin]);
  }
  const int64_t max_ns = (int64_t)counter_read(&histogram->max_ns);
  uint64_t so_far = 0;
  for (size_t bin = 0; bin < HISTOGRAM_BINS; bin++) {
    so_far += counter_read(&histogram->bin[bin]);
    if (so_far > 0 && (double)so_far >= p * (double)total) {
      return histogram_bin_end(bin) < max_ns ? histogram_bin_end(bin) : max_ns;
    }
  }
  return max_ns;
}

double histogram_mean(const struct histogram *histogram) {
  const uint64_t count = counter_read(&histogram->count);
  return count == 0 ? 0.0 : (double)counter_read(&histogram->sum_ns) / (double)count;
}
