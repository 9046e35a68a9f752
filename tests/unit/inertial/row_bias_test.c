#include "inertial/row_bias.h"
#include "support/random_model.h"
#include "support/suite.h"

/* A block of one force row (5: the base's z) and one joint row. */
static struct row_block two_rows(double time) {
  return (struct row_block){.rows = 2, .row = {5, 7}, .count = 1, .time = time};
}

static const size_t SLOT[8] = {9, 9, 9, 9, 9, 1, 9, 2};

START_TEST(the_start_ends_with_the_mean_residual) {
  struct row_bias bias;
  struct row_block block = two_rows(0.02);
  struct random random = random_from(test_seed());
  double mean[2] = {0.0, 0.0};
  row_bias_reset(&bias);
  for (int k = 0; k < 50; k++) {
    const double z[2] = {4.0 + random_normal(&random), -1.0 + random_normal(&random)};
    row_bias_start(&bias, &block, SLOT, z);
    mean[0] += z[0] / 50.0;
    mean[1] += z[1] / 50.0;
  }
  assert_near(bias.start[1], mean[0], 1e-12);
  assert_near(bias.start[2], mean[1], 1e-12);
  assert_near(bias.start_s, 1.0, 1e-12);
  ck_assert(bias.start[0] == 0.0 && bias.crept[5] == 0.0);
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

START_TEST(what_only_a_load_can_be_is_no_bias) {
  const double sd[2] = {15.0, 5.0};
  struct row_bias bias;
  row_bias_reset(&bias);
  bias.start[0] = -29.0;
  bias.start[1] = 9.0;
  ck_assert(row_bias_is_credible(&bias, sd, 2));
  bias.start[1] = -11.0;
  ck_assert(!row_bias_is_credible(&bias, sd, 2));
  bias.start[1] = 0.0;
  bias.start[0] = 31.0;
  ck_assert(!row_bias_is_credible(&bias, sd, 2));
}
END_TEST

SUITE(what_only_a_load_can_be_is_no_bias, the_start_ends_with_the_mean_residual,
      a_creeping_residual_is_followed_no_faster_than_allowed)
