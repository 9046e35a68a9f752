#include "inertial/row_noise.h"
#include "support/random_model.h"
#include "support/suite.h"

#include <stdlib.h>

enum { N = 10, ROWS = 11, BIASES = 14, ALL = N + BIASES };
static const size_t SLOT[ROWS] = {7, 1, 2,  3,  4, 0,
                                  8, 9, 10, 11, 12}; /* places of the rows' biases */
static const double NONE[REST_PAIRS] = {0.0};        /* nothing is strange */

struct noisy {
  struct rest_statistics rest;
  struct row_noise noise;
  struct random random;
  double common[ROWS]; /* how one disturbance enters the rows, those that are seen together */
};

static struct noisy *new_noisy(void) {
  struct noisy *noisy = calloc(1, sizeof(*noisy));
  struct arena arena = test_arena(1 << 20);
  rest_statistics_init(&noisy->rest, N, &arena);
  row_noise_init(&noisy->noise, N, BIASES, &arena);
  noisy->random = random_from(test_seed());
  for (int r = 0; r < REST_TOGETHER; r++) {
    noisy->common[r] = random_uniform(&noisy->random, -3.0, 3.0);
  }
  return noisy;
}

/* One block of noise: a disturbance that lasts (kept from block to block by `keep`), common to
 * the first rows, and 0.5 of each row's own. */
static void sample(struct noisy *noisy, double *last, double keep, double *z) {
  *last = keep * *last + sqrt(1.0 - keep * keep) * random_normal(&noisy->random);
  for (int r = 0; r < ROWS; r++) {
    z[r] = noisy->common[r] * *last + 0.5 * random_normal(&noisy->random);
  }
}

static void learn(struct noisy *noisy, double keep, int blocks) {
  double Y[ROWS * N] = {0.0}, pi[N] = {0.0}, z[ROWS], last = 0.0;
  for (int k = 0; k < blocks; k++) {
    sample(noisy, &last, keep, z);
    rest_statistics_take(&noisy->rest, Y, z, ROWS, pi, NONE, HUGE_VAL);
  }
}

static const double NO_FORCE[ROWS] = {0.0};

/* Rows with their biases, a gain each of the first two, and friction of the third. */
static struct inertial_rows whiten(struct noisy *noisy, const double *Y, const double *z,
                                   const double *force) {
  struct measured_rows rows = {.n = ROWS, .Y = Y, .z = z, .force = force, .friction = force};
  for (size_t r = 0; r < ROWS; r++) {
    rows.bias[r] = SLOT[r];
    rows.stick[r] = r == 2 ? 13 : SIZE_MAX;
    rows.gain[r] = r < 2 ? 5 + r : SIZE_MAX;
  }
  return row_noise_whiten(&noisy->noise, &rows);
}

static const double LEAST[ROWS] = {0.01, 0.01, 0.01, 0.01, 0.01, 0.01,
                                   0.01, 0.01, 0.01, 0.01, 0.01};

START_TEST(noise_common_to_all_rows_becomes_white) {
  struct noisy *noisy = new_noisy();
  learn(noisy, 0.0, 500);
  row_noise_set(&noisy->noise, LEAST, ROWS, &noisy->rest, 1.0);
  double product[ROWS][ROWS] = {{0.0}}, Y[ROWS * N] = {0.0}, z[ROWS], last = 0.0;
  enum { SAMPLES = 4000 };
  for (int k = 0; k < SAMPLES; k++) {
    sample(noisy, &last, 0.0, z);
    const struct inertial_rows rows = whiten(noisy, Y, z, NO_FORCE);
    for (int r = 0; r < ROWS; r++) {
      ck_assert(rows.R[r] == 1.0);
      for (int s = 0; s < ROWS; s++) {
        product[r][s] += rows.z[r] * rows.z[s] / SAMPLES;
      }
    }
  }
  for (int r = 0; r < ROWS; r++) { /* learned from 500 blocks, and seen in 4000 */
    for (int s = 0; s < ROWS; s++) {
      assert_near(product[r][s], r == s ? 1.0 : 0.0, 0.35);
    }
  }
}
END_TEST

START_TEST(white_rows_weigh_as_omega_says) {
  struct noisy *noisy = new_noisy();
  learn(noisy, 0.0, 500);
  row_noise_set(&noisy->noise, LEAST, ROWS, &noisy->rest, 1.5);
  double Y[ROWS * N], z[ROWS], whole = 0.0, white = 0.0;
  for (int i = 0; i < ROWS * N; i++) {
    Y[i] = random_normal(&noisy->random);
    z[i % ROWS] = random_normal(&noisy->random);
  }
  const struct inertial_rows rows = whiten(noisy, Y, z, NO_FORCE);
  for (size_t r = 0; r < ROWS; r++) {
    white += rows.Y[r * ALL + 3] * rows.z[r];
    for (size_t s = rest_first(r); s <= r; s++) {
      const double both = Y[r * N + 3] * z[s] + (r != s ? Y[s * N + 3] * z[r] : 0.0);
      whole += both * noisy->noise.Omega[rest_pair(r, s)];
    }
  }
  assert_near(white, whole, 1e-9 * fabs(whole) + 1e-9);
}
END_TEST

/* The mean of many blocks scatters by what the noise's length says. */
START_TEST(noise_that_lasts_counts_for_as_long_as_it_does) {
  struct noisy *noisy = new_noisy();
  noisy->common[0] = 2.0; /* most of the row: what it has of its own does not last */
  learn(noisy, 0.6, 3000);
  const double length = rest_statistics_length(&noisy->rest, 0);
  double seen = 0.0, last = 0.0, z[ROWS];
  const double variance = noisy->common[0] * noisy->common[0] + 0.25;
  enum { MEANS = 400, BLOCKS = 50 };
  for (int m = 0; m < MEANS; m++) {
    double mean = 0.0;
    for (int k = 0; k < BLOCKS; k++) {
      sample(noisy, &last, 0.6, z);
      mean += z[0] / BLOCKS;
    }
    seen += mean * mean / MEANS;
  }
  ck_assert_double_gt(length, 1.5);
  assert_near(seen * BLOCKS / variance, length, 0.35 * length);
}
END_TEST

START_TEST(white_noise_has_the_length_of_a_block) {
  struct noisy *noisy = new_noisy();
  learn(noisy, 0.0, 1000);
  for (size_t r = 0; r < ROWS; r++) {
    assert_near(rest_statistics_length(&noisy->rest, r), 1.0, 0.35);
  }
}
END_TEST

START_TEST(before_enough_is_known_the_least_noise_stands_alone) {
  struct noisy *noisy = new_noisy();
  learn(noisy, 0.0, 10);
  row_noise_set(&noisy->noise, LEAST, ROWS, &noisy->rest, 1.5);
  for (size_t r = 0; r < ROWS; r++) {
    assert_near(noisy->noise.Omega[rest_pair(r, r)], 1.0 / LEAST[r], 1e-9);
  }
}
END_TEST

START_TEST(a_bias_friction_and_a_gain_enter_white_rows_as_they_enter_the_measurement) {
  struct noisy *noisy = new_noisy();
  learn(noisy, 0.0, 500);
  row_noise_set(&noisy->noise, LEAST, ROWS, &noisy->rest, 1.5);
  double Y[ROWS * N], z[ROWS], force[ROWS], bias[BIASES], white[ROWS];
  for (int i = 0; i < ROWS * N; i++) {
    Y[i] = random_normal(&noisy->random);
  }
  for (int k = 0; k < BIASES; k++) {
    bias[k] = random_normal(&noisy->random);
  }
  for (int r = 0; r < ROWS; r++) {
    force[r] = random_uniform(&noisy->random, -20.0, 20.0);
    z[r] = bias[SLOT[r]] + (r < 2 ? force[r] * bias[5 + r] : r == 2 ? force[r] * bias[13] : 0.0);
  }
  const struct inertial_rows rows = whiten(noisy, Y, z, force);
  for (int r = 0; r < ROWS; r++) {
    white[r] = 0.0;
    for (int k = 0; k < BIASES; k++) {
      white[r] += rows.Y[r * ALL + N + k] * bias[k];
    }
    assert_near(white[r], rows.z[r], 1e-9);
  }
}
END_TEST

START_TEST(rows_that_are_noisier_yet_weigh_less_in_what_weighs_their_regressor) {
  struct noisy *noisy = new_noisy();
  double Omega[REST_PAIRS];
  row_noise_set(&noisy->noise, LEAST, ROWS, &noisy->rest, 1.5);
  memcpy(Omega, noisy->noise.Omega, sizeof(Omega));
  for (int r = 0; r < ROWS; r++) {
    noisy->noise.R[r] = 1.0 + r;
  }
  row_noise_widen(&noisy->noise);
  for (size_t r = 0; r < ROWS; r++) {
    const size_t own = rest_pair(r, r);
    assert_near(noisy->noise.Omega[own], Omega[own] / (1.0 + (double)r), 1e-12);
  }
}
END_TEST

SUITE(rows_that_are_noisier_yet_weigh_less_in_what_weighs_their_regressor,
      noise_common_to_all_rows_becomes_white, white_rows_weigh_as_omega_says,
      noise_that_lasts_counts_for_as_long_as_it_does, white_noise_has_the_length_of_a_block,
      before_enough_is_known_the_least_noise_stands_alone,
      a_bias_friction_and_a_gain_enter_white_rows_as_they_enter_the_measurement)
