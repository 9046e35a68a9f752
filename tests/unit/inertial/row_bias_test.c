#include "inertial/row_bias.h"
#include "support/random_model.h"
#include "support/suite.h"

/* A block of one force row (5: the base's z) and one joint row. */
static struct row_block two_rows(double time) {
  return (struct row_block){.rows = 2, .row = {5, 7}, .count = 1, .time = time};
}

START_TEST(calibration_ends_with_the_mean_residual) {
  struct row_bias bias;
  struct row_block block = two_rows(0.02);
  struct random random = random_from(test_seed());
  double mean[2] = {0.0, 0.0};
  row_bias_reset(&bias);
  for (int k = 0; k < 50; k++) {
    const double z[2] = {4.0 + random_normal(&random), -1.0 + random_normal(&random)};
    const double beyond[2] = {z[0] - bias.value[5], z[1] - bias.value[7]};
    row_bias_calibrate(&bias, &block, beyond);
    mean[0] += z[0] / 50.0;
    mean[1] += z[1] / 50.0;
  }
  assert_near(bias.value[5], mean[0], 1e-12);
  assert_near(bias.value[7], mean[1], 1e-12);
  assert_near(bias.calibrated_s, 1.0, 1e-12);
  ck_assert(bias.value[0] == 0.0 && bias.value[6] == 0.0);
}
END_TEST

START_TEST(a_creeping_residual_is_followed_no_faster_than_allowed) {
  struct row_bias bias;
  struct row_block block = two_rows(0.02);
  row_bias_reset(&bias);
  const double jump[2] = {100.0, 100.0};
  for (int k = 0; k < 500; k++) { /* 10 s */
    row_bias_creep(&bias, &block, jump, 0.01, 0.003);
  }
  assert_near(bias.value[5], 10.0 * 0.01, 1e-9);
  assert_near(bias.value[7], 10.0 * 0.003, 1e-9);
  double drifted = 0.1;
  for (int k = 0; k < 50000; k++) { /* 1000 s of 5 N/h */
    drifted += 0.02 * 5.0 / 3600.0;
    const double beyond[2] = {drifted - bias.value[5], 0.0};
    row_bias_creep(&bias, &block, beyond, 0.01, 0.003);
  }
  assert_near(bias.value[5], drifted, 0.01);
}
END_TEST

START_TEST(what_only_a_load_can_be_is_no_bias) {
  struct row_bias bias;
  row_bias_reset(&bias);
  bias.value[5] = -29.0; /* the base's z */
  bias.value[1] = 9.0;
  ck_assert(row_bias_is_credible(&bias, 30.0, 10.0));
  ck_assert_double_eq(bias.value[5], -29.0);
  bias.value[7] = -11.0; /* a joint */
  ck_assert(!row_bias_is_credible(&bias, 30.0, 10.0));
  ck_assert(bias.value[5] == 0.0 && bias.value[1] == 0.0 && bias.value[7] == 0.0);
  bias.value[4] = 31.0;
  ck_assert(!row_bias_is_credible(&bias, 30.0, 10.0));
}
END_TEST

SUITE(what_only_a_load_can_be_is_no_bias, calibration_ends_with_the_mean_residual,
      a_creeping_residual_is_followed_no_faster_than_allowed)
