#include "inertial/rest_statistics.h"

#include "numerics/small_matrix.h"

#include <math.h>
#include <string.h>

/* Correlation from block to block beyond this is a drift, and belongs to the bias. */
static const double MOST_CORRELATED = 0.9;

/* Squared deviations beyond this many bounds are no noise at all. */
static const double FAR_BEYOND = 4.0;
/* So many strange blocks in a row, and it is the noise that has changed. */
enum { STRANGE_BLOCKS = 50 };

void rest_statistics_init(struct rest_statistics *rest, size_t n, struct arena *arena) {
  *rest = (struct rest_statistics){.n = n};
  rest->mean_Y = ARENA_ARRAY(arena, double, INERTIAL_MAX_ROWS *n);
  rest->mean_z = ARENA_ARRAY(arena, double, INERTIAL_MAX_ROWS);
  rest->YY = ARENA_ARRAY(arena, double, REST_PAIRS *n *n);
  rest->Yz = ARENA_ARRAY(arena, double, REST_PAIRS *n);
  rest->dy = ARENA_ARRAY(arena, double, INERTIAL_MAX_ROWS *n);
}

void rest_statistics_copy(struct rest_statistics *rest, const struct rest_statistics *from) {
  const size_t n = rest->n;
  rest->blocks = 0;
  rest->weight = from->weight;
  rest->moment_rows = from->moment_rows;
  memcpy(rest->YY, from->YY, REST_PAIRS * n * n * sizeof(*rest->YY));
  memcpy(rest->Yz, from->Yz, REST_PAIRS * n * sizeof(*rest->Yz));
  memcpy(rest->residual, from->residual, sizeof(rest->residual));
  memcpy(rest->lagged, from->lagged, sizeof(rest->lagged));
}

void rest_statistics_begin(struct rest_statistics *rest) {
  rest->blocks = 0;
  rest->strange = 0;
}

static void forget(struct rest_statistics *rest, size_t rows) {
  rest_statistics_begin(rest);
  rest->weight = 0.0;
  rest->moment_rows = rows;
}

/* moment += (product - moment) share */
static void blend(double *moment, double product, double share) {
  *moment += share * (product - *moment);
}

/* What the block deviates from the mean before it; e is what pi does not explain. */
static void deviate(struct rest_statistics *rest, const double *Y, const double *z,
                    const double *pi) {
  const size_t n = rest->n;
  memcpy(rest->dy, Y, rest->rows * n * sizeof(*Y));
  small_add(rest->rows * n, -1.0, rest->mean_Y, rest->dy);
  for (size_t r = 0; r < rest->rows; r++) {
    rest->dz[r] = z[r] - rest->mean_z[r];
    rest->e[r] = rest->dz[r] - small_dot(n, rest->dy + r * n, pi);
  }
}

/* Products of two rows' deviations count `counts` times, and fade by the share of the block. */
static void take_pair(struct rest_statistics *rest, size_t r, size_t s, double share,
                      double counts) {
  const size_t n = rest->n, pair = rest_pair(r, s);
  const double *of_r = rest->dy + r * n, *of_s = rest->dy + s * n;
  double *YY = rest->YY + pair * n * n, *Yz = rest->Yz + pair * n;
  small_scale(n * n, 1.0 - share, YY);
  small_scale(n, 1.0 - share, Yz);
  small_rank_one(n, n, share * counts, of_r, of_s, YY, n);
  small_add(n, share * counts * rest->dz[s], of_r, Yz);
  if (r != s) {
    small_rank_one(n, n, share * counts, of_s, of_r, YY, n);
    small_add(n, share * counts * rest->dz[r], of_s, Yz);
  }
  blend(&rest->residual[pair], counts * rest->e[r] * rest->e[s], share);
}

/* The weight of a block: 1 for noise, less beyond the bound, 0 far beyond it. */
static double weight_of(struct rest_statistics *rest, const double *Omega, double bound) {
  double squared = 0.0;
  for (size_t r = 0; r < rest->rows; r++) {
    for (size_t s = rest_first(r); s <= r; s++) {
      /* Mahalanobis, over the lower triangle */
      squared += (s < r ? 2.0 : 1.0) * rest->e[r] * Omega[rest_pair(r, s)] * rest->e[s];
    }
  }
  /* one strange block is an outlier, many are a change */
  rest->strange = squared > bound ? rest->strange + 1 : 0;
  return squared <= bound ? 1.0 : squared <= FAR_BEYOND * bound ? bound / squared : 0.0;
}

/* Deviations from the mean before and from that after the block multiply to unbiased moments
 * (Welford); they differ by 1 - 1/blocks. */
static void take_block(struct rest_statistics *rest, double weight) {
  rest->blocks++;
  rest->weight = fmin(rest->weight + 1.0, REST_MEMORY);
  const double share = 1.0 / rest->weight, brought = 1.0 / (double)rest->blocks,
               counts = (1.0 - brought) * weight;
  small_add(rest->rows * rest->n, brought, rest->dy, rest->mean_Y);
  small_add(rest->rows, brought, rest->dz, rest->mean_z);
  for (size_t r = 0; r < rest->rows; r++) {
    const double e_after = (1.0 - brought) * sqrt(weight) * rest->e[r];
    if (rest->blocks > 2) {
      blend(&rest->lagged[r], e_after * rest->last_e[r], share);
    }
    rest->last_e[r] = e_after;
    for (size_t s = rest_first(r); s <= r; s++) {
      take_pair(rest, r, s, share, counts);
    }
  }
}

void rest_statistics_take(struct rest_statistics *rest, const double *Y, const double *z,
                          size_t rows, const double *pi, const double *Omega, double bound) {
  if (rows != rest->moment_rows || rest->strange >= STRANGE_BLOCKS) {
    forget(rest, rows);
  }
  if (rest->blocks == 0) { /* the first of this rest */
    rest->rows = rows;
    rest->blocks = 1;
    memcpy(rest->mean_Y, Y, rows * rest->n * sizeof(double));
    memcpy(rest->mean_z, z, rows * sizeof(double));
    return;
  }
  deviate(rest, Y, z, pi);
  const double weight = rest_statistics_know(rest, rows) ? weight_of(rest, Omega, bound) : 1.0;
  if (weight > 0.0) {
    take_block(rest, weight);
  }
}

bool rest_statistics_know(const struct rest_statistics *rest, size_t rows) {
  return rows == rest->moment_rows && rest->weight >= REST_ENOUGH;
}

/* (1 + rho)/(1 - rho): noise whose correlation falls by rho from block to block. */
double rest_statistics_length(const struct rest_statistics *rest, size_t r) {
  const double variance = rest->residual[rest_pair(r, r)];
  const double rho = variance > 0.0 ? rest->lagged[r] / variance : 0.0;
  const double bounded = fmax(0.0, fmin(MOST_CORRELATED, rho));
  return fmin(REST_LONGEST, (1.0 + bounded) / (1.0 - bounded));
}

double rest_statistics_doubt(const struct rest_statistics *rest) {
  double longest = 1.0;
  for (size_t r = 0; r < rest->moment_rows; r++) {
    longest = fmax(longest, rest_statistics_length(rest, r));
  }
  return sqrt(2.0 * longest / fmax(rest->weight, 1.0));
}

bool rest_statistics_noise(const struct rest_statistics *rest, const double *Omega, size_t rows,
                           double *YtWY, double *YtWz) {
  const size_t n = rest->n;
  if (!rest_statistics_know(rest, rows)) {
    return false;
  }
  memset(YtWY, 0, rest->n * rest->n * sizeof(*YtWY));
  memset(YtWz, 0, rest->n * sizeof(*YtWz));
  for (size_t r = 0; r < rows; r++) {
    for (size_t s = rest_first(r); s <= r; s++) {
      const size_t pair = rest_pair(r, s);
      small_add(n * n, Omega[pair], rest->YY + pair * n * n, YtWY);
      small_add(n, Omega[pair], rest->Yz + pair * n, YtWz);
    }
  }
  return true;
}
