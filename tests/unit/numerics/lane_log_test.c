#include "numerics/lane_log.h"

#include "support/random_model.h"

#include <float.h>
#include <math.h>

/* This build's registers; the bank's suite runs with each kind (tests/isa). */

enum { LANES = REGISTER_BYTES / sizeof(double) };

static double log_of(double x) {
  log_lanes all = {0};
  for (int i = 0; i < LANES; i++) {
    all[i] = i == LANES - 1 ? x : 1.0 + i;
  }
  return lane_log(all)[LANES - 1];
}

START_TEST(it_is_the_logarithm_of_every_size_to_the_last_bits) {
  struct random rng = random_from(test_seed());
  for (int i = 0; i < 100000; i++) {
    const double x = exp(random_uniform(&rng, -700.0, 700.0));
    const double off = fabs(log_of(x) - log(x));
    if (!(off <= 4.0 * DBL_EPSILON * fmax(1.0, fabs(log(x))))) {
      ck_abort_msg("log %a: %a, not %a", x, log_of(x), log(x));
    }
  }
}
END_TEST

START_TEST(around_one_and_at_the_seams_nothing_jumps) {
  const double seam[] = {
      1.0,  sqrt(0.5), sqrt(2.0), 0.5, 2.0, nextafter(1.0, 0.0), nextafter(1.0, 2.0),
      1e-9, 1e300,     DBL_MIN};
  for (size_t i = 0; i < sizeof(seam) / sizeof(seam[0]); i++) {
    for (int side = -1; side <= 1; side++) {
      const double x = seam[i] * (1.0 + side * 4.0 * DBL_EPSILON);
      if (x >= DBL_MIN) {
        ck_assert_double_le(
            fabs(log_of(x) - log(x)),
            4.0 * DBL_EPSILON * fmax(1e-15, fmax(fabs(log(x)), fabs(x - 1.0) < 0.5 ? 0.0 : 1.0)) +
                1e-17);
      }
    }
  }
}
END_TEST

SUITE(it_is_the_logarithm_of_every_size_to_the_last_bits, around_one_and_at_the_seams_nothing_jumps)
