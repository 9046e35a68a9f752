#include "identify/fit/weighed_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Share of a joint's torque: no drive is known better. */
static const double LEAST_NOISE = 1e-4;

enum status weighed_rows_init(struct weighed_rows *w, const struct row_set *rows, size_t n,
                              size_t first, size_t last) {
  *w = (struct weighed_rows){.rows = rows, .n = n, .first = first, .last = last};
  if (last < first + FIT_BLOCKS) {
    return STATUS_TOO_FEW;
  }
  const size_t count = rows->n_channels * FIT_BLOCKS;
  w->triangle = calloc(count, sizeof(*w->triangle));
  enum status status = w->triangle != NULL ? STATUS_OK : STATUS_NO_MEMORY;
  for (size_t i = 0; i < count && status == STATUS_OK; i++) {
    status = triangle_init(&w->triangle[i], rows->channel[i / FIT_BLOCKS].n_columns);
  }
  for (size_t j = 0; j < rows->n_channels; j++) {
    w->noise[j] = 1.0;
  }
  if (status != STATUS_OK) {
    weighed_rows_free(w);
  }
  return status;
}

void weighed_rows_free(struct weighed_rows *w) {
  for (size_t i = 0; w->triangle != NULL && i < w->rows->n_channels * FIT_BLOCKS; i++) {
    triangle_free(&w->triangle[i]);
  }
  free(w->triangle);
  *w = (struct weighed_rows){0};
}

static size_t block_of(const struct weighed_rows *w, size_t k) {
  return (k - w->first) * FIT_BLOCKS / (w->last - w->first);
}

/* Of a squared residual. */
static double huber_weight(double residual, double limit) {
  return fabs(residual) > limit ? limit / fabs(residual) : 1.0;
}

void weighed_rows_fold(struct weighed_rows *w, const double *x, double huber) {
  for (size_t i = 0; i < w->rows->n_channels * FIT_BLOCKS; i++) {
    triangle_clear(&w->triangle[i]);
  }
  for (size_t j = 0; j < w->rows->n_channels; j++) {
    const struct channel_rows *joint = &w->rows->channel[j];
    size_t light = 0;
    w->used[j] = 0;
    for (size_t k = w->first; k < w->last; k++) {
      if (!row_moves(w->rows, j, k)) {
        continue;
      }
      const double weight =
          x != NULL ? huber_weight(row_residual(joint, k, x), huber * w->noise[j]) : 1.0;
      triangle_row(&w->triangle[j * FIT_BLOCKS + block_of(w, k)], joint->Y + k * joint->n_columns,
                   joint->tau[k], sqrt(weight));
      light += weight < 1.0;
      w->used[j]++;
    }
    w->outliers[j] = w->used[j] > 0 ? (double)light / (double)w->used[j] : 0.0;
  }
}

void weighed_rows_noise(struct weighed_rows *w, const double *x, size_t told, double huber) {
  const double each = (double)told / (double)w->rows->n_channels;
  for (size_t j = 0; j < w->rows->n_channels; j++) {
    const struct channel_rows *joint = &w->rows->channel[j];
    double sum = 0.0, torque = 0.0, n = 0.0;
    for (size_t k = w->first; k < w->last; k++) {
      if (row_moves(w->rows, j, k)) {
        torque += joint->tau[k] * joint->tau[k];
        const double rest = row_residual(joint, k, x);
        sum += rest * rest * (huber > 0.0 ? huber_weight(rest, huber * w->noise[j]) : 1.0);
        n += 1.0;
      }
    }
    const double least = LEAST_NOISE * LEAST_NOISE * torque + 1e-18;
    w->noise[j] = sqrt(fmax(sum, least) / fmax(n - each, 1.0));
  }
}

void weighed_rows_equations(struct weighed_rows *w, uint32_t blocks, struct normal_equations *e) {
  for (size_t j = 0; j < w->rows->n_channels; j++) {
    for (size_t b = 0; b < FIT_BLOCKS; b++) {
      if ((blocks >> b & 1) != 0) {
        triangle_add_to(&w->triangle[j * FIT_BLOCKS + b], 1.0 / (w->noise[j] * w->noise[j]),
                        w->rows->channel[j].column, w->n, e->A, e->b, &e->constant);
      }
    }
  }
}
