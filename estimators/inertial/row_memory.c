#include "inertial/row_memory.h"

#include "numerics/small_matrix.h"

#include <math.h>
#include <string.h>

/* Shares of the regressor's noise that may be taken away. */
static const double SHARE[] = {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0};
enum { LAST_SHARE = sizeof(SHARE) / sizeof(SHARE[0]) - 1 };
/* After it A must keep this share of itself in every direction. */
static const double KEPT = 0.02;

enum status row_memory_init(struct row_memory *memory, size_t n, struct arena *arena) {
  *memory = (struct row_memory){.n = n};
  memory->A = ARENA_ARRAY(arena, double, n *n);
  memory->b = ARENA_ARRAY(arena, double, n);
  memory->N = ARENA_ARRAY(arena, double, n *n);
  memory->nz = ARENA_ARRAY(arena, double, n);
  memory->K = ARENA_ARRAY(arena, double, INERTIAL_MAX_ROWS *n);
  memory->scaled = ARENA_ARRAY(arena, double, INERTIAL_MAX_ROWS *n);
  memory->work = ARENA_ARRAY(arena, double, n *n);
  memory->work2 = ARENA_ARRAY(arena, double, n *n);
  memory->pivot = ARENA_ARRAY(arena, int, n);
  return arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

void row_memory_clear(struct row_memory *memory) {
  const size_t n = memory->n;
  memset(memory->A, 0, n * n * sizeof(double));
  memset(memory->b, 0, n * sizeof(double));
  memset(memory->N, 0, n * n * sizeof(double));
  memset(memory->nz, 0, n * sizeof(double));
  memory->n_bias = 0;
}

void row_memory_copy(struct row_memory *to, const struct row_memory *from) {
  const size_t n = from->n;
  memcpy(to->A, from->A, n * n * sizeof(double));
  memcpy(to->b, from->b, n * sizeof(double));
  memcpy(to->N, from->N, n * n * sizeof(double));
  memcpy(to->nz, from->nz, n * sizeof(double));
  to->doubt = from->doubt;
  to->n_bias = from->n_bias;
  memcpy(to->K, from->K, n * INERTIAL_MAX_ROWS * sizeof(double));
}

/* K += scaled^T (weight/R)^1/2 B: rows of another number begin it anew. */
static void add_bias(struct row_memory *memory, const struct inertial_rows *rows, double weight) {
  if (rows->n != memory->n_bias) {
    memset(memory->K, 0, memory->n * INERTIAL_MAX_ROWS * sizeof(double));
    memory->n_bias = rows->n;
  }
  for (size_t r = 0; r < rows->n; r++) {
    small_rank_one(memory->n, rows->n, sqrt(weight / rows->R[r]), memory->scaled + r * memory->n,
                   rows->bias + r * rows->n, memory->K, INERTIAL_MAX_ROWS);
  }
}

void row_memory_add(struct row_memory *memory, const struct inertial_rows *rows, double weight) {
  const size_t n = memory->n;
  for (size_t r = 0; r < rows->n; r++) {
    const double scale = sqrt(weight / rows->R[r]);
    double *y = memory->scaled + r * n;
    for (size_t i = 0; i < n; i++) {
      y[i] = scale * rows->Y[r * n + i];
      memory->b[i] += scale * y[i] * rows->z[r];
    }
  }
  small_multiply(n, n, rows->n, 1.0, small_transposed(memory->scaled, n),
                 small_factor(memory->scaled, n), 1.0, memory->A, n);
  memory->doubt = rows->YtWY != NULL ? rows->doubt : memory->doubt;
  if (rows->bias != NULL) {
    add_bias(memory, rows, weight);
  }
  for (size_t i = 0; rows->YtWY != NULL && i < n * n; i++) {
    memory->N[i] += weight * rows->YtWY[i];
  }
  for (size_t i = 0; rows->YtWz != NULL && i < n; i++) {
    memory->nz[i] += weight * rows->YtWz[i];
  }
}

/* X = W^-1 X W^-T for symmetric X, with W's LU factors in memory->work. */
static void fade_matrix(struct row_memory *memory, double *X) {
  const size_t n = memory->n;
  double *Z = memory->work2;
  small_lu_solve(n, memory->work, memory->pivot, n, X, n);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      Z[i * n + j] = X[j * n + i];
    }
  }
  small_lu_solve(n, memory->work, memory->pivot, n, Z, n);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      X[i * n + j] = 0.5 * (Z[i * n + j] + Z[j * n + i]);
    }
  }
}

/* x = W^-1 W^-1 x */
static void fade_vector(const struct row_memory *memory, double *x) {
  for (int times = 0; times < 2; times++) {
    small_lu_solve(memory->n, memory->work, memory->pivot, 1, x, 1);
  }
}

/* The same for every column of K. */
static void fade_bias(struct row_memory *memory) {
  for (int times = 0; times < 2; times++) {
    small_lu_solve(memory->n, memory->work, memory->pivot, memory->n_bias, memory->K,
                   INERTIAL_MAX_ROWS);
  }
}

/* y += scale X pi */
static void add_product(size_t n, double scale, const double *X, const double *pi, double *y) {
  small_apply(n, n, scale, small_factor(X, n), pi, 1.0, y);
}

/* The equations X pi = y, faded. */
static void fade_equations(struct row_memory *memory, double *X, double *y, const double *pi) {
  add_product(memory->n, -1.0, X, pi, y);
  fade_matrix(memory, X);
  fade_vector(memory, y);
  add_product(memory->n, 1.0, X, pi, y);
}

void row_memory_fade(struct row_memory *memory, const double *Q, const double *pi) {
  const size_t n = memory->n;
  small_multiply(n, n, n, 0.5, small_factor(memory->A, n), small_factor(Q, n), 0.0, memory->work,
                 n);
  for (size_t i = 0; i < n; i++) {
    memory->work[i * n + i] += 1.0;
  }
  if (small_lu(n, memory->work, memory->pivot)) {
    fade_equations(memory, memory->A, memory->b, pi);
    fade_equations(memory, memory->N, memory->nz, pi);
    fade_bias(memory);
  }
}

/* True when A less this share of the noise is still positive semidefinite, with something to
 * spare. */
static bool leaves_information(struct row_memory *memory, double share) {
  for (size_t i = 0; i < memory->n * memory->n; i++) {
    memory->work[i] = (1.0 - KEPT) * memory->A[i] - share * memory->N[i];
  }
  for (size_t i = 0; i < memory->n; i++) { /* against rounding where A has no information */
    memory->work[i * memory->n + i] += 1e-12 * memory->A[i * memory->n + i] + 1e-30;
  }
  return small_cholesky_lower(memory->n, memory->work);
}

/* Noise dY in the rows makes E[Y^T R^-1 Y] too large by E[dY^T R^-1 dY] and so pulls the estimate
 * towards zero where the excitation is weak. */
void row_memory_fit(struct row_memory *memory, size_t *share, double *A, double *b) {
  const size_t n = memory->n;
  if (*share < LAST_SHARE && leaves_information(memory, SHARE[*share + 1])) {
    ++*share;
  } else {
    while (*share > 0 && !leaves_information(memory, SHARE[*share])) {
      --*share;
    }
  }
  for (size_t i = 0; i < n * n; i++) {
    A[i] = memory->A[i] - SHARE[*share] * memory->N[i];
  }
  for (size_t i = 0; i < n; i++) {
    b[i] = memory->b[i] - SHARE[*share] * memory->nz[i];
  }
}

void row_memory_scatter(struct row_memory *memory, size_t share, const double *pi, double *X) {
  const size_t n = memory->n;
  const double left = 1.0 - SHARE[share];
  double *v = memory->work;
  memcpy(v, memory->nz, memory->n * sizeof(*v));
  add_product(memory->n, -1.0, memory->N, pi, v);
  for (size_t i = 0; i < memory->n * memory->n; i++) {
    X[i] = SHARE[share] * memory->N[i];
  }
  if (memory->n_bias > 0) {
    small_multiply(n, n, memory->n_bias, 1.0, small_factor(memory->K, INERTIAL_MAX_ROWS),
                   small_transposed(memory->K, INERTIAL_MAX_ROWS), 1.0, X, n);
  }
  small_rank_one(n, n, memory->doubt * memory->doubt + left * left, v, v, X, n);
}
