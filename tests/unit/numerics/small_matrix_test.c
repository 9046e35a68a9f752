#include "numerics/small_matrix.h"

#include "support/suite.h"

#include <string.h>

enum { LARGEST = 43, STRIDE = LARGEST + 2, SIZE = LARGEST * STRIDE };

static struct random rng;

static void fill(double *A, size_t count) {
  for (size_t i = 0; i < count; i++) {
    A[i] = random_uniform(&rng, -1.0, 1.0);
  }
}

/* A = B B^T + 1, stride n */
static void positive_definite(size_t n, double *A) {
  double B[LARGEST * LARGEST];
  fill(B, n * n);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      A[i * n + j] = i == j ? 1.0 : 0.0;
      for (size_t k = 0; k < n; k++) {
        A[i * n + j] += B[i * n + k] * B[j * n + k];
      }
    }
  }
}

START_TEST(products_of_any_shape_equal_their_definition) {
  rng = random_from(test_seed());
  for (size_t rows = 1; rows <= LARGEST; rows += 5) {
    for (size_t columns = 1; columns <= LARGEST; columns += 4) {
      for (int which = 0; which < 8; which++) {
        const size_t depth = 1 + (rows * columns) % LARGEST;
        const bool A_turned = which & 1, B_turned = which & 2;
        const double keep = which & 4 ? 0.5 : 0.0;
        double A[SIZE], B[SIZE], C[SIZE], before[SIZE];
        fill(A, SIZE);
        fill(B, SIZE);
        fill(C, SIZE);
        memcpy(before, C, sizeof(C));
        if (keep == 0.0) {
          memset(C, 0xff, sizeof(C)); /* NaN: nothing of it may stay */
        }
        small_multiply(rows, columns, depth, 2.0,
                       A_turned ? small_transposed(A, STRIDE) : small_factor(A, STRIDE),
                       B_turned ? small_transposed(B, STRIDE) : small_factor(B, STRIDE), keep, C,
                       STRIDE);
        for (size_t i = 0; i < rows; i++) {
          for (size_t j = 0; j < columns; j++) {
            double sum = keep * before[i * STRIDE + j];
            for (size_t k = 0; k < depth; k++) {
              sum += 2.0 * (A_turned ? A[k * STRIDE + i] : A[i * STRIDE + k]) *
                     (B_turned ? B[j * STRIDE + k] : B[k * STRIDE + j]);
            }
            assert_near(C[i * STRIDE + j], sum, 1e-13);
          }
        }
      }
    }
  }
}
END_TEST

START_TEST(a_symmetric_product_is_the_same_in_both_triangles_and_reads_the_lower_one) {
  rng = random_from(test_seed());
  for (size_t n = 1; n <= LARGEST; n++) {
    double A[SIZE], by_hand[SIZE], C[SIZE];
    const size_t depth = 1 + (7 * n) % LARGEST;
    fill(A, SIZE);
    fill(C, SIZE);
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j < i; j++) {
        C[j * STRIDE + i] = C[i * STRIDE + j];
      }
    }
    memcpy(by_hand, C, sizeof(C));
    for (size_t i = 0; i < n; i++) {
      for (size_t j = i + 1; j < n; j++) {
        C[i * STRIDE + j] = (double)NAN; /* is not read */
      }
    }
    const struct small_factor by_columns = small_transposed(A, STRIDE);
    small_multiply_symmetric(n, depth, 2.0, by_columns, small_factor(A, STRIDE), 0.5, C, STRIDE);
    small_multiply(n, n, depth, 2.0, by_columns, small_factor(A, STRIDE), 0.5, by_hand, STRIDE);
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j < STRIDE; j++) {
        assert_near(C[i * STRIDE + j], by_hand[i * STRIDE + j], 1e-13);
        if (j < n) {
          ck_assert_double_eq(C[i * STRIDE + j], C[j * STRIDE + i]);
        }
      }
    }
  }
}
END_TEST

START_TEST(a_matrix_times_a_vector_and_two_vectors_equal_their_definitions) {
  rng = random_from(test_seed());
  double A[SIZE], x[LARGEST], y[LARGEST], z[LARGEST], by_hand[LARGEST];
  fill(A, SIZE);
  fill(x, LARGEST);
  fill(y, LARGEST);
  memcpy(by_hand, y, sizeof(y));
  memcpy(z, x, sizeof(x));
  small_apply(LARGEST, LARGEST - 3, -2.0, small_transposed(A, STRIDE), x, 0.25, y);
  for (size_t i = 0; i < LARGEST; i++) {
    by_hand[i] *= 0.25;
    for (size_t j = 0; j < LARGEST - 3; j++) {
      by_hand[i] -= 2.0 * A[j * STRIDE + i] * x[j];
    }
    assert_near(y[i], by_hand[i], 1e-13);
  }
  double B[SIZE];
  memcpy(B, A, sizeof(A));
  small_rank_one(LARGEST - 1, LARGEST, 3.0, x, y, B, STRIDE);
  assert_near(B[2 * STRIDE + 5], A[2 * STRIDE + 5] + 3.0 * x[2] * y[5], 1e-14);
  ck_assert_double_eq(B[(LARGEST - 1) * STRIDE], A[(LARGEST - 1) * STRIDE]);
  small_scale(LARGEST, 2.0, z);
  small_add(LARGEST, -2.0, x, z);
  ck_assert_double_eq(small_dot(LARGEST, z, z), 0.0);
}
END_TEST

START_TEST(the_factor_of_cholesky_gives_the_matrix_back_from_one_triangle) {
  rng = random_from(test_seed());
  for (size_t n = 1; n <= LARGEST; n++) {
    double A[LARGEST * LARGEST], L[LARGEST * LARGEST];
    positive_definite(n, A);
    memcpy(L, A, sizeof(A));
    for (size_t i = 0; i < n; i++) {
      for (size_t j = i + 1; j < n; j++) {
        L[i * n + j] = (double)NAN; /* is not read */
      }
    }
    ck_assert(small_cholesky_lower(n, L));
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j <= i; j++) {
        double sum = 0.0;
        for (size_t k = 0; k <= j; k++) {
          sum += L[i * n + k] * L[j * n + k];
        }
        assert_near(sum, A[i * n + j], 1e-12);
        if (j < i) {
          ck_assert_double_eq(L[j * n + i], L[i * n + j]);
        }
      }
    }
  }
}
END_TEST

START_TEST(inverse_and_solutions_by_cholesky_undo_the_matrix) {
  rng = random_from(test_seed());
  for (size_t n = 1; n <= LARGEST; n++) {
    double A[LARGEST * LARGEST], L[LARGEST * LARGEST], x[LARGEST], Ax[LARGEST];
    positive_definite(n, A);
    memcpy(L, A, sizeof(A));
    ck_assert(small_cholesky_lower(n, L));
    fill(x, n);
    small_apply(n, n, 1.0, small_factor(A, n), x, 0.0, Ax);
    double solved[LARGEST];
    memcpy(solved, Ax, sizeof(Ax));
    small_cholesky_whiten(n, L, solved);
    const double squared = small_dot(n, x, Ax);
    assert_near(small_dot(n, solved, solved), squared, 1e-9 * squared);
    memcpy(solved, Ax, sizeof(Ax));
    small_cholesky_solve(n, L, solved);
    small_cholesky_inverse(n, L);
    double inverted[LARGEST];
    small_apply(n, n, 1.0, small_factor(L, n), Ax, 0.0, inverted);
    for (size_t i = 0; i < n; i++) {
      assert_near(solved[i], x[i], 1e-10);
      assert_near(inverted[i], x[i], 1e-10);
      for (size_t j = 0; j < i; j++) {
        ck_assert_double_eq(L[i * n + j], L[j * n + i]);
      }
    }
  }
}
END_TEST

START_TEST(a_lower_triangle_is_divided_out_of_any_number_of_columns) {
  rng = random_from(test_seed());
  double A[LARGEST * LARGEST], X[SIZE], before[SIZE];
  const size_t n = LARGEST, columns = 7;
  positive_definite(n, A);
  ck_assert(small_cholesky_lower(n, A));
  fill(X, SIZE);
  memcpy(before, X, sizeof(X));
  small_solve_lower(n, columns, A, X, STRIDE);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < STRIDE; j++) {
      double sum = j < columns ? 0.0 : X[i * STRIDE + j];
      for (size_t k = 0; j < columns && k <= i; k++) {
        sum += A[i * n + k] * X[k * STRIDE + j];
      }
      assert_near(sum, before[i * STRIDE + j], 1e-12);
    }
  }
}
END_TEST

START_TEST(a_matrix_that_is_not_positive_definite_or_not_finite_has_no_factor) {
  double indefinite[] = {1.0, 2.0, 2.0, 1.0}, nothing[] = {0.0}, lost[] = {(double)NAN};
  ck_assert(!small_cholesky_lower(2, indefinite));
  ck_assert(!small_cholesky_lower(1, nothing));
  ck_assert(!small_cholesky_lower(1, lost));
}
END_TEST

START_TEST(solutions_by_lu_undo_any_regular_matrix) {
  rng = random_from(test_seed());
  for (size_t n = 1; n <= LARGEST; n++) {
    double A[LARGEST * LARGEST], LU[LARGEST * LARGEST], X[SIZE], AX[SIZE];
    int pivot[LARGEST];
    const size_t columns = 1 + n % 4;
    fill(A, n * n);
    A[0] = n > 1 ? 0.0 : 1.0; /* rows must be exchanged */
    fill(X, SIZE);
    small_multiply(n, columns, n, 1.0, small_factor(A, n), small_factor(X, STRIDE), 0.0, AX,
                   STRIDE);
    memcpy(LU, A, sizeof(A));
    ck_assert(small_lu(n, LU, pivot));
    small_lu_solve(n, LU, pivot, columns, AX, STRIDE);
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j < columns; j++) {
        assert_near(AX[i * STRIDE + j], X[i * STRIDE + j], 1e-8);
      }
    }
  }
  double singular[] = {1.0, 2.0, 0.5, 1.0};
  int pivot[2];
  ck_assert(!small_lu(2, singular, pivot));
}
END_TEST

SUITE(products_of_any_shape_equal_their_definition,
      a_symmetric_product_is_the_same_in_both_triangles_and_reads_the_lower_one,
      a_matrix_times_a_vector_and_two_vectors_equal_their_definitions,
      the_factor_of_cholesky_gives_the_matrix_back_from_one_triangle,
      inverse_and_solutions_by_cholesky_undo_the_matrix,
      a_lower_triangle_is_divided_out_of_any_number_of_columns,
      a_matrix_that_is_not_positive_definite_or_not_finite_has_no_factor,
      solutions_by_lu_undo_any_regular_matrix)
