#include "update/row_update.h"

#include "math/dispatch.h"
#include "numerics/matrix_cholesky.h"
#include "numerics/matrix_products.h"
#include "numerics/symmetric_rows.h"

#include <math.h>
#include <string.h>

/* Rows of Pyy that are summed at a time, and states of which rows of Pyx are. */
enum { ROWS_AT_ONCE = 4, TERMS_AT_ONCE = 4 };

enum status row_update_init(struct row_update *update, const struct joint_layout *layout,
                            size_t rows_max, struct arena *arena) {
  *update =
      (struct row_update){.layout = layout,
                          .rows_max = rows_max,
                          /* an IMU on a limb sees q, dq, ddq and their biases, and the base's */
                          .terms_max = 3 * layout->n + layout->biases + 5 * layout->base + 9};
  update->terms = ARENA_ARRAY(arena, size_t, rows_max);
  update->state = ARENA_ARRAY(arena, uint16_t, rows_max * update->terms_max);
  update->h = ARENA_ARRAY(arena, double, rows_max * update->terms_max);
  update->nu = ARENA_ARRAY(arena, double, rows_max);
  update->noise = ARENA_ARRAY(arena, double, rows_max);
  update->gain = ARENA_ARRAY(arena, double, rows_max);
  update->dx = ARENA_ARRAY(arena, double, layout->stride);
  update->place = ARENA_ARRAY(arena, uint16_t, layout->size);
  update->seen = ARENA_ARRAY(arena, double, (layout->size + SYMMETRIC_ROWS_SPILL) * layout->stride);
  update->Pyx = ARENA_ARRAY(arena, double, (rows_max + ROWS_AT_ONCE) * layout->stride);
  update->Pyy = ARENA_ARRAY(arena, double, rows_max *matrix_stride(rows_max));
  return !arena_is_counting(arena) && arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

void row_update_begin(struct row_update *update) {
  update->rows = 0;
  update->taken = update->rows_max;
  update->nis = 0.0;
}

void row_update_wait(struct row_update *update) {
  update->taken = update->rows;
}

void row_update_row(struct row_update *update, double nu) {
  if (update->rows < update->rows_max) {
    update->terms[update->rows] = 0;
    update->noise[update->rows] = 1.0;
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

/* Gathers the states that rows see which do not wait, each once. */
static void gather_states(struct row_update *update, const double *P) {
  const size_t stride = update->layout->stride, size = update->layout->size;
  size_t gathered = 0;
  memset(update->place, 0, size * sizeof(*update->place));
  for (size_t row = 0; row < update->taken; row++) {
    const uint16_t *state = update->state + row * update->terms_max;
    for (size_t t = 0; t < update->terms[row]; t++) {
      update->place[state[t]] = 1;
    }
  }
  for (size_t state = 0; state < size; state++) {
    const size_t first = state;
    for (; state < size && update->place[state] != 0; state++) {
      update->place[state] = (uint16_t)(gathered + state - first);
    }
    if (state > first) {
      symmetric_rows(P, stride, first, state - first, update->seen + gathered * stride);
      gathered += state - first;
    }
  }
}

/* Pyx = H P: each row a sum of few rows of P, four of them at a time. */
FOR_EACH_ISA
static void cross_covariance(struct row_update *update) {
  const size_t stride = update->layout->stride;
  for (size_t row = 0; row < update->taken; row++) {
    const uint16_t *state = update->state + row * update->terms_max;
    const double *h = update->h + row * update->terms_max;
    const size_t terms = update->terms[row];
    double *restrict to = update->Pyx + row * stride;
    for (size_t t = 0; t < terms; t += TERMS_AT_ONCE) {
      const double *seen[TERMS_AT_ONCE];
      double by[TERMS_AT_ONCE];
      for (size_t k = 0; k < TERMS_AT_ONCE; k++) { /* what is missing counts for nothing */
        const size_t at = t + k < terms ? t + k : t;
        seen[k] = update->seen + update->place[state[at]] * stride;
        by[k] = t + k < terms ? h[at] : 0.0;
      }
      if (t + 1 == terms && t == 0) {
        for (size_t j = 0; j < stride; j++) {
          to[j] = by[0] * seen[0][j];
        }
      } else if (t == 0) {
        for (size_t j = 0; j < stride; j++) {
          to[j] = by[0] * seen[0][j] + by[1] * seen[1][j] + by[2] * seen[2][j] + by[3] * seen[3][j];
        }
      } else {
        for (size_t j = 0; j < stride; j++) {
          to[j] +=
              by[0] * seen[0][j] + by[1] * seen[1][j] + by[2] * seen[2][j] + by[3] * seen[3][j];
        }
      }
    }
    if (terms == 0) {
      memset(to, 0, stride * sizeof(double));
    }
  }
}

/* Pyy = (H P) H^T + 1, its upper triangle: four rows at a time, which do not wait for each other.
 */
FOR_EACH_ISA
static void innovation_covariance(struct row_update *update) {
  const size_t stride = matrix_stride(update->rows_max), x_stride = update->layout->stride;
  for (size_t b = 0; b < update->taken; b++) {
    const uint16_t *state = update->state + b * update->terms_max;
    const double *h = update->h + b * update->terms_max;
    for (size_t a = 0; a <= b; a += ROWS_AT_ONCE) {
      const double *Pyx = update->Pyx + a * x_stride;
      double sum[ROWS_AT_ONCE] = {0.0};
      for (size_t t = 0; t < update->terms[b]; t++) {
        for (size_t i = 0; i < ROWS_AT_ONCE; i++) {
          sum[i] += h[t] * Pyx[i * x_stride + state[t]];
        }
      }
      for (size_t i = 0; i < ROWS_AT_ONCE && a + i <= b; i++) {
        update->Pyy[(a + i) * stride + b] = sum[i];
      }
    }
    update->Pyy[b * (stride + 1)] += update->noise[b];
  }
}

void row_update_expect(struct row_update *update, const double *P) {
  update->taken = update->taken < update->rows ? update->taken : update->rows;
  gather_states(update, P);
  cross_covariance(update);
  innovation_covariance(update);
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
    const double more = 1.0 / weight - 1.0;
    update->noise[row] += more;
    update->Pyy[row * stride + row] += more;
  }
}

/* Pyy = C C^T, its factor in place; gain = C^-1 nu and what that makes of the innovation. */
static bool factor_innovation(struct row_update *update) {
  const size_t rows = update->taken, stride = matrix_stride(update->rows_max);
  if (!matrix_cholesky(update->Pyy, stride, rows, 0.0)) {
    return false;
  }
  memcpy(update->gain, update->nu, rows * sizeof(double));
  matrix_solve_transposed(update->Pyy, stride, rows, update->gain);
  update->nis = matrix_dot(update->gain, update->gain, rows);
  return true;
}

/* dx = gain Pyx, and x += dx. Rows that wait are off by less then. */
FOR_EACH_ISA
static void correct(struct row_update *update, double *restrict x) {
  const struct joint_layout *l = update->layout;
  const struct matrix_factor gain = {update->gain, 1, 0};
  double *dx = update->dx;
  matrix_multiply(dx, l->stride, 1, l->size, gain, update->Pyx, l->stride, update->taken);
  for (size_t i = 0; i < l->size; i++) {
    x[i] += dx[i];
  }
  for (size_t row = update->taken; row < update->rows; row++) {
    const size_t at = row * update->terms_max;
    for (size_t t = 0; t < update->terms[row]; t++) {
      update->nu[row] -= update->h[at + t] * dx[update->state[at + t]];
    }
  }
}

enum status row_update_apply(struct row_update *update, double *x, double *P) {
  const struct joint_layout *l = update->layout;
  const size_t stride = matrix_stride(update->rows_max);
  if (update->taken == 0) {
    return STATUS_OK;
  }
  if (!factor_innovation(update)) {
    return STATUS_SINGULAR;
  }
  /* with Pyy = C C^T: Z = C^-1 Pyx, then P -= Z^T Z and x += Z^T C^-1 nu */
  const struct matrix_factor C = {update->Pyy, (ptrdiff_t)stride, 1};
  matrix_solve_rows(update->Pyx, l->stride, update->taken, l->size, C);
  correct(update, x);
  matrix_gram_add(P, l->stride, l->size, -1.0, update->Pyx, l->stride, update->taken, false);
  return STATUS_OK;
}

/* x += by P e_state. P: its upper triangle. */
FOR_EACH_ISA
static void correct_by_state(const struct joint_layout *l, size_t state, double by, const double *P,
                             double *restrict x) {
  const double *row = P + state * l->stride;
  for (size_t i = 0; i < state; i++) {
    x[i] += by * P[i * l->stride + state];
  }
  for (size_t i = state; i < l->size; i++) {
    x[i] += by * row[i];
  }
}

/* S = H P H^T and noise, of the rows that wait. P, S: upper triangles. */
static void waiting_covariance(const struct row_update *update, const double *P, double *S,
                               size_t stride) {
  const size_t first = update->taken, waiting = update->rows - first;
  const uint16_t *state = update->state + first * update->terms_max;
  const double *h = update->h + first * update->terms_max;
  const size_t *terms = update->terms + first, most = update->terms_max;
  for (size_t a = 0; a < waiting; a++) {
    memset(S + a * stride, 0, waiting * sizeof(double));
    S[a * stride + a] = update->noise[first + a];
    for (size_t s = a * most; s < a * most + terms[a]; s++) {
      for (size_t b = a; b < waiting; b++) {
        for (size_t t = b * most; t < b * most + terms[b]; t++) {
          const size_t i = state[s] < state[t] ? state[s] : state[t], k = state[s] + state[t] - i;
          S[a * stride + b] += h[s] * h[t] * P[i * update->layout->stride + k];
        }
      }
    }
  }
}

enum status row_update_apply_waiting(struct row_update *update, double *x, const double *P) {
  const size_t stride = matrix_stride(update->rows_max), first = update->taken;
  const size_t waiting = update->rows - first;
  double *S = update->Pyy, *u = update->gain;
  waiting_covariance(update, P, S, stride);
  memcpy(u, update->nu + first, waiting * sizeof(double));
  if (!matrix_cholesky(S, stride, waiting, 0.0)) {
    return STATUS_SINGULAR;
  }
  matrix_solve_transposed(S, stride, waiting, u);
  matrix_solve_upper(S, stride, waiting, u);
  for (size_t a = 0; a < waiting; a++) { /* x += P H^T u */
    const size_t at = (first + a) * update->terms_max;
    for (size_t t = 0; t < update->terms[first + a]; t++) {
      correct_by_state(update->layout, update->state[at + t], u[a] * update->h[at + t], P, x);
    }
  }
  return STATUS_OK;
}
