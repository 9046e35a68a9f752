#include "numerics/matrix_products.h"

#include "numerics/matrix_cholesky.h"
#include "support/random_matrix.h"

#include <string.h>

START_TEST(products_of_any_size_and_stride_equal_their_definition) {
  struct random rng = random_from(test_seed());
  for (size_t t = 0; t < N_MATRIX_SIZES; t++) {
    const size_t rows = MATRIX_SIZES[t], columns = MATRIX_SIZES[N_MATRIX_SIZES - 1 - t],
                 depth = MATRIX_SIZES[(3 * t) % N_MATRIX_SIZES];
    double *A = random_matrix(&rng, depth, rows), *B = random_matrix(&rng, depth, columns);
    double *C = random_matrix(&rng, rows, columns);
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
  struct random rng = random_from(test_seed());
  for (size_t t = 0; t < N_MATRIX_SIZES; t++) {
    const size_t n = MATRIX_SIZES[t], depth = MATRIX_SIZES[(5 * t) % N_MATRIX_SIZES],
                 s = matrix_stride(n);
    double *A = random_matrix(&rng, depth, n), *B = random_matrix(&rng, depth, n);
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
  struct random rng = random_from(test_seed());
  for (size_t rows = 1; rows <= MATRIX_FEW; rows++) {
    for (size_t t = 0; t < N_MATRIX_SIZES; t++) {
      const size_t columns = MATRIX_SIZES[t], s = matrix_stride(columns);
      double *A = random_matrix(&rng, rows, columns), S[MATRIX_FEW * MATRIX_LANES];
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

START_TEST(leading_factors_are_exchanged_and_what_they_do_not_tell_stays) {
  struct random rng = random_from(test_seed());
  for (size_t t = 1; t < N_MATRIX_SIZES; t++) {
    const size_t n = MATRIX_SIZES[t], rows = n / 2, s = matrix_stride(n);
    double *C = random_definite(&rng, n), *A = random_matrix(&rng, rows, n),
           *B = new_matrix(rows, n);
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

SUITE(products_of_any_size_and_stride_equal_their_definition,
      products_that_start_anew_need_no_zeros, products_of_a_few_long_rows_equal_their_definition,
      leading_factors_are_exchanged_and_what_they_do_not_tell_stays)
