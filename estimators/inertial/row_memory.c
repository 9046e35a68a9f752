#include "inertial/row_memory.h"

#include "numerics/small_matrix.h"

#include <math.h>
#include <string.h>

/* Shares of the regressor's noise that may be taken away. */
static const double SHARE[] = {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0};
enum { LAST_SHARE = sizeof(SHARE) / sizeof(SHARE[0]) - 1 };
/* After it A must keep this share of itself in every direction. */
static const double KEPT = 0.02;

void row_memory_beside(const struct measured_rows *rows, size_t r, size_t n_pi, size_t n_bias,
                       double *row) {
  memcpy(row, rows->Y + r * n_pi, n_pi * sizeof(*row));
  memset(row + n_pi, 0, n_bias * sizeof(*row));
  if (rows->bias[r] < n_bias) {
    row[n_pi + rows->bias[r]] = 1.0;
  }
  if (rows->stick[r] < n_bias) {
    row[n_pi + rows->stick[r]] = rows->friction[r];
  }
  if (rows->gain[r] < n_bias) {
    row[n_pi + rows->gain[r]] = rows->force[r];
  }
}

void row_memory_init(struct row_memory *memory, size_t n_pi, size_t n_bias, struct arena *arena) {
  const size_t n = n_pi + n_bias;
  *memory = (struct row_memory){.n = n, .n_pi = n_pi};
  memory->A = ARENA_ARRAY(arena, double, n *n);
  memory->b = ARENA_ARRAY(arena, double, n);
  memory->N = ARENA_ARRAY(arena, double, n *n);
  memory->nz = ARENA_ARRAY(arena, double, n);
  memory->scaled = ARENA_ARRAY(arena, double, INERTIAL_MAX_ROWS *n);
  memory->K = ARENA_ARRAY(arena, double, n *n_pi);
  memory->work = ARENA_ARRAY(arena, double, n *n);
  memory->work2 = ARENA_ARRAY(arena, double, n *n);
}

void row_memory_clear(struct row_memory *memory) {
  const size_t n = memory->n;
  memset(memory->A, 0, n * n * sizeof(double));
  memset(memory->b, 0, n * sizeof(double));
  memset(memory->N, 0, n * n * sizeof(double));
  memset(memory->nz, 0, n * sizeof(double));
}

void row_memory_copy(struct row_memory *to, const struct row_memory *from) {
  const size_t n = from->n;
  memcpy(to->A, from->A, n * n * sizeof(double));
  memcpy(to->b, from->b, n * sizeof(double));
  memcpy(to->N, from->N, n * n * sizeof(double));
  memcpy(to->nz, from->nz, n * sizeof(double));
  to->doubt = from->doubt;
}

void row_memory_add(struct row_memory *memory, const struct inertial_rows *rows, double weight) {
  const size_t n = memory->n, n_pi = memory->n_pi;
  for (size_t r = 0; r < rows->n; r++) {
    const double scale = sqrt(weight / rows->R[r]);
    double *y = memory->scaled + r * n;
    for (size_t i = 0; i < n; i++) {
      y[i] = scale * rows->Y[r * n + i];
      memory->b[i] += scale * y[i] * rows->z[r];
    }
  }
  small_multiply_symmetric(n, rows->n, 1.0, small_transposed(memory->scaled, n),
                           small_factor(memory->scaled, n), 1.0, memory->A, n);
  memory->doubt = rows->YtWY != NULL ? rows->doubt : memory->doubt;
  for (size_t i = 0; rows->YtWY != NULL && i < n_pi; i++) {
    small_add(n_pi, weight, rows->YtWY + i * n_pi, memory->N + i * n);
  }
  for (size_t i = 0; rows->YtWz != NULL && i < n_pi; i++) {
    memory->nz[i] += weight * rows->YtWz[i];
  }
}

/* -- fading ----------------------------------------------------------------------------------- */

/* y += scale X x, X [n][n] */
static void add_product(size_t n, double scale, const double *X, const double *x, double *y) {
  small_apply(n, n, scale, small_factor(X, n), x, 1.0, y);
}

/* A = (A^-1 + S S^T)^-1 = (1 - K) A. With L L^T = 1 + S^T A S and X = L^-1 S^T A, it is A - X^T X,
 * and K = X^T L^-1 S^T, of which the biases' columns are zero. False when A is no information. */
static bool fade_information(struct row_memory *memory, const double *S) {
  const size_t n = memory->n, p = memory->n_pi;
  double *X = memory->work, *V = memory->work2, *L = memory->K; /* K, once it is known */
  small_multiply(p, n, p, 1.0, small_transposed(S, p), small_factor(memory->A, n), 0.0, X, n);
  small_multiply_symmetric(p, p, 1.0, small_factor(X, n), small_factor(S, p), 0.0, L, p);
  for (size_t i = 0; i < p; i++) {
    L[i * p + i] += 1.0;
    for (size_t j = 0; j < p; j++) {
      V[i * p + j] = S[j * p + i];
    }
  }
  if (!small_cholesky_lower(p, L)) {
    return false;
  }
  small_solve_lower(p, n, L, X, n);
  small_solve_lower(p, p, L, V, p);
  small_multiply_symmetric(n, p, -1.0, small_transposed(X, n), small_factor(X, n), 1.0, memory->A,
                           n);
  small_multiply(n, p, p, 1.0, small_transposed(X, n), small_factor(V, p), 0.0, memory->K, p);
  return true;
}

/* N = (1 - K/2) N (1 - K/2)^T */
static void fade_noise(struct row_memory *memory) {
  const size_t n = memory->n, p = memory->n_pi;
  double *N = memory->N, *rows = memory->work, *columns = memory->work2;
  memcpy(rows, N, p * n * sizeof(*N));
  small_multiply(n, n, p, -0.5, small_factor(memory->K, p), small_factor(rows, n), 1.0, N, n);
  memcpy(columns, N, n * n * sizeof(*N));
  small_multiply_symmetric(n, p, -0.5, small_factor(columns, n), small_transposed(memory->K, p),
                           1.0, N, n);
}

/* y = (1 - K) y */
static void fade_vector(struct row_memory *memory, double *y) {
  memcpy(memory->work, y, memory->n_pi * sizeof(*y));
  small_apply(memory->n, memory->n_pi, -1.0, small_factor(memory->K, memory->n_pi), memory->work,
              1.0, y);
}

void row_memory_fade(struct row_memory *memory, const double *S, const double *x) {
  const size_t n = memory->n;
  add_product(n, -1.0, memory->A, x, memory->b);
  add_product(n, -1.0, memory->N, x, memory->nz);
  if (fade_information(memory, S)) {
    fade_noise(memory);
    fade_vector(memory, memory->b);
    fade_vector(memory, memory->nz);
  }
  add_product(n, 1.0, memory->A, x, memory->b);
  add_product(n, 1.0, memory->N, x, memory->nz);
}

/* -- fitting ---------------------------------------------------------------------------------- */

/* True when A less this share of the noise is still positive semidefinite, with something to spare:
 * for known biases, what they hide is the prior's to keep definite. */
static bool leaves_information(struct row_memory *memory, double share) {
  const size_t n = memory->n, p = memory->n_pi;
  for (size_t i = 0; i < p; i++) {
    for (size_t j = 0; j < p; j++) {
      memory->work[i * p + j] = (1.0 - KEPT) * memory->A[i * n + j] - share * memory->N[i * n + j];
    }
    /* against rounding where A has no information */
    memory->work[i * p + i] += 1e-12 * memory->A[i * n + i] + 1e-30;
  }
  return small_cholesky_lower(p, memory->work);
}

void row_memory_choose_share(struct row_memory *memory, size_t *share) {
  if (*share < LAST_SHARE && leaves_information(memory, SHARE[*share + 1])) {
    ++*share;
    return;
  }
  while (*share > 0 && !leaves_information(memory, SHARE[*share])) {
    --*share;
  }
}

/* Noise dY in the rows makes E[Y^T R^-1 Y] too large by E[dY^T R^-1 dY] and so pulls the estimate
 * towards zero where the excitation is weak. */
void row_memory_fit(const struct row_memory *memory, size_t share, const double *x0, double *A,
                    double *b) {
  const size_t n = memory->n;
  memcpy(A, memory->A, n * n * sizeof(*A));
  memcpy(b, memory->b, n * sizeof(*b));
  small_add(n * n, -SHARE[share], memory->N, A);
  small_add(n, -1.0, memory->nz, b);
  add_product(n, 1.0 - SHARE[share], memory->N, x0, b);
}

void row_memory_scatter(struct row_memory *memory, size_t share, const double *x, const double *x0,
                        double *X) {
  const size_t n = memory->n, p = memory->n_pi;
  const double left = 1.0 - SHARE[share], doubt = memory->doubt;
  double *Nx = memory->work, *v = memory->work2;
  memset(Nx, 0, n * sizeof(*Nx));
  add_product(n, 1.0, memory->N, x, Nx);
  for (size_t i = 0; i < p * p; i++) {
    X[i] = SHARE[share] * memory->N[i / p * n + i % p];
  }
  memcpy(v, memory->nz, n * sizeof(*v));
  small_add(n, -1.0, Nx, v);
  small_rank_one(p, p, doubt * doubt, v, v, X, p);
  add_product(n, -1.0, memory->N, x0, Nx);
  small_rank_one(p, p, left * left, Nx, Nx, X, p);
}
