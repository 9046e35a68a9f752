#include "inertial/rest_statistics.h"
#include "support/random_model.h"
#include "support/suite.h"

enum { N = 10, ROWS = 2 };
static const double NONE[REST_PAIRS] = {0.0}; /* nothing is strange */

static struct rest_statistics new_rest(void) {
  struct rest_statistics rest;
  struct arena arena = test_arena(1 << 20);
  rest_statistics_init(&rest, N, &arena);
  return rest;
}

/* Rows with a constant part, and noise that is common to y[0], y[1] and z of a row. */
static void noisy_block(struct random *random, double Y[ROWS][N], double z[ROWS], double offset) {
  for (int r = 0; r < ROWS; r++) {
    const double shared = random_normal(random);
    for (int i = 0; i < N; i++) {
      Y[r][i] = offset + (double)i + 0.1 * random_normal(random) * (i > 1);
    }
    Y[r][0] += 0.5 * shared;
    Y[r][1] -= 0.2 * shared;
    z[r] = offset - 3.0 * r + 2.0 * shared;
  }
}

static void feed(struct rest_statistics *rest, struct random *random, int blocks, double offset) {
  const double pi[N] = {1.0, 1.0};
  double Y[ROWS][N], z[ROWS];
  for (int k = 0; k < blocks; k++) {
    noisy_block(random, Y, z, offset);
    rest_statistics_take(rest, &Y[0][0], z, ROWS, pi, NONE, HUGE_VAL);
  }
}

START_TEST(moments_are_those_of_the_noise_over_several_rests_in_other_poses) {
  struct random random = random_from(test_seed());
  struct rest_statistics rest = new_rest();
  for (int k = 0; k < 100; k++) { /* each rest in another pose: its mean must not count as noise */
    rest_statistics_begin(&rest);
    feed(&rest, &random, 100, 10.0 * k);
  }
  const double Omega[REST_PAIRS] = {0.25, 0.25};
  double YtWY[N * N], YtWz[N];
  ck_assert(rest_statistics_noise(&rest, Omega, ROWS, YtWY, YtWz));
  /* two rows of variance 4: twice the moment over four; 10 % for a memory of 500 blocks */
  assert_near(YtWY[0], 0.5 * 0.25, 0.1 * 0.125);
  assert_near(YtWY[1], 0.5 * -0.10, 0.1 * 0.05);
  assert_near(YtWY[2 * N + 2], 0.5 * 0.01, 0.1 * 0.005);
  assert_near(YtWz[0], 0.5 * 1.0, 0.1 * 0.5);
  assert_near(YtWz[1], 0.5 * -0.4, 0.1 * 0.2);
  /* residual: z - y0 - y1 = (2 - 0.5 + 0.2) shared */
  assert_near(rest.residual[1], 1.7 * 1.7, 0.3);
}
END_TEST

START_TEST(noise_that_hangs_together_from_block_to_block_is_told_by_its_length) {
  const double correlation[] = {0.0, 0.5, 0.8};
  const double pi[N] = {0.0}, Y[ROWS][N] = {{0.0}};
  for (int c = 0; c < 3; c++) {
    const double rho = correlation[c];
    struct random random = random_from(test_seed());
    struct rest_statistics rest = new_rest();
    double e = 0.0, z[ROWS];
    rest_statistics_begin(&rest);
    for (int k = 0; k < 3000; k++) {
      e = rho * e + sqrt(1.0 - rho * rho) * random_normal(&random);
      z[0] = 5.0 + 2.0 * e;
      z[1] = random_normal(&random);
      rest_statistics_take(&rest, &Y[0][0], z, ROWS, pi, NONE, HUGE_VAL);
    }
    const double length = (1.0 + rho) / (1.0 - rho);
    assert_near(rest_statistics_length(&rest, 0), length, 0.35 * length);
    assert_near(rest_statistics_length(&rest, 1), 1.0, 0.3);
  }
}
END_TEST

START_TEST(the_mean_is_that_of_this_rest) {
  struct random random = random_from(test_seed());
  struct rest_statistics rest = new_rest();
  feed(&rest, &random, 400, 0.0);
  rest_statistics_begin(&rest);
  feed(&rest, &random, 400, 50.0);
  assert_near(rest.mean_Y[3], 53.0, 0.03);
  assert_near(rest.mean_z[1], 47.0, 0.5);
}
END_TEST

START_TEST(too_few_blocks_or_other_rows_tell_nothing) {
  struct random random = random_from(test_seed());
  struct rest_statistics rest = new_rest();
  const double Omega[REST_PAIRS] = {1.0};
  double YtWY[N * N] = {7.0}, YtWz[N] = {7.0};
  feed(&rest, &random, 10, 0.0);
  ck_assert(!rest_statistics_noise(&rest, Omega, ROWS, YtWY, YtWz));
  feed(&rest, &random, 100, 0.0);
  ck_assert(!rest_statistics_noise(&rest, Omega, 3, YtWY, YtWz));
  ck_assert(YtWY[0] == 7.0 && YtWz[0] == 7.0);
}
END_TEST

/* A load put on while standing was learned as noise, and its noise lasted for hours. */
START_TEST(a_jump_is_no_noise_and_lasting_strangeness_is_another_noise) {
  struct random random = random_from(test_seed());
  struct rest_statistics rest = new_rest();
  const double pi[N] = {1.0, 1.0}, Omega[REST_PAIRS] = {1.0 / 4.0, 1.0 / 4.0};
  double Y[ROWS][N], z[ROWS];
  feed(&rest, &random, 200, 0.0);
  const double before = rest.residual[0], length = rest_statistics_length(&rest, 0);
  for (int k = 0; k < 40; k++) {
    noisy_block(&random, Y, z, 0.0);
    z[0] += 30.0;
    rest_statistics_take(&rest, &Y[0][0], z, ROWS, pi, Omega, 14.0);
  }
  ck_assert(rest.residual[0] == before);
  ck_assert(rest_statistics_length(&rest, 0) == length);
  ck_assert(rest_statistics_know(&rest, ROWS));
  for (int k = 0; k < 60; k++) {
    noisy_block(&random, Y, z, 0.0);
    z[0] += 30.0;
    rest_statistics_take(&rest, &Y[0][0], z, ROWS, pi, Omega, 14.0);
  }
  ck_assert(rest_statistics_know(&rest, ROWS));
  assert_near(rest.mean_z[0], 30.0, 1.5);
  ck_assert_double_lt(rest.residual[0], 3.0 * before);
}
END_TEST

START_TEST(rows_together_are_kept_with_their_products) {
  struct random random = random_from(test_seed());
  struct rest_statistics rest = new_rest();
  const double pi[N] = {0.0};
  for (int k = 0; k < 500; k++) { /* y[0] of row 0 is twice that of row 1, and so is z */
    const double x = random_normal(&random);
    const double Y[ROWS][N] = {{2.0 * x}, {x}}, z[ROWS] = {2.0 * x, x};
    rest_statistics_take(&rest, &Y[0][0], z, ROWS, pi, NONE, HUGE_VAL);
  }
  /* seen together, twice the second less the first is no noise at all */
  const double Omega[REST_PAIRS] = {[0] = 1.0, [1] = 4.0, [INERTIAL_MAX_ROWS] = -2.0};
  double YtWY[N * N], YtWz[N];
  ck_assert(rest_statistics_noise(&rest, Omega, ROWS, YtWY, YtWz));
  assert_near(YtWY[0], 0.0, 1e-9);
  assert_near(YtWz[0], 0.0, 1e-9);
  const double alone[REST_PAIRS] = {1.0, 4.0};
  ck_assert(rest_statistics_noise(&rest, alone, ROWS, YtWY, YtWz));
  assert_near(YtWY[0], 8.0, 2.0);
  assert_near(rest.residual[rest_pair(1, 0)], 2.0, 0.5);
}
END_TEST

SUITE(moments_are_those_of_the_noise_over_several_rests_in_other_poses,
      noise_that_hangs_together_from_block_to_block_is_told_by_its_length,
      the_mean_is_that_of_this_rest, too_few_blocks_or_other_rows_tell_nothing,
      a_jump_is_no_noise_and_lasting_strangeness_is_another_noise,
      rows_together_are_kept_with_their_products)
