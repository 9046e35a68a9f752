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
  memory->beside = ARENA_ARRAY(arena, double, n_pi *n_bias);
  memory->costs = ARENA_ARRAY(arena, double, n_pi *n_bias);
  memory->work = ARENA_ARRAY(arena, double, n *n);
  memory->work2 = ARENA_ARRAY(arena, double, n *n);
  memory->pivot = ARENA_ARRAY(arena, int, n_pi);
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

/* X = W^-1 X W^-T for the parameters' part of symmetric X, with W's LU factors in memory->work. */
static void fade_matrix(struct row_memory *memory, double *X, size_t stride) {
  const size_t n = memory->n_pi;
  double *Z = memory->work2;
  small_lu_solve(n, memory->work, memory->pivot, n, X, stride);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      Z[i * n + j] = X[j * stride + i];
    }
  }
  small_lu_solve(n, memory->work, memory->pivot, n, Z, n);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      X[i * stride + j] = 0.5 * (Z[i * n + j] + Z[j * n + i]);
    }
  }
}

/* y += scale X pi, X [n][n] */
static void add_product(size_t n, double scale, const double *X, const double *pi, double *y) {
  small_apply(n, n, scale, small_factor(X, n), pi, 1.0, y);
}

/* X = W^-1 X W^-T, symmetric, and y = W^-2 y; W = (1 + A_pp Q/2, 0; A_bp Q/2, 1) is triangular, so
 * that only parameters are solved for: A_pb takes the part of the biases, Q A_pb/2 is in costs. */
static void fade_equations(struct row_memory *memory, double *X, double *y) {
  const size_t n = memory->n, p = memory->n_pi, m = n - p;
  double *S = memory->beside, *bias = X + p * n + p;
  const struct small_factor costs = small_transposed(memory->costs, m);
  /* what couples parameters and biases */
  for (size_t i = 0; i < p; i++) {
    memcpy(S + i * m, X + i * n + p, m * sizeof(double));
  }
  small_lu_solve(p, memory->work, memory->pivot, m, S, m);
  fade_matrix(memory, X, n);
  for (size_t i = 0; i < p; i++) {
    memcpy(X + i * n + p, S + i * m, m * sizeof(double));
  }
  small_multiply(p, m, p, -1.0, small_factor(X, n), small_factor(memory->costs, m), 1.0, X + p, n);
  /* the biases' own block */
  small_multiply(m, m, p, -1.0, costs, small_factor(S, m), 1.0, bias, n);
  small_multiply(m, m, p, -1.0, small_transposed(X + p, n), small_factor(memory->costs, m), 1.0,
                 bias, n);
  for (size_t i = 0; i < p; i++) {
    for (size_t k = 0; k < m; k++) {
      X[(p + k) * n + i] = X[i * n + p + k];
    }
  }
  for (int times = 0; times < 2; times++) {
    small_lu_solve(p, memory->work, memory->pivot, 1, y, 1);
    small_multiply(m, 1, p, -1.0, costs, small_factor(y, 1), 1.0, y + p, 1);
  }
}

void row_memory_fade(struct row_memory *memory, const double *Q, const double *x) {
  const size_t n = memory->n, p = memory->n_pi, m = n - p;
  small_multiply(p, p, p, 0.5, small_factor(memory->A, n), small_factor(Q, p), 0.0, memory->work,
                 p);
  for (size_t i = 0; i < p; i++) {
    memory->work[i * p + i] += 1.0;
  }
  if (!small_lu(p, memory->work, memory->pivot)) {
    return;
  }
  small_multiply(p, m, p, 0.5, small_factor(Q, p), small_factor(memory->A + p, n), 0.0,
                 memory->costs, m);
  /* the equations of the rows, and those of the regressor's noise in them */
  double *const X[] = {memory->A, memory->N}, *const y[] = {memory->b, memory->nz};
  for (int k = 0; k < 2; k++) {
    add_product(n, -1.0, X[k], x, y[k]);
    fade_equations(memory, X[k], y[k]);
    add_product(n, 1.0, X[k], x, y[k]);
  }
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
