#include "joints/base_rows.h"

#include "joints/joint_points.h"
#include "numerics/dense_matrix.h"

#include <string.h>

/* Whitened rows at the mean: their derivative and z - Y0. */
static void linearise(struct base_rows *rows, const struct joint_layout *l,
                      const struct link_rows *block, const double *x) {
  const double *omega = x + l->omega;
  double products[6];
  omega_products(vec3_from(omega), products);
  for (unsigned i = 0; i < rows->rank; i++) {
    const double *W = block->W[i];
    rows->nu[i] = block->z[i];
    for (size_t k = 0; k < 3; k++) {
      rows->H[i][k] = W[PART_OMEGA + k];
      rows->H[i][3 + k] = W[PART_OMEGADOT + k];
      rows->H[i][6 + k] = W[PART_VDOT + k];
      rows->nu[i] -= W[PART_OMEGA + k] * omega[k] + W[PART_OMEGADOT + k] * x[l->omegadot + k] +
                     W[PART_VDOT + k] * x[l->force + k];
    }
    for (size_t p = 0; p < 6; p++) {
      const size_t a = PRODUCT_FACTOR[p][0], b = PRODUCT_FACTOR[p][1];
      rows->H[i][a] += W[PART_PRODUCTS + p] * omega[b];
      rows->H[i][b] += W[PART_PRODUCTS + p] * omega[a];
      rows->nu[i] -= W[PART_PRODUCTS + p] * products[p];
    }
  }
}

/* Rows of P by omega, omegadot and f, out of its upper triangle. */
static void gather_rows(const struct joint_layout *l, const double *P,
                        const size_t state[BASE_STATES], double *seen) {
  for (size_t k = 0; k < BASE_STATES; k++) {
    double *row = seen + k * l->stride;
    const size_t i = state[k];
    for (size_t j = 0; j < i; j++) {
      row[j] = P[j * l->stride + i];
    }
    memcpy(row + i, P + i * l->stride + i, (l->size - i) * sizeof(double));
  }
}

/* H P H^T + 1. */
static void carry_variance(struct base_rows *rows, const struct joint_layout *l,
                           const size_t state[BASE_STATES], const double *seen) {
  for (unsigned i = 0; i < rows->rank; i++) {
    double HP[BASE_STATES] = {0};
    for (size_t a = 0; a < BASE_STATES; a++) {
      for (size_t b = 0; b < BASE_STATES; b++) {
        HP[b] += rows->H[i][a] * seen[a * l->stride + state[b]];
      }
    }
    for (unsigned j = 0; j < rows->rank; j++) {
      rows->Pyy[i][j] = i == j ? 1.0 : 0.0;
      for (size_t b = 0; b < BASE_STATES; b++) {
        rows->Pyy[i][j] += HP[b] * rows->H[j][b];
      }
    }
  }
}

/* Of the rows to second-order changes of the products. */
static void respond(const struct base_rows *rows, const struct link_rows *block,
                    const double products[6], double response[ROWS_MAX]) {
  for (unsigned i = 0; i < rows->rank; i++) {
    response[i] = 0.0;
    for (size_t p = 0; p < 6; p++) {
      response[i] += block->W[i][PART_PRODUCTS + p] * products[p];
    }
  }
}

static void add_square(struct base_rows *rows, double weight, const double response[ROWS_MAX]) {
  for (unsigned i = 0; i < rows->rank; i++) {
    for (unsigned j = 0; j < rows->rank; j++) {
      rows->Pyy[i][j] += weight * response[i] * response[j];
    }
  }
}

enum status base_rows_step(struct base_rows *rows, const struct joint_layout *layout, double gamma,
                           const struct link_rows *block, const double *x, const double *P,
                           double *seen) {
  double R[3 * MATRIX_LANES] __attribute__((aligned(64))) = {0};
  double products[6], response[ROWS_MAX];
  size_t state[BASE_STATES];
  for (size_t k = 0; k < 3; k++) {
    state[k] = layout->omega + k;
    state[3 + k] = layout->omegadot + k;
    state[6 + k] = layout->force + k;
  }
  gather_rows(layout, P, state, seen);
  for (size_t i = 0; i < 3; i++) {
    memcpy(R + i * MATRIX_LANES, seen + i * layout->stride + layout->omega, 3 * sizeof(double));
  }
  *rows = (struct base_rows){.rank = block->rank};
  linearise(rows, layout, block, x);
  carry_variance(rows, layout, state, seen);
  for (size_t p = 0; p < 6; p++) {
    products[p] = R[PRODUCT_FACTOR[p][0] * MATRIX_LANES + PRODUCT_FACTOR[p][1]];
  }
  respond(rows, block, products, response); /* d */
  for (unsigned i = 0; i < rows->rank; i++) {
    rows->nu[i] -= response[i];
  }
  add_square(rows, UKF_BETA - UKF_ALPHA * UKF_ALPHA, response);
  if (!matrix_cholesky(R, MATRIX_LANES, 3, 0.0)) {
    return STATUS_SINGULAR;
  }
  for (size_t j = 0; j < 3; j++) { /* row j of R is column j of the factor */
    for (size_t p = 0; p < 6; p++) {
      products[p] =
          R[j * MATRIX_LANES + PRODUCT_FACTOR[p][0]] * R[j * MATRIX_LANES + PRODUCT_FACTOR[p][1]];
    }
    respond(rows, block, products, response); /* E_j/gamma */
    add_square(rows, gamma * gamma, response);
  }
  return STATUS_OK;
}

void base_rows_covariance(const struct base_rows *rows, const struct joint_layout *layout,
                          const double *seen, double *Pyx) {
  const struct matrix_factor H = {&rows->H[0][0], 1, BASE_STATES};
  matrix_multiply(Pyx, layout->stride, rows->rank, layout->size, H, seen, layout->stride,
                  BASE_STATES);
}
