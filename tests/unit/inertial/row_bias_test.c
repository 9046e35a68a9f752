#include "inertial/row_bias.h"
#include "support/suite.h"

/* A block of one force row (5: the base's z) and one joint row. */
static struct row_block two_rows(double time) {
  return (struct row_block){.rows = 2, .row = {5, 7}, .count = 1, .time = time};
}

START_TEST(a_creeping_residual_is_followed_no_faster_than_allowed) {
  struct row_bias bias;
  struct row_block block = two_rows(0.02);
  row_bias_reset(&bias);
  const double jump[2] = {100.0, 100.0};
  for (int k = 0; k < 500; k++) { /* 10 s */
    row_bias_creep(&bias, &block, jump, 0.01, 0.003);
  }
  assert_near(bias.crept[5], 10.0 * 0.01, 1e-9);
  assert_near(bias.crept[7], 10.0 * 0.003, 1e-9);
  double drifted = 0.1;
  for (int k = 0; k < 50000; k++) { /* 1000 s of 5 N/h */
    drifted += 0.02 * 5.0 / 3600.0;
    const double beyond[2] = {drifted - bias.crept[5], 0.0};
    row_bias_creep(&bias, &block, beyond, 0.01, 0.003);
  }
  assert_near(bias.crept[5], drifted, 0.01);
}
END_TEST

SUITE(a_creeping_residual_is_followed_no_faster_than_allowed)
