#include "math/bounds.h"

#include "support/suite.h"

#include <float.h>

enum { N = 67 }; /* no multiple of any vector's width */

static double x[N];

static void fill(double value) {
  for (int i = 0; i < N; i++) {
    x[i] = i % 2 == 0 ? value : -value;
  }
}

START_TEST(numbers_up_to_the_limit_itself_are_within) {
  const double good[] = {0.0, DBL_MIN / 4.0, 1.0, 99.0, 100.0};
  for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
    fill(good[i]);
    ck_assert(all_within(x, N, 100.0));
    ck_assert_int_eq(check_within(x, N, 100.0), STATUS_OK);
  }
  ck_assert(all_within(NULL, 0, 100.0));
}
END_TEST

START_TEST(one_bad_number_at_any_place_is_found_and_named) {
  const struct {
    double value;
    enum status status;
  } bad[] = {{nextafter(100.0, 200.0), STATUS_OUT_OF_RANGE},
             {-100.5, STATUS_OUT_OF_RANGE},
             {DBL_MAX, STATUS_OUT_OF_RANGE},
             {INFINITY, STATUS_NOT_FINITE},
             {-INFINITY, STATUS_NOT_FINITE},
             {NAN, STATUS_NOT_FINITE},
             {-NAN, STATUS_NOT_FINITE}};
  for (size_t b = 0; b < sizeof(bad) / sizeof(bad[0]); b++) {
    for (int at = 0; at < N; at++) {
      fill(100.0);
      x[at] = bad[b].value;
      ck_assert(!all_within(x, N, 100.0));
      ck_assert_int_eq(check_within(x, N, 100.0), bad[b].status);
    }
  }
}
END_TEST

START_TEST(not_finite_outweighs_out_of_range) {
  fill(1.0);
  x[3] = 1e9;
  x[60] = NAN;
  ck_assert_int_eq(check_within(x, N, 100.0), STATUS_NOT_FINITE);
}
END_TEST

SUITE(numbers_up_to_the_limit_itself_are_within, one_bad_number_at_any_place_is_found_and_named,
      not_finite_outweighs_out_of_range)
