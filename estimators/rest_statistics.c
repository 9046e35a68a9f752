#include "rest_statistics.h"

#include <math.h>
#include <string.h>

enum status rest_statistics_init(struct rest_statistics *rest, size_t n, struct arena *arena) {
  *rest = (struct rest_statistics){.n = n};
  rest->mean_Y = ARENA_ARRAY(arena, double, INERTIAL_MAX_ROWS *n);
  rest->mean_z = ARENA_ARRAY(arena, double, INERTIAL_MAX_ROWS);
  rest->YY = ARENA_ARRAY(arena, double, INERTIAL_MAX_ROWS *n *n);
  rest->Yz = ARENA_ARRAY(arena, double, INERTIAL_MAX_ROWS *n);
  return arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

void rest_statistics_copy(struct rest_statistics *rest, const struct rest_statistics *from) {
  const size_t n = rest->n;
  rest->blocks = 0;
  rest->weight = from->weight;
  rest->moment_rows = from->moment_rows;
  memcpy(rest->YY, from->YY, INERTIAL_MAX_ROWS * n * n * sizeof(*rest->YY));
  memcpy(rest->Yz, from->Yz, INERTIAL_MAX_ROWS * n * sizeof(*rest->Yz));
  memcpy(rest->zz, from->zz, sizeof(rest->zz));
  memcpy(rest->residual, from->residual, sizeof(rest->residual));
}

void rest_statistics_begin(struct rest_statistics *rest) {
  rest->blocks = 0;
}

static void forget(struct rest_statistics *rest, size_t rows) {
  rest->blocks = 0;
  rest->weight = 0.0;
  rest->moment_rows = rows;
}

/* mean += (sample - mean)/blocks; old and new deviation multiply to an unbiased moment (Welford).
 */
static double deviate(double *mean, double sample, double blocks, double *after) {
  const double before = sample - *mean;
  *mean += before / blocks;
  *after = sample - *mean;
  return before;
}

/* moment += (product - moment) share */
static void blend(double *moment, double product, double share) {
  *moment += share * (product - *moment);
}

static void take_row(struct rest_statistics *rest, size_t r, const double *y, double z,
                     const double *pi, double share) {
  const size_t n = rest->n;
  const double blocks = (double)rest->blocks;
  double before[INERTIAL_MAX_LINKS * INERTIA_PARAMETERS],
      after[INERTIAL_MAX_LINKS * INERTIA_PARAMETERS];
  double z_after;
  const double z_before = deviate(&rest->mean_z[r], z, blocks, &z_after);
  double e_before = z_before, e_after = z_after;
  for (size_t i = 0; i < n; i++) {
    before[i] = deviate(&rest->mean_Y[r * n + i], y[i], blocks, &after[i]);
    e_before -= before[i] * pi[i];
    e_after -= after[i] * pi[i];
  }
  double *YY = rest->YY + r * n * n, *Yz = rest->Yz + r * n;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) { /* before and after are parallel: the product is symmetric */
      blend(&YY[i * n + j], before[i] * after[j], share);
    }
    blend(&Yz[i], before[i] * z_after, share);
  }
  blend(&rest->zz[r], z_before * z_after, share);
  blend(&rest->residual[r], e_before * e_after, share);
}

void rest_statistics_take(struct rest_statistics *rest, const struct inertial_rows *rows,
                          const double *pi) {
  if (rows->n != rest->moment_rows) {
    forget(rest, rows->n);
  }
  if (rest->blocks == 0) {
    rest->rows = rows->n;
    memcpy(rest->mean_Y, rows->Y, rows->n * rest->n * sizeof(double));
    memcpy(rest->mean_z, rows->z, rows->n * sizeof(double));
    rest->blocks = 1;
    return;
  }
  rest->blocks++;
  rest->weight = fmin(rest->weight + 1.0, REST_MEMORY);
  for (size_t r = 0; r < rows->n; r++) {
    take_row(rest, r, rows->Y + r * rest->n, rows->z[r], pi, 1.0 / rest->weight);
  }
}

bool rest_statistics_noise(const struct rest_statistics *rest, const double *R, size_t rows,
                           double *YtWY, double *YtWz) {
  const size_t n = rest->n;
  if (rows != rest->moment_rows || rest->weight < REST_ENOUGH) {
    return false;
  }
  memset(YtWY, 0, n * n * sizeof(*YtWY));
  memset(YtWz, 0, n * sizeof(*YtWz));
  for (size_t r = 0; r < rows; r++) {
    for (size_t i = 0; i < n * n; i++) {
      YtWY[i] += rest->YY[r * n * n + i] / R[r];
    }
    for (size_t i = 0; i < n; i++) {
      YtWz[i] += rest->Yz[r * n + i] / R[r];
    }
  }
  return true;
}
