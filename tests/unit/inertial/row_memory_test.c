#include "inertial/row_memory.h"
#include "numerics/small_matrix.h"
#include "support/random_model.h"
#include "support/suite.h"

#include <string.h>

enum { N = 10, ROWS = 6, BIASES = 3, ALL = N + BIASES };

static struct row_memory memory_of(size_t biases) {
  struct row_memory memory;
  struct arena arena = test_arena(1 << 18);
  row_memory_init(&memory, N, biases, &arena);
  return memory;
}

static struct row_memory new_memory(void) {
  return memory_of(0);
}

/* Rows that agree on pi once the noise of their regressor is taken away. */
static void fill(struct row_memory *memory, struct random *random, const double *pi) {
  double Y[ROWS][N], z[ROWS], R[ROWS], YtWY[N][N], YtWz[N];
  for (int k = 0; k < 12; k++) {
    double noise[N];
    for (int i = 0; i < N; i++) {
      noise[i] = 0.5 * random_normal(random);
    }
    memset(YtWz, 0, sizeof(YtWz));
    for (int r = 0; r < ROWS; r++) {
      R[r] = random_uniform(random, 0.5, 2.0);
      z[r] = random_normal(random); /* what the noise adds, and shall be taken away */
      for (int i = 0; i < N; i++) {
        Y[r][i] = random_normal(random);
        YtWz[i] += Y[r][i] * z[r] / R[r];
      }
      for (int i = 0; i < N; i++) {
        z[r] += Y[r][i] * pi[i];
      }
    }
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) {
        YtWY[i][j] = noise[i] * noise[j];
        YtWz[i] += YtWY[i][j] * pi[j];
      }
    }
    const struct inertial_rows rows = {
        .n = ROWS, .Y = &Y[0][0], .z = z, .R = R, .YtWY = &YtWY[0][0], .YtWz = YtWz};
    row_memory_add(memory, &rows, random_uniform(random, 0.3, 1.0));
  }
}

/* A factor S of its covariance S S^T. */
static void random_drift(struct random *random, double *S) {
  for (int i = 0; i < N * N; i++) {
    S[i] = 0.05 * random_normal(random);
  }
}

/* What A, less a share of N, leaves of b, less that share of nz, at pi. */
static double disagreement(const struct row_memory *memory, const double *pi, double share) {
  double worst = 0.0;
  for (int i = 0; i < N; i++) {
    double left = memory->b[i] - share * memory->nz[i];
    for (int j = 0; j < N; j++) {
      left -= (memory->A[i * N + j] - share * memory->N[i * N + j]) * pi[j];
    }
    worst = fmax(worst, fabs(left));
  }
  return worst;
}

static void random_parameters(struct random *random, double *pi) {
  for (int i = 0; i < N; i++) {
    pi[i] = random_normal(random);
  }
}

/* It was A and b as they were measured that kept their parameters, not those corrected for the
 * noise in the regressor: the correction lost most of its worth in seconds. */
START_TEST(fading_leaves_corrected_rows_speaking_for_the_same_parameters) {
  struct random random = random_from(test_seed());
  double pi[N], S[N * N], trace = 0.0, faded = 0.0;
  random_parameters(&random, pi);
  struct row_memory memory = new_memory();
  fill(&memory, &random, pi);
  ck_assert_double_lt(disagreement(&memory, pi, 1.0), 1e-10);
  for (int i = 0; i < N; i++) {
    trace += memory.A[i * N + i];
  }
  for (int k = 0; k < 20; k++) {
    random_drift(&random, S);
    row_memory_fade(&memory, S, pi);
  }
  for (int i = 0; i < N; i++) {
    faded += memory.A[i * N + i];
  }
  ck_assert_double_lt(faded, 0.5 * trace);
  ck_assert_double_lt(disagreement(&memory, pi, 1.0), 1e-9);
}
END_TEST

START_TEST(without_noise_fading_needs_no_estimate) {
  struct random random = random_from(test_seed());
  double pi[N], elsewhere[N], S[N * N];
  random_parameters(&random, pi);
  random_parameters(&random, elsewhere);
  struct row_memory memory = new_memory();
  fill(&memory, &random, pi);
  for (int i = 0; i < N; i++) { /* b = A pi, and no noise */
    memory.b[i] = 0.0;
    for (int j = 0; j < N; j++) {
      memory.b[i] += memory.A[i * N + j] * pi[j];
    }
  }
  memset(memory.N, 0, N * N * sizeof(double));
  memset(memory.nz, 0, N * sizeof(double));
  for (int k = 0; k < 5; k++) {
    random_drift(&random, S);
    row_memory_fade(&memory, S, elsewhere);
  }
  ck_assert_double_lt(disagreement(&memory, pi, 1.0), 1e-9);
}
END_TEST

START_TEST(a_drift_costs_information_as_it_should) {
  struct row_memory memory = new_memory();
  double S[N * N] = {0.0}, pi[N] = {0.0};
  for (int i = 0; i < N; i++) { /* information 1/4 each, drift 0.2 */
    memory.A[i * N + i] = 0.25;
    S[i * N + i] = sqrt(0.2);
  }
  row_memory_fade(&memory, S, pi);
  for (int i = 0; i < N; i++) { /* variance 4 becomes 4 + 0.2 */
    assert_near(1.0 / memory.A[i * N + i], 4.2, 1e-12);
  }
}
END_TEST

/* Rows with noise in their regressor: b - A pi scatters from run to run by
 * A, whose own noise is in it, plus what row_memory_scatter says beyond A less N. */
START_TEST(what_scatters_beyond_the_information_is_known) {
  enum { RUNS = 3000, BLOCKS = 20 };
  struct random random = random_from(test_seed());
  struct row_memory memory = new_memory();
  double pi[N], clean[ROWS][N], seen = 0.0, told = 0.0;
  const double noise = 0.7;
  random_parameters(&random, pi);
  for (int i = 0; i < ROWS * N; i++) {
    clean[i / N][i % N] = random_normal(&random);
  }
  double YtWY[N][N] = {{0.0}}, YtWz[N] = {0.0}, R[ROWS];
  double own = 1.0;
  for (int i = 0; i < N; i++) {
    own += noise * noise * pi[i] * pi[i];
    YtWY[i][i] = ROWS * noise * noise;
  }
  for (int r = 0; r < ROWS; r++) { /* variance of z - Y pi: the noise of Y is in it */
    R[r] = own;
  }
  for (int i = 0; i < N; i++) {
    YtWY[i][i] /= own;
  }
  for (int run = 0; run < RUNS; run++) {
    row_memory_clear(&memory);
    for (int k = 0; k < BLOCKS; k++) {
      double Y[ROWS][N], z[ROWS];
      for (int r = 0; r < ROWS; r++) {
        z[r] = random_normal(&random);
        for (int i = 0; i < N; i++) {
          z[r] += clean[r][i] * pi[i];
          Y[r][i] = clean[r][i] + noise * random_normal(&random);
        }
      }
      const struct inertial_rows rows = {
          .n = ROWS, .Y = &Y[0][0], .z = z, .R = R, .YtWY = &YtWY[0][0], .YtWz = YtWz};
      row_memory_add(&memory, &rows, 1.0);
    }
    double X[N * N];
    row_memory_scatter(&memory, 12, pi, pi, X);
    for (int i = 0; i < N; i++) {
      double left = memory.b[i];
      for (int j = 0; j < N; j++) {
        left -= (memory.A[i * N + j] - memory.N[i * N + j]) * pi[j];
      }
      seen += left * left / RUNS;
      told += (memory.A[i * N + i] - memory.N[i * N + i] + X[i * N + i]) / RUNS;
    }
  }
  /* products of two noises, that of Y and that of z - Y pi in which it is, are not told: 10 % */
  assert_near(seen, told, 0.1 * told);
}
END_TEST

/* x of what is remembered, [ALL], with a prior that hardly tells anything. */
static void solve(const struct row_memory *memory, double *x) {
  double L[ALL * ALL];
  memcpy(L, memory->A, sizeof(L));
  memcpy(x, memory->b, ALL * sizeof(*x));
  for (int i = 0; i < ALL; i++) {
    L[i * ALL + i] += 1e-9;
  }
  ck_assert(small_cholesky_lower(ALL, L));
  small_cholesky_solve(ALL, L, x);
}

/* The same equations faded as if biases were parameters that do not drift. */
START_TEST(biases_fade_as_parameters_without_drift_do) {
  struct random random = random_from(test_seed());
  struct row_memory memory = memory_of(BIASES), whole;
  struct arena arena = test_arena(1 << 18);
  row_memory_init(&whole, ALL, 0, &arena);
  double x[ALL], Y[ROWS * ALL], z[ROWS], R[ROWS], S[N * N], wide[ALL * ALL] = {0.0};
  for (int k = 0; k < 8; k++) {
    for (int i = 0; i < ROWS * ALL; i++) {
      Y[i] = random_normal(&random);
      z[i % ROWS] = random_normal(&random);
      R[i % ROWS] = random_uniform(&random, 0.5, 2.0);
    }
    const struct inertial_rows rows = {.n = ROWS, .Y = Y, .z = z, .R = R};
    row_memory_add(&memory, &rows, 0.8);
    row_memory_add(&whole, &rows, 0.8);
  }
  for (int k = 0; k < 5; k++) {
    for (int i = 0; i < ALL; i++) {
      x[i] = random_normal(&random);
    }
    random_drift(&random, S);
    for (int i = 0; i < N * N; i++) {
      wide[(i / N) * ALL + i % N] = S[i];
    }
    row_memory_fade(&memory, S, x);
    row_memory_fade(&whole, wide, x);
  }
  for (int i = 0; i < ALL * ALL; i++) {
    assert_near(memory.A[i], whole.A[i], 1e-9);
    assert_near(memory.b[i % ALL], whole.b[i % ALL], 1e-9);
  }
}
END_TEST

START_TEST(what_changes_tells_parameters_from_biases) {
  struct random random = random_from(test_seed());
  struct row_memory memory = memory_of(BIASES);
  double truth[ALL], x[ALL], Y[BIASES * ALL], z[BIASES], R[BIASES] = {1.0, 1.0, 1.0};
  for (int i = 0; i < ALL; i++) {
    truth[i] = random_normal(&random);
  }
  for (int k = 0; k < 20; k++) {
    memset(Y, 0, sizeof(Y));
    for (int r = 0; r < BIASES; r++) {
      z[r] = truth[N + r];
      Y[r * ALL + N + r] = 1.0;
      for (int i = 0; i < N; i++) {
        Y[r * ALL + i] = random_normal(&random);
        z[r] += Y[r * ALL + i] * truth[i];
      }
    }
    const struct inertial_rows rows = {.n = BIASES, .Y = Y, .z = z, .R = R};
    row_memory_add(&memory, &rows, 1.0);
  }
  solve(&memory, x);
  for (int i = 0; i < ALL; i++) {
    assert_near(x[i], truth[i], 1e-6);
  }
}
END_TEST

START_TEST(every_direction_keeps_more_than_noise) {
  struct row_memory memory = new_memory();
  const double nearly_all = 0.99;
  double A[N * N], b[N], nothing[N] = {0.0};
  size_t share = 0;
  for (int i = 0; i < N; i++) {
    memory.A[i * N + i] = 1.0;
    memory.N[i * N + i] = i == 3 ? nearly_all : 0.1;
  }
  for (int k = 0; k < 100; k++) {
    row_memory_choose_share(&memory, &share);
    row_memory_fit(&memory, share, nothing, A, b);
    ck_assert_double_ge(A[3 * N + 3], 0.02);
  }
  ck_assert_double_le(A[3 * N + 3], 0.1); /* and most of the noise is gone */
}
END_TEST

/* Noise that is not taken away drew every estimate to nothing: a standing trunk lost kilograms. */
START_TEST(noise_that_is_left_draws_to_what_was_believed_before) {
  enum { SHARES = 13 };
  struct random random = random_from(test_seed());
  struct row_memory memory = new_memory();
  double x0[N], A[N * N], b[N], v[N];
  for (int i = 0; i < N * N; i++) {
    memory.A[i] = i % (N + 1) == 0 ? 2.0 : 0.1;
    memory.N[i] = i % (N + 1) == 0 ? 0.8 : 0.0;
  }
  for (int i = 0; i < N; i++) {
    x0[i] = random_normal(&random);
    memory.nz[i] = random_normal(&random);
  }
  /* rows that agree with x0, but for their regressor's noise */
  for (int i = 0; i < N; i++) {
    memory.b[i] = memory.nz[i];
    for (int j = 0; j < N; j++) {
      memory.b[i] += (memory.A[i * N + j] - memory.N[i * N + j]) * x0[j];
    }
  }
  for (size_t share = 0; share < SHARES; share += 4) {
    row_memory_fit(&memory, share, x0, A, b);
    small_apply(N, N, -1.0, small_factor(A, N), x0, 1.0, b);
    for (int i = 0; i < N; i++) {
      assert_near(b[i], 0.0, 1e-12);
    }
  }
  /* another estimate errs by what is left of the noise */
  double x[N], X[2][N * N];
  for (int i = 0; i < N; i++) {
    x[i] = x0[i] + random_normal(&random);
    v[i] = 0.8 * (x[i] - x0[i]);
  }
  row_memory_scatter(&memory, 0, x, x0, X[0]);
  row_memory_scatter(&memory, 0, x, x, X[1]);
  for (int i = 0; i < N * N; i++) {
    assert_near(X[0][i] - X[1][i], v[i / N] * v[i % N], 1e-12);
  }
}
END_TEST

START_TEST(a_copy_goes_on_as_the_original) {
  struct random random = random_from(test_seed());
  double pi[N], S[N * N], X[N * N], Y[ROWS * N], z[ROWS], R[ROWS], same[N * N];
  random_parameters(&random, pi);
  struct row_memory memory = new_memory(), copy = new_memory();
  fill(&copy, &random, pi); /* something else was there before */
  fill(&memory, &random, pi);
  for (int i = 0; i < ROWS * N; i++) {
    Y[i] = random_normal(&random);
  }
  for (int r = 0; r < ROWS; r++) {
    R[r] = 1.0 + r;
    z[r] = random_normal(&random);
  }
  const struct inertial_rows rows = {.n = ROWS, .Y = Y, .z = z, .R = R};
  row_memory_add(&memory, &rows, 0.7);
  memory.doubt = 0.3;
  row_memory_copy(&copy, &memory);
  random_drift(&random, S);
  row_memory_fade(&memory, S, pi);
  row_memory_fade(&copy, S, pi);
  ck_assert_mem_eq(memory.A, copy.A, N * N * sizeof(double));
  ck_assert_mem_eq(memory.b, copy.b, N * sizeof(double));
  ck_assert_mem_eq(memory.N, copy.N, N * N * sizeof(double));
  ck_assert_mem_eq(memory.nz, copy.nz, N * sizeof(double));
  row_memory_scatter(&memory, 5, pi, S, X);
  row_memory_scatter(&copy, 5, pi, S, same);
  ck_assert_mem_eq(X, same, sizeof(X));
}
END_TEST

SUITE(biases_fade_as_parameters_without_drift_do, what_changes_tells_parameters_from_biases,
      every_direction_keeps_more_than_noise, noise_that_is_left_draws_to_what_was_believed_before,
      a_copy_goes_on_as_the_original, fading_leaves_corrected_rows_speaking_for_the_same_parameters,
      without_noise_fading_needs_no_estimate, a_drift_costs_information_as_it_should,
      what_scatters_beyond_the_information_is_known)
