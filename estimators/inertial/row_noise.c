#include "inertial/row_noise.h"

#include "numerics/small_matrix.h"

#include <math.h>
#include <string.h>

void row_noise_init(struct row_noise *noise, size_t n_pi, size_t n_bias, struct arena *arena) {
  *noise = (struct row_noise){.n_pi = n_pi, .n = n_pi + n_bias};
  noise->Y = ARENA_ARRAY(arena, double, INERTIAL_MAX_ROWS * noise->n);
}

/* What is added to R's entry for the noise seen at rest, `gain` times, lengthened by how long it
 * lasts.
 *
 * A covariance of m rows from N blocks claims too little in some direction, by chance: its inverse
 * is too large by N/(N - m - 1) on average, and products weigh less than squares until N >> m. */
static double seen(const struct rest_statistics *rest, size_t m, double gain, size_t r, size_t s) {
  const double together = fmin((double)m, REST_TOGETHER), blocks = rest->weight;
  const double scale = gain * blocks / (blocks - together - 1.0),
               share = r == s ? 1.0 : 1.0 - together / blocks,
               length = rest_statistics_length(rest, r) * rest_statistics_length(rest, s);
  return scale * share * sqrt(length) * rest->residual[rest_pair(r, s)];
}

/* R, of what was told and of what was seen at `rest`, or NULL; its factor and inverse. False when
 * it is no covariance. */
static bool set(struct row_noise *noise, const double *variance, const struct rest_statistics *rest,
                double gain) {
  const size_t m = noise->together;
  double inverse[REST_TOGETHER * REST_TOGETHER];
  for (size_t r = 0; r < noise->rows; r++) {
    for (size_t s = rest_first(r); s <= r; s++) {
      const double R =
          (r == s ? variance[r] : 0.0) + (rest != NULL ? seen(rest, noise->rows, gain, r, s) : 0.0);
      if (r < m) {
        noise->L[r * m + s] = R;
      }
      if (r == s) {
        noise->variance[r] = R;
        noise->Omega[rest_pair(r, r)] = 1.0 / R; /* of a row that is alone */
      }
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
  noise->rows = rows;
  noise->together = rows < REST_TOGETHER ? rows : REST_TOGETHER;
  const bool known = rest_statistics_know(rest, rows);
  if (!set(noise, variance, known ? rest : NULL, gain)) {
    set(noise, variance, NULL, gain); /* moments that cannot be: left out */
  }
}

void row_noise_whiten_residual(const struct row_noise *noise, double *residual) {
  small_solve_lower(noise->together, 1, noise->L, residual, 1);
  for (size_t r = noise->together; r < noise->rows; r++) {
    residual[r] /= sqrt(noise->variance[r]);
  }
}

struct inertial_rows row_noise_whiten(struct row_noise *noise, const struct measured_rows *rows) {
  const size_t m = noise->rows, n = noise->n, p = noise->n_pi;
  for (size_t r = 0; r < m; r++) {
    row_memory_beside(rows, r, p, n - p, noise->Y + r * n);
    noise->R[r] = 1.0;
  }
  memcpy(noise->z, rows->z, m * sizeof(*noise->z));
  row_noise_whiten_residual(noise, noise->z);
  small_solve_lower(noise->together, n, noise->L, noise->Y, n);
  for (size_t r = noise->together; r < m; r++) {
    small_scale(n, 1.0 / sqrt(noise->variance[r]), noise->Y + r * n);
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
