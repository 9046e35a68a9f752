#include "normal_pairs.h"
#include "sim_random.h"
#include "support/suite.h"

/* Of a pair of uniform numbers, in long doubles. */
static void assert_pair(double u, double v, const double pair[2]) {
  const long double radius = sqrtl(-2.0L * logl(1.0L - (long double)u)),
                    angle = (long double)(2.0 * M_PI * v);
  must_be_near(pair[0], (double)(radius * cosl(angle)), 1e-15 + 4.5e-16 * fabs(pair[0]));
  must_be_near(pair[1], (double)(radius * sinl(angle)), 1e-15 + 4.5e-16 * fabs(pair[1]));
}

START_TEST(pairs_are_box_and_mullers_to_the_last_digits) {
  enum { N = 100003 }; /* several times what is made at a time, and some left over */
  static double u[N], v[N], kept[2][N], out[2 * N];
  struct random random = random_from(test_seed());
  for (size_t i = 0; i < N; i++) {
    kept[0][i] = u[i] = random_uniform(&random, 0.0, 1.0);
    kept[1][i] = v[i] = random_uniform(&random, 0.0, 1.0);
  }
  normal_pairs(u, v, N, out);
  for (size_t i = 0; i < N; i++) {
    assert_pair(kept[0][i], kept[1][i], out + 2 * i);
  }
}
END_TEST

/* Next to 1 the logarithm is small, next to 0 it is large; between powers of two, it turns. */
START_TEST(the_ends_of_the_uniform_numbers_are_right_too) {
  const double ends[] = {
      0.0,           0x1p-53, 0x1p-30, 1.0 - M_SQRT1_2, 1.0 - M_SQRT1_2 / 2.0, 0.5,
      0x1.fffffep-1, 0.75,    0.25,    1.0 - 0x1p-30,   1.0 - 0x1p-53};
  for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
    double u = ends[i], v = 0.3, out[2];
    normal_pairs(&u, &v, 1, out);
    assert_pair(ends[i], 0.3, out);
  }
}
END_TEST

START_TEST(one_after_the_other_they_are_the_sequence_of_single_numbers) {
  struct sim_random single = sim_random_from(7, 1), paired = single;
  double u[50], v[50], out[100];
  for (size_t i = 0; i < 50; i++) {
    u[i] = sim_uniform(&paired, 0.0, 1.0);
    v[i] = sim_uniform(&paired, 0.0, 1.0);
  }
  normal_pairs(u, v, 50, out);
  for (size_t i = 0; i < 100; i++) {
    const double x = sim_normal(&single);
    must_be_near(out[i], x, 2e-15 + 1e-15 * fabs(x));
  }
}
END_TEST

SUITE(pairs_are_box_and_mullers_to_the_last_digits, the_ends_of_the_uniform_numbers_are_right_too,
      one_after_the_other_they_are_the_sequence_of_single_numbers)
