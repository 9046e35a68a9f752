#include "numerics/matrix_cholesky.h"

#include "numerics/matrix_products.h"
#include "support/random_matrix.h"

#include <math.h>
#include <string.h>

START_TEST(the_factor_times_its_transpose_gives_the_matrix_back) {
  struct random rng = random_from(test_seed());
  for (size_t t = 0; t < N_MATRIX_SIZES; t++) {
    const size_t n = MATRIX_SIZES[t], s = matrix_stride(n);
    double *A = random_definite(&rng, n), *R = new_matrix(n, n), *again = new_matrix(n, n);
    memcpy(R, A, n * s * sizeof(double));
    ck_assert(matrix_cholesky(R, s, n, 0.0));
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j < i; j++) {
        ck_assert_double_eq(R[i * s + j], 0.0);
      }
    }
    matrix_gram_add(again, s, n, 1.0, R, s, n, true);
    matrix_mirror(again, s, n);
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j < n; j++) {
        assert_near(again[i * s + j], A[i * s + j], 1e-12 * (double)n * 10.0);
      }
    }
  }
}
END_TEST

START_TEST(the_first_rows_of_the_factor_are_the_whole_factors) {
  struct random rng = random_from(test_seed());
  for (size_t t = 1; t < N_MATRIX_SIZES; t++) {
    const size_t n = MATRIX_SIZES[t], rows = n / 2 + 1, s = matrix_stride(n);
    double *A = random_definite(&rng, n), *R = new_matrix(n, n), *whole = new_matrix(n, n);
    double *before = new_matrix(n, n);
    memcpy(whole, A, n * s * sizeof(double));
    memcpy(before, A, n * s * sizeof(double));
    A[(n - 1) * (s + 1)] = before[(n - 1) * (s + 1)] = -1.0; /* what is not asked for is not read */
    ck_assert(matrix_cholesky(whole, s, n, 0.0));
    ck_assert(matrix_cholesky_rows(R, A, s, n, rows < n ? rows : n - 1, 0.0));
    ck_assert_mem_eq(A, before, n * s * sizeof(double));
    for (size_t i = 0; i < rows && i < n - 1; i++) {
      for (size_t j = 0; j < n; j++) {
        assert_near(R[i * s + j], whole[i * s + j], 1e-11);
      }
    }
  }
}
END_TEST

START_TEST(an_indefinite_or_unfinished_matrix_is_refused) {
  struct random rng = random_from(test_seed());
  const size_t n = 37, s = matrix_stride(n);
  for (size_t bad = 0; bad < n; bad += 4) {
    double *A = random_definite(&rng, n);
    A[bad * s + bad] = -1e-3;
    ck_assert(!matrix_cholesky(A, s, n, 0.0));
    double *B = random_definite(&rng, n);
    B[bad * s + n - 1] = NAN;
    ck_assert(!matrix_cholesky(B, s, n, 0.0));
  }
}
END_TEST

START_TEST(both_triangular_solves_undo_the_factor) {
  struct random rng = random_from(test_seed());
  for (size_t t = 0; t < N_MATRIX_SIZES; t++) {
    const size_t n = MATRIX_SIZES[t], s = matrix_stride(n);
    double *A = random_definite(&rng, n), *R = new_matrix(n, n);
    double x[200], b[200];
    for (size_t i = 0; i < n; i++) {
      b[i] = x[i] = random_normal(&rng);
    }
    memcpy(R, A, n * s * sizeof(double));
    ck_assert(matrix_cholesky(R, s, n, 0.0));
    matrix_solve_transposed(R, s, n, x);
    matrix_solve_upper(R, s, n, x);
    for (size_t i = 0; i < n; i++) {
      assert_near(matrix_dot(A + i * s, x, n), b[i], 1e-9);
    }
  }
}
END_TEST

START_TEST(row_solves_undo_the_products_they_stand_for) {
  struct random rng = random_from(test_seed());
  for (size_t t = 0; t < N_MATRIX_SIZES; t++) {
    const size_t n = MATRIX_SIZES[t], columns = n + 17, s = matrix_stride(n),
                 xs = matrix_stride(columns);
    double *R = random_definite(&rng, n);
    ck_assert(matrix_cholesky(R, s, n, 0.0));
    double *X = random_matrix(&rng, n, columns), *Y = new_matrix(n, columns),
           *Z = new_matrix(n, columns);
    memcpy(Y, X, n * xs * sizeof(double));
    matrix_solve_rows(Y, xs, n, columns, (struct matrix_factor){R, (ptrdiff_t)s, 1});
    /* Z = R^T Y, read with rows and columns exchanged */
    matrix_multiply_add(Z, xs, n, columns, 1.0, (struct matrix_factor){R, (ptrdiff_t)s, 1}, Y, xs,
                        n);
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j < columns; j++) {
        assert_near(Z[i * xs + j], X[i * xs + j], 1e-9);
      }
    }
  }
}
END_TEST

START_TEST(an_upper_triangular_matrix_stays_so_when_an_upper_factor_is_divided_out) {
  struct random rng = random_from(test_seed());
  for (size_t t = 0; t < N_MATRIX_SIZES; t++) {
    const size_t n = MATRIX_SIZES[t], columns = n + 17, s = matrix_stride(n),
                 xs = matrix_stride(columns);
    double *R = random_definite(&rng, n);
    ck_assert(matrix_cholesky(R, s, n, 0.0));
    /* U = R reversed in both directions and transposed: upper triangular again */
    const struct matrix_factor U = {R + (n - 1) * s + n - 1, -(ptrdiff_t)s, -1};
    double *X = random_matrix(&rng, n, columns), *Y = new_matrix(n, columns);
    for (size_t i = 0; i < n; i++) {
      memset(X + i * xs, 0, i * sizeof(double));
    }
    if (t % 2 == 0) { /* in place, or not */
      memcpy(Y, X, n * xs * sizeof(double));
    }
    matrix_solve_upper_rows(Y, t % 2 == 0 ? Y : X, xs, n, columns, U);
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j < columns; j++) {
        double sum = 0.0;
        for (size_t k = i; k < n; k++) {
          sum += R[(n - 1 - k) * s + n - 1 - i] * Y[k * xs + j];
        }
        assert_near(sum, X[i * xs + j], 1e-9);
        if (j < i) {
          ck_assert_double_eq(Y[i * xs + j], 0.0);
        }
      }
    }
  }
}
END_TEST

SUITE(the_factor_times_its_transpose_gives_the_matrix_back,
      the_first_rows_of_the_factor_are_the_whole_factors,
      an_indefinite_or_unfinished_matrix_is_refused, both_triangular_solves_undo_the_factor,
      row_solves_undo_the_products_they_stand_for,
      an_upper_triangular_matrix_stays_so_when_an_upper_factor_is_divided_out)
