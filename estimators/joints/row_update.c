#include "joints/row_update.h"

#include "math/dispatch.h"
#include "numerics/dense_matrix.h"

#include <math.h>
#include <string.h>

enum status row_update_init(struct row_update *update, const struct joint_layout *layout,
                            size_t rows_max, struct arena *arena) {
  *update = (struct row_update){
      .layout = layout, .rows_max = rows_max, .terms_max = layout->n + 5 * layout->base + 9};
  update->terms = ARENA_ARRAY(arena, size_t, rows_max);
  update->state = ARENA_ARRAY(arena, uint16_t, rows_max * update->terms_max);
  update->h = ARENA_ARRAY(arena, double, rows_max * update->terms_max);
  update->nu = ARENA_ARRAY(arena, double, rows_max);
  update->gain = ARENA_ARRAY(arena, double, rows_max);
  update->Pyx = ARENA_ARRAY(arena, double, rows_max * layout->stride);
  update->Pyy = ARENA_ARRAY(arena, double, rows_max *matrix_stride(rows_max));
  return !arena_is_counting(arena) && arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

void row_update_begin(struct row_update *update) {
  update->rows = 0;
  update->nis = 0.0;
}

void row_update_row(struct row_update *update, double nu) {
  if (update->rows < update->rows_max) {
    update->terms[update->rows] = 0;
    update->nu[update->rows++] = nu;
  }
}

void row_update_term(struct row_update *update, size_t state, double h) {
  size_t *terms = &update->terms[update->rows - 1];
  if (h != 0.0 && *terms < update->terms_max) {
    const size_t at = (update->rows - 1) * update->terms_max + (*terms)++;
    update->state[at] = (uint16_t)state;
    update->h[at] = h;
  }
}

/* Pyx = H P: each row a sum of few rows of P. */
FOR_EACH_ISA
static void cross_covariance(struct row_update *update, const double *P) {
  const size_t stride = update->layout->stride;
  for (size_t row = 0; row < update->rows; row++) {
    double *to = update->Pyx + row * stride;
    const uint16_t *state = update->state + row * update->terms_max;
    const double *h = update->h + row * update->terms_max;
    memset(to, 0, stride * sizeof(double));
    for (size_t t = 0; t < update->terms[row]; t++) {
      const double *from = P + state[t] * stride;
      for (size_t j = 0; j < stride; j++) {
        to[j] += h[t] * from[j];
      }
    }
  }
}

void row_update_expect(struct row_update *update, const double *P) {
  const size_t stride = matrix_stride(update->rows_max);
  cross_covariance(update, P);
  /* Pyy = (H P) H^T + 1 */
  for (size_t a = 0; a < update->rows; a++) {
    const double *Pyx = update->Pyx + a * update->layout->stride;
    for (size_t b = a; b < update->rows; b++) {
      const uint16_t *state = update->state + b * update->terms_max;
      const double *h = update->h + b * update->terms_max;
      double sum = a == b ? 1.0 : 0.0;
      for (size_t t = 0; t < update->terms[b]; t++) {
        sum += h[t] * Pyx[state[t]];
      }
      update->Pyy[a * stride + b] = sum;
    }
  }
}

double row_update_group_nis(const struct row_update *update, size_t first, size_t count) {
  double S[ROW_GROUP_MAX * MATRIX_LANES] __attribute__((aligned(64))) = {0};
  double nu[ROW_GROUP_MAX];
  const size_t stride = matrix_stride(update->rows_max);
  for (size_t a = 0; a < count; a++) {
    nu[a] = update->nu[first + a];
    for (size_t b = a; b < count; b++) {
      S[a * MATRIX_LANES + b] = update->Pyy[(first + a) * stride + first + b];
    }
  }
  if (count == 0 || !matrix_cholesky(S, MATRIX_LANES, count, 0.0)) {
    return count == 0 ? 0.0 : HUGE_VAL;
  }
  matrix_solve_transposed(S, MATRIX_LANES, count, nu);
  return matrix_dot(nu, nu, count);
}

void row_update_weaken(struct row_update *update, size_t first, size_t count, double weight) {
  const size_t stride = matrix_stride(update->rows_max);
  for (size_t row = first; row < first + count; row++) {
    update->Pyy[row * stride + row] += 1.0 / weight - 1.0;
  }
}

FOR_EACH_ISA
enum status row_update_apply(struct row_update *update, double *x, double *P) {
  const struct joint_layout *l = update->layout;
  const size_t rows = update->rows, stride = matrix_stride(update->rows_max);
  if (rows == 0) {
    return STATUS_OK;
  }
  if (!matrix_cholesky(update->Pyy, stride, rows, 0.0)) {
    return STATUS_SINGULAR;
  }
  /* with Pyy = C C^T: Z = C^-1 Pyx, then P -= Z^T Z and x += Z^T C^-1 nu */
  const struct matrix_factor C = {update->Pyy, (ptrdiff_t)stride, 1};
  matrix_solve_rows(update->Pyx, l->stride, rows, l->size, C);
  memcpy(update->gain, update->nu, rows * sizeof(double));
  matrix_solve_transposed(update->Pyy, stride, rows, update->gain);
  update->nis = matrix_dot(update->gain, update->gain, rows);
  for (size_t row = 0; row < rows; row++) {
    for (size_t i = 0; i < l->size; i++) {
      x[i] += update->gain[row] * update->Pyx[row * l->stride + i];
    }
  }
  matrix_gram_add(P, l->stride, l->size, -1.0, update->Pyx, l->stride, rows, false);
  matrix_mirror(P, l->stride, l->size);
  return STATUS_OK;
}
