#include "skin/joint_measurement.h"

#include <math.h>

enum { RIGHT = ROWS_MAX, INVERSE = ROWS_MAX + 1, WIDEST = 2 * ROWS_MAX + 1 };

/* Gaussian elimination with row pivoting: [U | y ...] to [1 | U^-1 y ...]. */
static inline __attribute__((always_inline)) void eliminate(double A[ROWS_MAX][WIDEST],
                                                            int columns) {
  for (int column = 0; column < ROWS_MAX; column++) {
    int best = column;
    for (int i = column + 1; i < ROWS_MAX; i++) {
      best = fabs(A[i][column]) > fabs(A[best][column]) ? i : best;
    }
    for (int j = column; j < columns; j++) {
      const double moved = A[best][j];
      A[best][j] = A[column][j];
      A[column][j] = moved;
    }
    const double scale = 1.0 / A[column][column];
    for (int j = column; j < columns; j++) {
      A[column][j] *= scale;
    }
    for (int i = 0; i < ROWS_MAX; i++) {
      const double factor = i == column ? 0.0 : A[i][column];
      for (int j = column; j < columns; j++) {
        A[i][j] -= factor * A[column][j];
      }
    }
  }
}

/* U^-1 U^-T from A's last columns. */
static void square_inverse(double A[ROWS_MAX][WIDEST], double covariance[ROWS_MAX][ROWS_MAX]) {
  for (int i = 0; i < ROWS_MAX; i++) {
    for (int j = 0; j < ROWS_MAX; j++) {
      covariance[i][j] = 0.0;
      for (int m = 0; m < ROWS_MAX; m++) {
        covariance[i][j] += A[i][INVERSE + m] * A[j][INVERSE + m];
      }
    }
  }
}

/* @eq Leboutet22 138: with W = [U K], x = U^-1 (z - K products), Cov x = U^-1 U^-T.
 * @differs Leboutet22 144: the filter keeps z raw and predicts the centripetal term instead. */
enum status link_rows_solve(const struct link_rows *rows, vec3 omega, struct motion *acceleration,
                            double covariance[ROWS_MAX][ROWS_MAX]) {
  if (rows->rank < ROWS_MAX) {
    return STATUS_TOO_FEW;
  }
  double A[ROWS_MAX][WIDEST] = {{0}}, products[6], x[ROWS_MAX];
  omega_products(omega, products);
  for (int i = 0; i < ROWS_MAX; i++) {
    memcpy(A[i], rows->W[i] + PART_OMEGADOT, ROWS_MAX * sizeof(double));
    A[i][RIGHT] = rows->z[i];
    for (int j = 0; j < 6; j++) {
      A[i][RIGHT] -= rows->W[i][PART_PRODUCTS + j] * products[j];
    }
    A[i][INVERSE + i] = 1.0;
  }
  if (covariance != NULL) {
    eliminate(A, WIDEST);
    square_inverse(A, covariance);
  } else {
    eliminate(A, INVERSE);
  }
  for (int i = 0; i < ROWS_MAX; i++) {
    x[i] = A[i][RIGHT];
  }
  *acceleration = (struct motion){.ang = vec3_from(x), .lin = vec3_from(x + 3)};
  return STATUS_OK;
}
