#include "identify/log/low_pass.h"

#include "support/suite.h"

#include <math.h>

enum { N = 4000 };
static const double RATE = 1000.0;
static double x[N];

/* The largest |x - share of the sine| far from the ends. */
static double worst(double frequency, double share) {
  double most = 0.0;
  for (int k = N / 4; k < 3 * N / 4; k++) {
    most = fmax(most, fabs(x[k] - share * sin(2.0 * M_PI * frequency * k / RATE)));
  }
  return most;
}

static void filter_sine(double frequency, double cutoff) {
  const struct low_pass filter = low_pass_design(cutoff, RATE);
  for (int k = 0; k < N; k++) {
    x[k] = sin(2.0 * M_PI * frequency * k / RATE);
  }
  low_pass_both_ways(&filter, x, N, 1);
}

START_TEST(there_is_no_phase_and_the_gain_is_butterworths) {
  static const double frequency[] = {2.0, 10.0, 20.0, 40.0, 80.0};
  for (int i = 0; i < 5; i++) {
    filter_sine(frequency[i], 20.0);
    /* twice the fourth order, at frequencies as the bilinear transform bends them */
    const double bent = tan(M_PI * frequency[i] / RATE) / tan(M_PI * 20.0 / RATE);
    ck_assert_double_le(worst(frequency[i], 1.0 / (1.0 + pow(bent, 8.0))), 1e-6);
  }
}
END_TEST

START_TEST(a_line_passes_unchanged_to_its_very_ends) {
  const struct low_pass filter = low_pass_design(20.0, RATE);
  for (int k = 0; k < N; k++) {
    x[k] = 3.0 - 0.01 * k;
  }
  low_pass_both_ways(&filter, x, N, 1);
  for (int k = 0; k < N; k++) {
    assert_near(x[k], 3.0 - 0.01 * k, 1e-9);
  }
}
END_TEST

START_TEST(signals_side_by_side_do_not_touch) {
  const struct low_pass filter = low_pass_design(20.0, RATE);
  for (int k = 0; k < N; k++) {
    x[k] = k % 2 == 0 ? 1.0 : 1e6 * sin(k);
  }
  const double kept = x[5];
  low_pass_both_ways(&filter, x, N / 2, 2);
  assert_near(x[1000], 1.0, 1e-12);
  ck_assert_double_eq(x[5], kept);
}
END_TEST

SUITE(there_is_no_phase_and_the_gain_is_butterworths, a_line_passes_unchanged_to_its_very_ends,
      signals_side_by_side_do_not_touch)
