#include "inertial/row_noise.h"

#include "numerics/small_matrix.h"

#include <math.h>
#include <string.h>

void row_noise_init(struct row_noise *noise, size_t n_pi, size_t n_bias, struct arena *arena) {
  *noise = (struct row_noise){.n_pi = n_pi, .n = n_pi + n_bias};
  noise->Y = ARENA_ARRAY(arena, double, INERTIAL_MAX_ROWS * noise->n);
}

/* R += gain times the noise seen at rest, by rest_pair, lengthened by how long it lasts.
 *
 * A covariance of m rows from N blocks claims too little in some direction, by chance: its inverse
 * is too large by N/(N - m - 1) on average, and products weigh less than squares until N >> m. */
static void add_seen(const struct rest_statistics *rest, size_t m, double gain, double *R) {
  const double together = fmin((double)m, REST_TOGETHER), blocks = rest->weight;
  const double scale = gain * blocks / (blocks - together - 1.0);
  double length[INERTIAL_MAX_ROWS];
  for (size_t r = 0; r < m; r++) {
    length[r] = sqrt(rest_statistics_length(rest, r));
    for (size_t s = rest_first(r); s <= r; s++) {
      const double share = r == s ? 1.0 : 1.0 - together / blocks;
      R[rest_pair(r, s)] += scale * share * length[r] * length[s] * rest->residual[rest_pair(r, s)];
    }
  }
}

/* Factor and inverse of R, by rest_pair; false when it is no covariance. */
static bool factorise(struct row_noise *noise, const double *R) {
  const size_t m = noise->together;
  double inverse[REST_TOGETHER * REST_TOGETHER];
  for (size_t r = 0; r < noise->rows; r++) {
    noise->variance[r] = R[rest_pair(r, r)];
    noise->Omega[rest_pair(r, r)] = 1.0 / noise->variance[r];
    for (size_t s = 0; r < m && s <= r; s++) {
      noise->L[r * m + s] = R[rest_pair(r, s)];
    }
  }
  if (!small_cholesky_lower(m, noise->L)) {
    return false;
  }
  memcpy(inverse, noise->L, m * m * sizeof(*inverse));
  small_cholesky_inverse(m, inverse);
  for (size_t r = 0; r < m; r++) {
    for (size_t s = 0; s <= r; s++) {
      noise->Omega[rest_pair(r, s)] = inverse[r * m + s];
    }
  }
  return true;
}

void row_noise_set(struct row_noise *noise, const double *variance, size_t rows,
                   const struct rest_statistics *rest, double gain) {
  double told[REST_PAIRS] = {0.0}, all[REST_PAIRS];
  noise->rows = rows;
  noise->together = rows < REST_TOGETHER ? rows : REST_TOGETHER;
  for (size_t r = 0; r < rows; r++) {
    told[rest_pair(r, r)] = variance[r];
  }
  memcpy(all, told, sizeof(all));
  if (rest_statistics_know(rest, rows)) {
    add_seen(rest, rows, gain, all);
  }
  if (!factorise(noise, all)) {
    factorise(noise, told); /* moments that cannot be: left out */
  }
}

struct inertial_rows row_noise_whiten(struct row_noise *noise, const struct measured_rows *rows) {
  const size_t m = noise->rows, n = noise->n, p = noise->n_pi;
  for (size_t r = 0; r < m; r++) {
    row_memory_beside(rows, r, p, n - p, noise->Y + r * n);
    noise->z[r] = rows->z[r];
    noise->R[r] = 1.0;
  }
  small_solve_lower(noise->together, n, noise->L, noise->Y, n);
  small_solve_lower(noise->together, 1, noise->L, noise->z, 1);
  for (size_t r = noise->together; r < m; r++) {
    const double scale = 1.0 / sqrt(noise->variance[r]);
    small_scale(n, scale, noise->Y + r * n);
    noise->z[r] *= scale;
  }
  return (struct inertial_rows){.n = m, .Y = noise->Y, .z = noise->z, .R = noise->R};
}

void row_noise_widen(struct row_noise *noise) {
  for (size_t r = 0; r < noise->rows; r++) {
    for (size_t s = rest_first(r); s <= r; s++) {
      noise->Omega[rest_pair(r, s)] /= sqrt(noise->R[r] * noise->R[s]);
    }
  }
}
