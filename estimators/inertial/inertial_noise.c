#include "inertial/inertial_noise.h"

#include "numerics/chi_square.h"
#include "numerics/small_matrix.h"

#include <math.h>

enum { FLAT = INERTIAL_MAX_LINKS * INERTIA_PARAMETERS + INERTIAL_MAX_BIASES };

/* Rows follow a creeping residual with this time constant, s, as far as its rate allows. */
static const double CREEP_TIME = 5.0;
/* For about this long, s, a posture lasts. */
static const double POSTURE_TIME = 0.5;
/* Postures come again, and so does what the model is off in them: for this share of the time from
 * which rows are remembered it errs alike. */
static const double AGAIN = 0.5;

/* How far the model of all other links is off in a row, N or N m: a share of how far the force is
 * from where the biases were found. It stays while the posture does. */
static double model_error(const struct inertial_filter *filter, size_t r) {
  const struct row_block *block = &filter->block;
  if (filter->settings.calibration_s == 0.0) {
    return 0.0;
  }
  const double moved =
      block->force[r] - filter->start_force[filter->measurement.slot[block->row[r]]];
  return filter->settings.model_error * moved * sqrt(POSTURE_TIME / filter->settings.block_s);
}

void inertial_noise_set(struct inertial_filter *filter) {
  const struct row_block *block = &filter->block;
  const double lasts =
      inertial_block_rests(filter) ? INERTIAL_REST_USED / filter->settings.block_s : 1.0;
  double variance[INERTIAL_MAX_ROWS];
  for (size_t r = 0; r < block->rows; r++) {
    const double model = model_error(filter, r),
                 least = hypot(filter->row_sd[filter->measurement.slot[block->row[r]]], model);
    /* at rest friction is one error for all blocks that are used */
    variance[r] = least * least + lasts * block->friction[r] * block->friction[r];
    filter->alike[r] = model * model;
  }
  row_noise_set(&filter->noise, variance, block->rows, &filter->rest, filter->settings.noise_gain);
}

bool inertial_block_rests(const struct inertial_filter *filter) {
  return filter->still_s >= filter->settings.rest_s;
}

bool inertial_noise_learn(struct inertial_filter *filter) {
  const struct row_block *block = &filter->block;
  const bool known = rest_statistics_know(&filter->rest, block->rows);
  double flat[FLAT];
  inertial_core_flat(&filter->core, filter->core.x, flat);
  rest_statistics_take(&filter->rest, block->Y, block->z, block->rows, flat, filter->noise.Omega,
                       chi_square_bound(block->rows, filter->settings.gate_quantile));
  return known;
}

/* What the estimate, without its biases, leaves of a block's means: residual [rows] = z - Y pi. */
static void unbiased_residual(const struct inertial_filter *filter, const struct row_block *block,
                              double *residual) {
  double flat[FLAT];
  inertial_core_flat(&filter->core, filter->core.x, flat);
  for (size_t r = 0; r < block->rows; r++) {
    residual[r] = block->z[r] - small_dot(block->n, block->Y + r * block->n, flat);
  }
}

struct measured_rows inertial_measured_rows(struct inertial_filter *filter,
                                            const struct row_block *block) {
  struct measured_rows rows = {.n = block->rows, .Y = block->Y, .z = block->z};
  rows.force = filter->expected;
  rows.friction = block->friction;
  const double alike = fmax(filter->settings.block_s, 2.0 * filter->settings.noise_time);
  double residual[INERTIAL_MAX_ROWS];
  unbiased_residual(filter, block, residual);
  for (size_t r = 0; r < block->rows; r++) {
    filter->expected[r] = block->force[r] - filter->core.noise_share[r] * residual[r];
    inertial_places(filter, block->row[r], &rows.bias[r], &rows.stick[r], &rows.gain[r]);
    rows.noise[r] = filter->row_sd[rows.bias[r]] * sqrt(alike / block->time);
  }
  return rows;
}

struct inertial_rows inertial_noise_rows(struct inertial_filter *filter) {
  const struct row_block *block = &filter->block;
  const bool rests = inertial_block_rests(filter);
  struct measured_rows measured = inertial_measured_rows(filter, block);
  measured.Y = rests ? filter->rest.mean_Y : block->Y;
  struct inertial_rows rows = row_noise_whiten(&filter->noise, &measured);
  for (size_t r = 0; r < rows.n && !rests; r++) {
    filter->noise.R[r] = row_scatter_ratio(&filter->scatter, r);
  }
  return rows;
}

void inertial_noise_remember(struct inertial_filter *filter) {
  struct inertial_rows *rows = &filter->rows;
  const double times = fmax(1.0, AGAIN * filter->opened_s / POSTURE_TIME);
  for (size_t r = 0; r < rows->n && filter->settings.core.memory; r++) {
    const double share = filter->alike[r] / filter->noise.variance[r];
    filter->noise.R[r] = fmax(filter->noise.R[r], 1.0 + (times - 1.0) * share);
  }
  row_noise_widen(&filter->noise);
  if (!inertial_block_rests(filter) && filter->settings.correct_regressor &&
      rest_statistics_noise(&filter->rest, filter->noise.Omega, rows->n, filter->YtWY,
                            filter->YtWz)) {
    rows->YtWY = filter->YtWY;
    rows->YtWz = filter->YtWz;
    rows->doubt = rest_statistics_doubt(&filter->rest);
  }
}

void inertial_noise_learn_scatter(struct inertial_filter *filter) {
  double own[INERTIAL_MAX_ROWS]; /* in units of the told deviation */
  size_t base = 0;               /* rows, which come first */
  for (size_t r = 0; r < filter->rows.n; r++) {
    base += filter->block.row[r] < ROBOT_BASE_ROWS;
    own[r] = filter->core.innovation[r] * sqrt(filter->core.noise_share[r]);
  }
  row_scatter_take(&filter->scatter, own, filter->rows.n, base, filter->block.time,
                   filter->settings.block_s);
}

void inertial_block_residual(const struct inertial_filter *filter, const struct row_block *block,
                             double *residual) {
  const double *x = filter->core.x + filter->n;
  unbiased_residual(filter, block, residual);
  for (size_t r = 0; r < block->rows; r++) {
    size_t bias, stick, gain;
    inertial_places(filter, block->row[r], &bias, &stick, &gain);
    residual[r] -= stick != SIZE_MAX ? block->friction[r] * x[stick] : 0.0;
    residual[r] -= gain != SIZE_MAX ? block->force[r] * x[gain] : 0.0;
    residual[r] = residual[r] / (double)block->count - x[bias];
  }
}

void inertial_noise_follow_creep(struct inertial_filter *filter) {
  const struct inertial_filter_settings *s = &filter->settings;
  const struct row_block *block = &filter->block;
  const double share = fmin(1.0, block->time / CREEP_TIME);
  double residual[INERTIAL_MAX_ROWS];
  inertial_block_residual(filter, block, residual);
  for (size_t r = 0; r < block->rows; r++) {
    const bool is_force = robot_row_is_force(block->row[r]);
    const double most = block->time * (is_force ? s->creep_force : s->creep_moment);
    filter->crept[block->row[r]] += fmax(-most, fmin(most, share * residual[r]));
  }
}
