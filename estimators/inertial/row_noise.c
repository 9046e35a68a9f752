#include "inertial/row_noise.h"

#include "numerics/small_matrix.h"

#include <math.h>
#include <string.h>

enum status row_noise_init(struct row_noise *noise, size_t n_pi, size_t n_bias,
                           struct arena *arena) {
  *noise = (struct row_noise){.n_pi = n_pi, .n = n_pi + n_bias};
  noise->L = ARENA_ARRAY(arena, double, INERTIAL_MAX_ROWS *INERTIAL_MAX_ROWS);
  noise->Omega = ARENA_ARRAY(arena, double, INERTIAL_MAX_ROWS *INERTIAL_MAX_ROWS);
  noise->Y = ARENA_ARRAY(arena, double, INERTIAL_MAX_ROWS * noise->n);
  return arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

/* X += gain times the noise seen at rest, lengthened by how long it lasts; lower triangle.
 *
 * A covariance of m rows from N blocks claims too little in some direction, by chance: its inverse
 * is too large by N/(N - m - 1) on average, and products weigh less than squares until N >> m. */
static void add_seen(const struct rest_statistics *rest, size_t m, double gain, double *X) {
  const double together = fmin((double)m, REST_TOGETHER), blocks = rest->weight;
  const double scale = gain * blocks / (blocks - together - 1.0);
  double length[INERTIAL_MAX_ROWS];
  for (size_t r = 0; r < m; r++) {
    length[r] = sqrt(rest_statistics_length(rest, r));
  }
  for (size_t r = 0; r < m; r++) {
    for (size_t s = 0; s <= r; s++) {
      if (rest_is_pair(r, s)) {
        const double share = r == s ? 1.0 : 1.0 - together / blocks;
        X[r * m + s] += scale * share * length[r] * length[s] * rest->residual[rest_pair(r, s)];
      }
    }
  }
}

void row_noise_set(struct row_noise *noise, const double *variance, size_t rows,
                   const struct rest_statistics *rest, double gain) {
  const size_t bytes = rows * rows * sizeof(*noise->L);
  noise->rows = rows;
  memset(noise->L, 0, bytes);
  for (size_t r = 0; r < rows; r++) {
    noise->L[r * rows + r] = variance[r];
  }
  if (rest_statistics_know(rest, rows)) {
    add_seen(rest, rows, gain, noise->L);
  }
  if (!small_cholesky_lower(rows, noise->L)) {
    memset(noise->L, 0, bytes); /* moments that cannot be: left out */
    for (size_t r = 0; r < rows; r++) {
      noise->L[r * rows + r] = sqrt(variance[r]);
    }
  }
  memcpy(noise->Omega, noise->L, bytes);
  small_cholesky_inverse(rows, noise->Omega);
}

struct inertial_rows row_noise_whiten(struct row_noise *noise, const struct measured_rows *rows) {
  const size_t m = noise->rows, n = noise->n, p = noise->n_pi;
  for (size_t r = 0; r < m; r++) {
    row_memory_beside(rows, r, p, n - p, noise->Y + r * n);
    noise->z[r] = rows->z[r];
    noise->R[r] = 1.0;
  }
  small_solve_lower(m, n, noise->L, noise->Y, n);
  small_solve_lower(m, 1, noise->L, noise->z, 1);
  return (struct inertial_rows){.n = m, .Y = noise->Y, .z = noise->z, .R = noise->R};
}

void row_noise_widen(struct row_noise *noise) {
  for (size_t i = 0; i < noise->rows * noise->rows; i++) {
    noise->Omega[i] /= sqrt(noise->R[i / noise->rows] * noise->R[i % noise->rows]);
  }
}
