#include "numerics/first_order.h"

#include "support/suite.h"

START_TEST(after_a_time_constant_the_share_is_63_percent_however_it_was_cut) {
  const double corner_hz = 20.0, constant_s = 1.0 / (2.0 * M_PI * corner_hz);
  assert_near(first_order_share(corner_hz, constant_s), 1.0 - exp(-1.0), 1e-15);
  double left = 1.0;
  for (int i = 0; i < 8; i++) {
    left *= 1.0 - first_order_share(corner_hz, constant_s / 8.0);
  }
  assert_near(1.0 - left, first_order_share(corner_hz, constant_s), 1e-14);
}
END_TEST

START_TEST(without_a_corner_everything_is_taken) {
  ck_assert_double_eq(first_order_share(0.0, 1e-3), 1.0);
}
END_TEST

START_TEST(the_lag_is_that_behind_a_change_which_came_evenly) {
  const double corner_hz = 60.0, dt = 0.01;
  const int pieces = 100000;
  double x = 0.0;
  for (int i = 0; i < pieces; i++) {
    const double u = (double)(i + 1) / (double)pieces;
    x += first_order_share(corner_hz, dt / (double)pieces) * (u - x);
  }
  assert_near(first_order_lag(corner_hz, dt), 1.0 - x, 1e-5);
  ck_assert_double_eq(first_order_lag(0.0, dt), 0.0);
}
END_TEST

SUITE(the_lag_is_that_behind_a_change_which_came_evenly,
      after_a_time_constant_the_share_is_63_percent_however_it_was_cut,
      without_a_corner_everything_is_taken)
