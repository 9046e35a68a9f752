#include "numerics/chi_square.h"

#include "support/suite.h"

/* @eq Foster24 22: the bound of the gate */
START_TEST(chi_square_bounds_are_those_of_the_tables) {
  assert_near(chi_square_bound(6, NORMAL_TAIL_1E3), 22.458, 0.01 * 22.458);
  assert_near(chi_square_bound(10, NORMAL_TAIL_1E3), 29.588, 0.01 * 29.588);
  assert_near(chi_square_bound(36, NORMAL_TAIL_1E3), 67.985, 0.01 * 67.985);
  assert_near(chi_square_bound(1, NORMAL_TAIL_1E3), 10.828, 0.04 * 10.828);
}
END_TEST

SUITE(chi_square_bounds_are_those_of_the_tables)
