/* Whole rows gathered from the upper triangle, wherever they begin and however many they are. */
#include "numerics/symmetric_rows.h"

#include "numerics/dense_matrix.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>

enum { SIZE = 45, STRIDE = 48 };

/* A number of its own for each pair of states. */
static double element(size_t i, size_t j) {
  return i < j ? (double)(i * SIZE + j) : (double)(j * SIZE + i);
}

START_TEST(every_run_of_rows_is_whole_and_nothing_below_the_diagonal_is_read) {
  static double P[SIZE * STRIDE] __attribute__((aligned(64)));
  static double rows[(SIZE + 8) * STRIDE] __attribute__((aligned(64)));
  ck_assert_uint_eq(matrix_stride(SIZE), STRIDE);
  ck_assert_uint_le(SYMMETRIC_ROWS_SPILL, 8);
  for (size_t i = 0; i < SIZE; i++) {
    for (size_t j = 0; j < STRIDE; j++) {
      P[i * STRIDE + j] = i <= j && j < SIZE ? element(i, j) : (double)NAN;
    }
  }
  for (size_t first = 0; first < SIZE; first++) {
    for (size_t count = 0; first + count <= SIZE; count++) {
      symmetric_rows(P, STRIDE, first, count, rows);
      for (size_t k = 0; k < count; k++) {
        for (size_t j = 0; j < SIZE; j++) {
          ck_assert_double_eq(rows[k * STRIDE + j], element(first + k, j));
        }
      }
    }
  }
}
END_TEST

SUITE(every_run_of_rows_is_whole_and_nothing_below_the_diagonal_is_read)
