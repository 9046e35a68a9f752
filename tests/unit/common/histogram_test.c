#include "common/histogram.h"

#include "support/suite.h"

#include <math.h>
#include <stdlib.h>

START_TEST(every_duration_lies_in_its_bin_and_bins_are_narrower_than_three_percent) {
  for (int64_t ns = 0; ns < (int64_t)1 << 36; ns = ns < 1000 ? ns + 1 : ns + ns / 97) {
    const size_t bin = histogram_bin(ns);
    ck_assert_uint_lt(bin, HISTOGRAM_BINS);
    ck_assert_int_le(ns, histogram_bin_end(bin));
    const int64_t first = bin == 0 ? 0 : histogram_bin_end(bin - 1) + 1;
    ck_assert_int_ge(ns, first);
    ck_assert_int_le((histogram_bin_end(bin) - first) * HISTOGRAM_PER_OCTAVE, first);
  }
}
END_TEST

static int by_value(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

START_TEST(quantiles_are_those_of_the_sorted_sample_to_three_percent) {
  enum { N = 10000 };
  static struct histogram histogram;
  static int64_t sample[N];
  struct random rng = random_from(test_seed());
  double sum = 0.0;
  for (int i = 0; i < N; i++) {
    sample[i] = (int64_t)(20000.0 * exp(random_normal(&rng)));
    sum += (double)sample[i];
    histogram_add(&histogram, sample[i]);
  }
  qsort(sample, N, sizeof(sample[0]), by_value);
  for (double p = 0.01; p < 1.0; p += 0.01) {
    const double exact = (double)sample[(int)(p * N)];
    assert_near((double)histogram_quantile(&histogram, p), exact, 0.035 * exact);
  }
  ck_assert_int_eq(histogram_quantile(&histogram, 1.0), sample[N - 1]);
  assert_near(histogram_mean(&histogram), sum / N, 1e-6 * sum / N);
}
END_TEST

START_TEST(an_empty_histogram_and_durations_beyond_its_ends_are_harmless) {
  static struct histogram histogram;
  ck_assert_int_eq(histogram_quantile(&histogram, 0.99), 0);
  ck_assert(histogram_mean(&histogram) < 1e-300);
  histogram_add(&histogram, -5);
  histogram_add(&histogram, INT64_MAX);
  ck_assert_uint_eq(counter_read(&histogram.count), 2);
  ck_assert_int_eq(histogram_quantile(&histogram, 0.1), 0);
}
END_TEST

SUITE(every_duration_lies_in_its_bin_and_bins_are_narrower_than_three_percent,
      quantiles_are_those_of_the_sorted_sample_to_three_percent,
      an_empty_histogram_and_durations_beyond_its_ends_are_harmless)
