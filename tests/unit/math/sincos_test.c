#include "math/sincos.h"

#include "support/suite.h"

#include <math.h>

/* Error of both outputs over n angles in [-range, range], in units of 1e-16 beside one part in
 * 2^52. */
static void check_range(struct random *rng, double range) {
  enum { N = 4099 }; /* not a multiple of the width */
  static double angle[N], s[N], c[N];
  for (int i = 0; i < N; i++) {
    angle[i] = random_uniform(rng, -range, range);
  }
  sincos_array(angle, N, s, c);
  for (int i = 0; i < N; i++) {
    assert_near(s[i], sinl((long double)angle[i]), 1.7e-16);
    assert_near(c[i], cosl((long double)angle[i]), 1.7e-16);
  }
}

START_TEST(sines_and_cosines_are_right_to_the_last_digit_at_any_angle) {
  struct random rng = random_from(test_seed());
  const double ranges[] = {1e-9, 1e-3, 0.8, 3.2, 7.0, 100.0, 1e4, 9.9e5, 1e9, 1e15};
  for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
    check_range(&rng, ranges[i]);
  }
}
END_TEST

START_TEST(small_results_keep_their_relative_precision) {
  for (int quadrant = -1000; quadrant <= 1000; quadrant++) {
    const double angle = quadrant * M_PI_2;
    double s, c;
    sincos_array(&angle, 1, &s, &c);
    const long double small =
        quadrant % 2 == 0 ? sinl((long double)angle) : cosl((long double)angle);
    const double ours = quadrant % 2 == 0 ? s : c;
    ck_assert_double_le(fabs(ours - (double)small), 4e-16 * fabs((double)small));
  }
}
END_TEST

START_TEST(infinite_angles_give_nan_and_spoil_no_neighbour) {
  const double angle[3] = {INFINITY, 0.5, NAN};
  double s[3], c[3];
  sincos_array(angle, 3, s, c);
  ck_assert(isnan(s[0]) && isnan(c[0]) && isnan(s[2]) && isnan(c[2]));
  assert_near(s[1], sin(0.5), 1e-16);
}
END_TEST

SUITE(sines_and_cosines_are_right_to_the_last_digit_at_any_angle,
      small_results_keep_their_relative_precision, infinite_angles_give_nan_and_spoil_no_neighbour)
