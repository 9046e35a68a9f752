#include "skin/joint_measurement.h"

#include <math.h>

static void add_rows(struct link_rows *rows, const double W[3][PART_SIZE], vec3 value, double sd) {
  const double z[3] = {value.x, value.y, value.z};
  for (unsigned i = 0; i < 3; i++) {
    if (isfinite(z[i])) {
      for (unsigned j = 0; j < PART_SIZE; j++) {
        rows->W[rows->rank][j] = W[i][j] / sd;
      }
      rows->z[rows->rank++] = z[i] / sd;
    }
  }
}

/* R^T (vdot + omegadot x r + omega x (omega x r)) @eq Leboutet22 134 */
static void force_map(const struct pose *placement, double W[3][PART_SIZE]) {
  const mat3 *R = &placement->R;
  const vec3 r = placement->p;
  const mat3 S = mat3_skew(r);
  double products[3][6];
  centripetal_map(r, products);
  memset(W, 0, sizeof(double[3][PART_SIZE]));
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      W[i][PART_VDOT + k] = R->m[k][i];
      for (int j = 0; j < 3; j++) {
        W[i][PART_OMEGADOT + j] -= R->m[k][i] * S.m[k][j];
      }
      for (int j = 0; j < 6; j++) {
        W[i][PART_PRODUCTS + j] += R->m[k][i] * products[k][j];
      }
    }
  }
}

struct link_rows imu_rows(size_t link, const struct pose *placement, vec3 rate, double rate_sd,
                          vec3 force, double force_sd) {
  struct link_rows rows = {.link = link};
  if (rate_sd > 0.0) {
    double W[3][PART_SIZE] = {{0}};
    for (int i = 0; i < 3; i++) {
      for (int k = 0; k < 3; k++) {
        W[i][PART_OMEGA + k] = placement->R.m[k][i];
      }
    }
    add_rows(&rows, W, rate, rate_sd);
  }
  if (force_sd > 0.0) {
    double W[3][PART_SIZE];
    force_map(placement, W);
    add_rows(&rows, W, force, force_sd);
  }
  return rows;
}

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
