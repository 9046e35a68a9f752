#include "numerics/dense_matrix.h"

#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const size_t SIZES[] = {1, 5, 6, 7, 8, 9, 13, 36, 51, 99, 135, 162};
enum { N_SIZES = sizeof(SIZES) / sizeof(SIZES[0]) };

static struct random rng;

static double *new_matrix(size_t rows, size_t columns) {
  const size_t bytes = (rows + 1) * matrix_stride(columns) * sizeof(double);
  double *A = aligned_alloc(64, (bytes + 63) / 64 * 64);
  memset(A, 0, bytes);
  return A;
}

static double *random_matrix(size_t rows, size_t columns) {
  double *A = new_matrix(rows, columns);
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j < columns; j++) {
      A[i * matrix_stride(columns) + j] = random_normal(&rng);
    }
  }
  return A;
}

static double *random_definite(size_t n) {
  double *A = random_matrix(n, n), *C = new_matrix(n, n);
  const size_t s = matrix_stride(n);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      C[i * s + j] = i == j ? 1.0 : 0.0;
      for (size_t k = 0; k < n; k++) {
        C[i * s + j] += A[k * s + i] * A[k * s + j];
      }
    }
  }
  return C;
}

START_TEST(products_of_any_size_and_stride_equal_their_definition) {
  rng = random_from(test_seed());
  for (size_t t = 0; t < N_SIZES; t++) {
    const size_t rows = SIZES[t], columns = SIZES[N_SIZES - 1 - t],
                 depth = SIZES[(3 * t) % N_SIZES];
    double *A = random_matrix(depth, rows), *B = random_matrix(depth, columns);
    double *C = random_matrix(rows, columns);
    const size_t as = matrix_stride(rows), s = matrix_stride(columns);
    double *before = new_matrix(rows, columns);
    memcpy(before, C, rows * s * sizeof(double));
    /* A read from its end backwards in both directions */
    const struct matrix_factor reversed = {A + (depth - 1) * as + rows - 1, -(ptrdiff_t)as, -1};
    matrix_multiply_add(C, s, rows, columns, -1.0, reversed, B, s, depth);
    for (size_t i = 0; i < rows; i++) {
      for (size_t j = 0; j < columns; j++) {
        double sum = before[i * s + j];
        for (size_t k = 0; k < depth; k++) {
          sum -= A[(depth - 1 - k) * as + rows - 1 - i] * B[k * s + j];
        }
        assert_near(C[i * s + j], sum, 1e-11);
      }
    }
  }
}
END_TEST

START_TEST(products_that_start_anew_need_no_zeros) {
  rng = random_from(test_seed());
  for (size_t t = 0; t < N_SIZES; t++) {
    const size_t n = SIZES[t], depth = SIZES[(5 * t) % N_SIZES], s = matrix_stride(n);
    double *A = random_matrix(depth, n), *B = random_matrix(depth, n);
    double *product = new_matrix(n, n), *square = new_matrix(n, n);
    memset(product, 0xff, n * s * sizeof(double)); /* NaN */
    memset(square, 0xff, n * s * sizeof(double));
    const struct matrix_factor left = {A, (ptrdiff_t)s, 1};
    matrix_multiply(product, s, n, n, left, B, s, depth);
    matrix_gram(square, s, n, A, s, depth, false);
    matrix_mirror(square, s, n);
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j < n; j++) {
        double AB = 0.0, AA = 0.0;
        for (size_t k = 0; k < depth; k++) {
          AB += A[k * s + i] * B[k * s + j];
          AA += A[k * s + i] * A[k * s + j];
        }
        assert_near(product[i * s + j], AB, 1e-11);
        assert_near(square[i * s + j], AA, 1e-11);
      }
    }
  }
}
END_TEST

START_TEST(products_of_a_few_long_rows_equal_their_definition) {
  rng = random_from(test_seed());
  for (size_t rows = 1; rows <= MATRIX_FEW; rows++) {
    for (size_t t = 0; t < N_SIZES; t++) {
      const size_t columns = SIZES[t], s = matrix_stride(columns);
      double *A = random_matrix(rows, columns), S[MATRIX_FEW * MATRIX_LANES];
      matrix_row_products(S, MATRIX_LANES, rows, columns, A, s);
      for (size_t i = 0; i < rows; i++) {
        for (size_t j = i; j < rows; j++) {
          double sum = 0.0;
          for (size_t k = 0; k < columns; k++) {
            sum += A[i * s + k] * A[j * s + k];
          }
          assert_near(S[i * MATRIX_LANES + j], sum, 1e-11);
        }
      }
    }
  }
}
END_TEST

START_TEST(the_factor_times_its_transpose_gives_the_matrix_back) {
  rng = random_from(test_seed());
  for (size_t t = 0; t < N_SIZES; t++) {
    const size_t n = SIZES[t], s = matrix_stride(n);
    double *A = random_definite(n), *R = new_matrix(n, n), *again = new_matrix(n, n);
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
  rng = random_from(test_seed());
  for (size_t t = 1; t < N_SIZES; t++) {
    const size_t n = SIZES[t], rows = n / 2 + 1, s = matrix_stride(n);
    double *A = random_definite(n), *R = new_matrix(n, n), *whole = new_matrix(n, n);
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

START_TEST(leading_factors_are_exchanged_and_what_they_do_not_tell_stays) {
  rng = random_from(test_seed());
  for (size_t t = 1; t < N_SIZES; t++) {
    const size_t n = SIZES[t], rows = n / 2, s = matrix_stride(n);
    double *C = random_definite(n), *A = random_matrix(rows, n), *B = new_matrix(rows, n);
    double *before = new_matrix(n, n);
    ck_assert(matrix_cholesky_rows(B, C, s, n, rows, 0.0));
    for (size_t i = 0; i < rows; i++) {
      memset(A + i * s, 0, i * sizeof(double));
    }
    memcpy(before, C, n * s * sizeof(double));
    for (size_t i = 0; i < rows; i++) { /* overwritten, not added to */
      memset(C + i * s, 0xff, s * sizeof(double));
    }
    matrix_gram_exchange(C, s, n, A, B, rows);
    for (size_t i = 0; i < n; i++) {
      for (size_t j = i; j < n; j++) {
        double expected = before[i * s + j];
        for (size_t k = 0; k < rows; k++) {
          expected += A[k * s + i] * A[k * s + j] - B[k * s + i] * B[k * s + j];
        }
        assert_near(C[i * s + j], expected, 1e-10);
      }
    }
  }
}
END_TEST

START_TEST(an_indefinite_or_unfinished_matrix_is_refused) {
  rng = random_from(test_seed());
  const size_t n = 37, s = matrix_stride(n);
  for (size_t bad = 0; bad < n; bad += 4) {
    double *A = random_definite(n);
    A[bad * s + bad] = -1e-3;
    ck_assert(!matrix_cholesky(A, s, n, 0.0));
    double *B = random_definite(n);
    B[bad * s + n - 1] = NAN;
    ck_assert(!matrix_cholesky(B, s, n, 0.0));
  }
}
END_TEST

START_TEST(both_triangular_solves_undo_the_factor) {
  rng = random_from(test_seed());
  for (size_t t = 0; t < N_SIZES; t++) {
    const size_t n = SIZES[t], s = matrix_stride(n);
    double *A = random_definite(n), *R = new_matrix(n, n);
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
  rng = random_from(test_seed());
  for (size_t t = 0; t < N_SIZES; t++) {
    const size_t n = SIZES[t], columns = n + 17, s = matrix_stride(n), xs = matrix_stride(columns);
    double *R = random_definite(n);
    ck_assert(matrix_cholesky(R, s, n, 0.0));
    double *X = random_matrix(n, columns), *Y = new_matrix(n, columns), *Z = new_matrix(n, columns);
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
  rng = random_from(test_seed());
  for (size_t t = 0; t < N_SIZES; t++) {
    const size_t n = SIZES[t], columns = n + 17, s = matrix_stride(n), xs = matrix_stride(columns);
    double *R = random_definite(n);
    ck_assert(matrix_cholesky(R, s, n, 0.0));
    /* U = R reversed in both directions and transposed: upper triangular again */
    const struct matrix_factor U = {R + (n - 1) * s + n - 1, -(ptrdiff_t)s, -1};
    double *X = random_matrix(n, columns), *Y = new_matrix(n, columns);
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

SUITE(products_of_any_size_and_stride_equal_their_definition,
      products_that_start_anew_need_no_zeros, products_of_a_few_long_rows_equal_their_definition,
      the_factor_times_its_transpose_gives_the_matrix_back,
      the_first_rows_of_the_factor_are_the_whole_factors,
      leading_factors_are_exchanged_and_what_they_do_not_tell_stays,
      an_indefinite_or_unfinished_matrix_is_refused, both_triangular_solves_undo_the_factor,
      row_solves_undo_the_products_they_stand_for,
      an_upper_triangular_matrix_stays_so_when_an_upper_factor_is_divided_out)
