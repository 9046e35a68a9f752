#include "inertial/row_scatter.h"

#include <math.h>
#include <string.h>

/* Deviations beyond which a residual counts no more. */
static const double CLIP = 4.0;
/* Means after which old ones fade, of the shortest; of longer ones accordingly, but so many. */
static const double MEMORY = 2000.0, LEAST_MEMORY = 16.0;
/* Means that what is expected counts for: of the shortest the told noise, of others the shorter. */
static const double EXPECTED = 3.0;

void row_scatter_reset(struct row_scatter *scatter, double lasts_s) {
  *scatter = (struct row_scatter){.lasts_s = lasts_s};
}

/* By how much noise that lasts as told makes a level's variance larger than that of the one below:
 * means shorter than twice the correlation time hardly average. Before the first sample it is not
 * known how short means are. */
static double growth(const struct row_scatter *scatter, size_t level) {
  const double half = ldexp(scatter->dt, (int)level - 1), lasts = 2.0 * scatter->lasts_s;
  return level == 0 || lasts == 0.0 ? 1.0 : fmax(1.0, fmin(2.0, lasts / half));
}

/* What row r's variance is at a level, begun from the level below. */
static double variance_at(const struct row_scatter *scatter, size_t level, size_t r) {
  double variance = 1.0;
  for (size_t k = 0; k <= level; k++) {
    variance =
        (EXPECTED * growth(scatter, k) * variance + scatter->weight[k] * scatter->variance[k][r]) /
        (EXPECTED + scatter->weight[k]);
  }
  return variance;
}

/* One mean of a level into its variance; `share`: its time over that of a block. Of the first
 * `biased` rows half the square of what it differs by from the one before. */
static void learn(struct row_scatter *scatter, size_t level, const double *mean, size_t biased,
                  double share) {
  const double memory = fmax(LEAST_MEMORY, ldexp(MEMORY, -(int)level));
  const double weight = fmin(memory, scatter->weight[level] + 1.0);
  const double *before = scatter->weight[level] > 0.0 ? scatter->mean[level] : mean;
  for (size_t r = 0; r < scatter->rows; r++) {
    const double apart = r < biased ? sqrt(0.5) * (mean[r] - before[r]) : mean[r],
                 most = CLIP * CLIP * variance_at(scatter, level, r);
    const double squared = fmin(apart * apart * share, most);
    scatter->variance[level][r] += (squared - scatter->variance[level][r]) / weight;
  }
  scatter->weight[level] = weight;
}

void row_scatter_take(struct row_scatter *scatter, const double *residual, size_t rows,
                      size_t biased, double dt, double block_s) {
  double mean[INERTIAL_MAX_ROWS], time = dt;
  if (rows != scatter->rows) {
    row_scatter_reset(scatter, scatter->lasts_s);
    scatter->rows = rows;
  }
  scatter->dt = dt;
  memcpy(mean, residual, rows * sizeof(*mean));
  for (size_t level = 0; level < ROW_SCATTER_LEVELS; level++) {
    double *before = scatter->mean[level];
    learn(scatter, level, mean, biased, time / block_s);
    if (!(scatter->time_s[level] > 0.0)) {
      scatter->time_s[level] = time;
      memcpy(before, mean, rows * sizeof(*mean));
      return;
    }
    /* two means of a level are one of the next */
    const double both = time + scatter->time_s[level];
    for (size_t r = 0; r < rows; r++) {
      const double newest = mean[r];
      mean[r] = (newest * time + before[r] * scatter->time_s[level]) / both;
      before[r] = newest;
    }
    scatter->time_s[level] = 0.0;
    time = both;
  }
}

double row_scatter_ratio(const struct row_scatter *scatter, size_t r) {
  double largest = 1.0;
  for (size_t level = 0; level < ROW_SCATTER_LEVELS; level++) {
    largest = fmax(largest, variance_at(scatter, level, r));
  }
  return largest;
}

double row_scatter_worst(const struct row_scatter *scatter) {
  double worst = 1.0;
  for (size_t r = 0; r < scatter->rows; r++) {
    worst = fmax(worst, row_scatter_ratio(scatter, r));
  }
  return worst;
}
