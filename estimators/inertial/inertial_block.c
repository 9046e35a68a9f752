#include "inertial/inertial_filter_parts.h"

#include "inertial/inertial_update.h"
#include "numerics/chi_square.h"

#include <math.h>

enum { TEN = INERTIA_PARAMETERS };

/* -- rows and their noise --------------------------------------------------------------------- */

static double least_noise(const struct inertial_filter_settings *s, size_t row) {
  switch (robot_row_kind(row)) {
  case ROBOT_ROW_MOMENT:
    return s->moment_noise;
  case ROBOT_ROW_FORCE:
    return s->force_noise;
  case ROBOT_ROW_JOINT:
    break;
  }
  return s->torque_noise;
}

/* The block's noise: at least the settings', and what was learned at rest. */
static void set_noise(struct inertial_filter *filter) {
  const struct row_block *block = &filter->block;
  double variance[INERTIAL_MAX_ROWS];
  for (size_t r = 0; r < block->rows; r++) {
    /* the settings' floor, and what friction leaves uncertain */
    const double least = least_noise(&filter->settings, block->row[r]);
    variance[r] = least * least + block->friction[r] * block->friction[r];
  }
  /* with what was learned at rest */
  row_noise_set(&filter->noise, variance, block->rows, &filter->rest, filter->settings.noise_gain);
  row_noise_set_bias(&filter->noise, &filter->rest,
                     filter->bias.calibrated_s / filter->settings.block_s);
  /* the slow detector's noise lasts longer than a block */
  for (size_t r = 0; r < block->rows; r++) {
    variance[r] *= INERTIAL_SLOWER;
  }
  row_noise_set(&filter->lasting, variance, block->rows, &filter->rest,
                filter->settings.noise_gain);
}

/* -- what a block does ------------------------------------------------------------------------ */

static void swap(struct row_block *a, struct row_block *b) {
  const struct row_block kept = *a;
  *a = *b;
  *b = kept;
}

static void flat_estimate(const struct inertial_filter *filter, double *pi) {
  for (size_t k = 0; k < filter->n_links; k++) {
    inertia_to(&filter->core.pi[k], pi + TEN * k);
  }
}

/* Delays are told when known to this, s. */
static const double DELAY_WORST = 1e-3;

void inertial_block_break(struct inertial_filter *filter) {
  misalignment_break(&filter->misalignment);
  misalignment_break(&filter->torque_misalignment);
}

/* One row of the block, in units of its noise. */
static void sample_row(const struct inertial_filter *filter, const double *residual, size_t r,
                       struct misalignment_sample *sample, size_t at) {
  const struct row_block *block = &filter->block;
  const double noise = least_noise(&filter->settings, block->row[r]);
  /* residual, force and its slope */
  sample->residual[at] = residual[r] / noise;
  sample->force[at] = block->force[r] / noise;
  sample->rate[at] = block->rate[r];
}

/* The block's rows that depend on the wrenches' stamps alone, and those that depend on the
 * torques'; returns how many rows there may be of the latter. */
static size_t sample_rows(const struct inertial_filter *filter, struct misalignment_sample *wrench,
                          struct misalignment_sample *torque) {
  const struct row_block *block = &filter->block;
  double pi[INERTIAL_MAX_LINKS * TEN], residual[INERTIAL_MAX_ROWS];
  flat_estimate(filter, pi);
  row_block_residual(block, pi, residual);
  for (size_t k = 0; k < INERTIAL_MAX_ROWS; k++) {
    wrench->force[k] = torque->force[k] = (double)NAN; /* until there is one */
  }
  for (size_t r = 0; r < block->rows; r++) {
    /* base rows speak of the wrenches' stamps, some joints' of the torques' */
    const int k = inertial_measurement_torque_only(&filter->measurement, block->row[r]);
    if (block->row[r] < ROBOT_BASE_ROWS) {
      sample_row(filter, residual, r, wrench, block->row[r]);
    } else if (k >= 0) {
      sample_row(filter, residual, r, torque, (size_t)k);
    }
  }
  return filter->measurement.n_joints;
}

static struct inertial_delay delay_of(const struct misalignment *misalignment) {
  struct inertial_delay delay = {.known = false};
  delay.known = misalignment_delay(misalignment, DELAY_WORST, &delay.s, &delay.sd_s);
  return delay;
}

/* Residuals against the slopes of the measured forces. */
static void note_delay(struct inertial_filter *filter) {
  struct misalignment_sample wrench, torque;
  if (!filter->settings.core.memory) {
    return; /* a load that varies all the time looks like a delay */
  }
  const size_t joints = sample_rows(filter, &wrench, &torque);
  const double dt = filter->block.time;
  /* each against its own slopes */
  misalignment_step(&filter->misalignment, dt, &wrench, ROBOT_BASE_ROWS);
  misalignment_step(&filter->torque_misalignment, dt, &torque, joints);
  filter->result.delay = delay_of(&filter->misalignment);
  filter->result.torque_delay = delay_of(&filter->torque_misalignment);
}

/* The mean residual of the first second becomes the bias: cables, and all that the model misses. */
static void calibrate(struct inertial_filter *filter) {
  double pi[INERTIAL_MAX_LINKS * TEN], residual[INERTIAL_MAX_ROWS];
  flat_estimate(filter, pi);
  row_block_residual(&filter->block, pi, residual);
  row_bias_calibrate(&filter->bias, &filter->block, residual);
  /* a residual as large as a load is no bias */
  if (filter->bias.calibrated_s >= filter->settings.calibration_s) {
    filter->result.calibrated = row_bias_is_credible(&filter->bias, filter->settings.bias_force,
                                                     filter->settings.bias_moment);
  }
}

bool inertial_block_rests(const struct inertial_filter *filter) {
  return filter->still_s >= filter->settings.rest_s;
}

static void note_rest(struct inertial_filter *filter) {
  if (filter->block.fastest > filter->settings.rest_rate) {
    filter->still_s = 0.0;
    return;
  }
  /* statistics begin with the rest */
  const bool before = inertial_block_rests(filter);
  filter->still_s += filter->block.time;
  if (!before && inertial_block_rests(filter)) {
    rest_statistics_begin(&filter->rest);
  }
}

/* A block at rest teaches what is noise. False for half a second in which too little is known to
 * tell noise from a change: such blocks teach, and are not used. */
static bool learn_noise(struct inertial_filter *filter) {
  const struct row_block *block = &filter->block;
  const bool known = rest_statistics_know(&filter->rest, block->rows);
  double pi[INERTIAL_MAX_LINKS * TEN];
  flat_estimate(filter, pi);
  rest_statistics_take(&filter->rest, block->Y, block->z, block->rows, pi, filter->noise.Omega,
                       chi_square_bound(block->rows, filter->settings.gate_quantile));
  return known;
}

/* The block as white rows; at rest with the regressor's mean over the rest. */
static struct inertial_rows block_rows(struct inertial_filter *filter) {
  const struct row_block *block = &filter->block;
  if (inertial_block_rests(filter)) {
    return row_noise_whiten(&filter->noise, filter->rest.mean_Y, block->z);
  }
  struct inertial_rows rows = row_noise_whiten(&filter->noise, block->Y, block->z);
  if (filter->settings.correct_regressor &&
      rest_statistics_noise(&filter->rest, filter->noise.Omega, rows.n, filter->YtWY,
                            filter->YtWz)) {
    rows.YtWY = filter->YtWY;
    rows.YtWz = filter->YtWz;
    rows.doubt = rest_statistics_doubt(&filter->rest);
  }
  return rows;
}

/* A force sensor that creeps while the robot stands must not become mass. */
static void follow_creep(struct inertial_filter *filter) {
  double pi[INERTIAL_MAX_LINKS * TEN], residual[INERTIAL_MAX_ROWS];
  flat_estimate(filter, pi);
  row_block_residual(&filter->block, pi, residual);
  row_bias_creep(&filter->bias, &filter->block, residual, filter->settings.creep_force,
                 filter->settings.creep_moment);
}

/* The weight of rows with this innovation; 0 leaves them out. @eq Foster24 22
 * @differs Foster24 22: by default they are weighed down instead, and the bound is chi-square's */
static double weight_of(struct inertial_filter *filter, double nis, size_t rows) {
  /* within the bound: used as it is */
  const double bound = chi_square_bound(rows, filter->settings.gate_quantile);
  if (nis <= bound || filter->settings.gate == INERTIAL_GATE_NONE) {
    return 1.0;
  }
  /* beyond it: left out, or as much as the bound allows */
  if (filter->settings.gate == INERTIAL_GATE_HARD) {
    filter->result.counters.gated++;
    return 0.0;
  }
  filter->result.counters.weighed_down++;
  return sqrt(bound / nis);
}

/* True when the rows are to be used: standing still, only until they say nothing new. */
static bool is_worth_it(struct inertial_filter *filter, double gain) {
  filter->settled =
      inertial_block_rests(filter) && (filter->settled || gain < filter->settings.least_gain);
  if (!filter->settled) {
    return true;
  }
  filter->result.counters.passed_over++;
  follow_creep(filter);
  return false;
}

/* A change that noise hides for a while: over a longer window, in which noise averages down and
 * what the model misses does not. */
static bool is_slowly_changed(struct inertial_filter *filter) {
  const double *Y = inertial_block_rests(filter) ? filter->rest.mean_Y : filter->block.Y;
  const struct inertial_rows rows = row_noise_whiten(&filter->lasting, Y, filter->block.z);
  double nis, gain;
  return filter->settings.detector_window > 0 &&
         inertial_core_innovation(&filter->core, &rows, &nis, &gain) == STATUS_OK &&
         change_detector_step(&filter->slow, filter->core.white, rows.n, NULL);
}

static bool is_changed(struct inertial_filter *filter, size_t rows) {
  return filter->settings.detector_window > 0 &&
         change_detector_step(&filter->detector, filter->core.white, rows,
                              &filter->result.detector);
}

/* What a load that came or went leaves is no delay. */
static bool is_suddenly_changed(struct inertial_filter *filter, size_t rows) {
  if (filter->settings.detector_window == 0 ||
      sudden_change_step(&filter->sudden, filter->core.white, rows) <= 1.0) {
    return false;
  }
  inertial_block_break(filter);
  return true;
}

static void reopen(struct inertial_filter *filter) {
  /* detectors and statistics begin again; the estimate is wide open */
  sudden_change_reset(&filter->sudden);
  change_detector_reset(&filter->detector);
  change_detector_reset(&filter->slow);
  inertial_core_reopen(&filter->core, &filter->settings.change);
  rest_statistics_begin(&filter->rest);
  filter->settled = false;
  filter->result.counters.changes++;
}

static void note_gain(struct inertial_filter *filter) {
  const double dt = filter->block.time, share = fmin(1.0, dt / INERTIAL_GAIN_TIME);
  filter->result.gain += share * (filter->information / dt - filter->result.gain);
  observability_take(&filter->observability, &filter->core, &filter->rows, dt);
}

/* -- the steps -------------------------------------------------------------------------------- */

/* One step a cycle, when a block lasts long enough; all at once otherwise.
 *
 *   stage     what it does                                            goes on with
 *   IDLE      waits for the next block, or half of one
 *   HALF      the half's noise                                        SUDDEN; IDLE till two halves
 *   SUDDEN    looks for a large change in the half                    BEGIN if found, else PREPARE
 *   PREPARE   at rest learns the noise, else lets parameters drift    DETECT; IDLE while learning
 *   DETECT    looks for a small change over the longer window         TEST
 *   TEST      innovation against the estimate; reopens it on a change BEGIN
 *   BEGIN     weighs the rows, leaves out what brings nothing         UPDATE or IDLE
 *   UPDATE    one Newton step                                         UPDATE or FINISH
 *   FINISH    takes the estimate over                                 IDLE */

static bool is_calibrating(const struct inertial_filter *filter) {
  return filter->bias.calibrated_s < filter->settings.calibration_s;
}

/* A whole block, from its first step on. */
static enum inertial_stage complete_block(struct inertial_filter *filter) {
  note_rest(filter);
  filter->result.counters.blocks++;
  if (is_calibrating(filter)) {
    calibrate(filter);
    filter->result.state = INERTIAL_CALIBRATING;
    return INERTIAL_IDLE;
  }
  filter->result.state = inertial_block_rests(filter) ? INERTIAL_RESTING : INERTIAL_RUNNING;
  return INERTIAL_PREPARE;
}

/* The second half of a block makes it whole, the first waits for the second. */
static enum inertial_stage join_halves(struct inertial_filter *filter) {
  if (filter->waiting.count > 0 && row_block_join(&filter->block, &filter->waiting)) {
    row_block_empty(&filter->waiting);
    return complete_block(filter);
  }
  swap(&filter->block, &filter->waiting);
  return INERTIAL_IDLE;
}

/* True when enough is known to tell a change from noise. */
static bool can_be_tested(const struct inertial_filter *filter) {
  return !is_calibrating(filter) &&
         (!inertial_block_rests(filter) || rest_statistics_know(&filter->rest, filter->block.rows));
}

static enum inertial_stage half_block(struct inertial_filter *filter) {
  if (!can_be_tested(filter)) {
    return join_halves(filter);
  }
  set_noise(filter);
  return INERTIAL_SUDDEN;
}

/* Goes on with rows whose innovation is known; `changed`: it is taken anew. */
static enum inertial_stage use_rows(struct inertial_filter *filter, enum status status,
                                    bool changed) {
  if (changed) {
    reopen(filter);
    status =
        inertial_core_innovation(&filter->core, &filter->rows, &filter->nis, &filter->information);
  }
  note_delay(filter);
  if (status != STATUS_OK) {
    filter->result.counters.rejected++;
    return INERTIAL_IDLE;
  }
  filter->result.nis = filter->nis / (double)filter->rows.n;
  return INERTIAL_BEGIN;
}

/* After a sudden change only the half that has all of it is used. */
static enum inertial_stage detect_sudden_change(struct inertial_filter *filter) {
  /* innovation of the half against the estimate */
  filter->rows = block_rows(filter);
  const enum status status =
      inertial_core_innovation(&filter->core, &filter->rows, &filter->nis, &filter->information);
  if (status != STATUS_OK || !is_suddenly_changed(filter, filter->rows.n)) {
    return join_halves(filter);
  }
  row_block_empty(&filter->waiting);
  note_rest(filter);
  filter->result.counters.blocks++;
  return use_rows(filter, status, true);
}

static enum inertial_stage prepare_noise(struct inertial_filter *filter) {
  set_noise(filter);
  if (!inertial_block_rests(filter)) {
    inertial_core_predict(&filter->core, filter->block.time);
  } else if (!learn_noise(filter)) {
    note_delay(filter);
    return INERTIAL_IDLE;
  }
  return INERTIAL_DETECT;
}

static enum inertial_stage detect_slow_change(struct inertial_filter *filter) {
  filter->slowly = is_slowly_changed(filter);
  return INERTIAL_TEST;
}

static enum inertial_stage test_innovation(struct inertial_filter *filter) {
  filter->rows = block_rows(filter);
  const size_t rows = filter->rows.n;
  const enum status status =
      inertial_core_innovation(&filter->core, &filter->rows, &filter->nis, &filter->information);
  const bool changed =
      status == STATUS_OK && (is_changed(filter, rows) || filter->slowly ||
                              (!filter->halved && is_suddenly_changed(filter, rows)));
  return use_rows(filter, status, changed);
}

static enum inertial_stage begin_update(struct inertial_filter *filter) {
  note_gain(filter);
  if (!is_worth_it(filter, filter->information)) {
    return INERTIAL_IDLE;
  }
  /* outliers weigh less */
  const double weight = weight_of(filter, filter->nis, filter->rows.n);
  if (weight == 0.0) {
    return INERTIAL_IDLE;
  }
  if (inertial_core_begin(&filter->core, &filter->rows, weight) != STATUS_OK) {
    filter->result.counters.rejected++;
    return INERTIAL_IDLE;
  }
  return INERTIAL_UPDATE;
}

static enum inertial_stage iterate_update(struct inertial_filter *filter) {
  return inertial_core_iterate(&filter->core) ? INERTIAL_UPDATE : INERTIAL_FINISH;
}

static enum inertial_stage finish_update(struct inertial_filter *filter) {
  if (inertial_core_finish(&filter->core) != STATUS_OK) {
    filter->result.counters.rejected++;
    return INERTIAL_IDLE;
  }
  filter->result.counters.updates++;
  filter->result.source = INERTIAL_FROM_SENSORS;
  filter->result.snapshot++;
  filter->is_new = true;
  return INERTIAL_IDLE;
}

static enum inertial_stage next(struct inertial_filter *filter) {
  switch (filter->stage) {
  case INERTIAL_IDLE:
    break;
  case INERTIAL_HALF:
    return half_block(filter);
  case INERTIAL_SUDDEN:
    return detect_sudden_change(filter);
  case INERTIAL_PREPARE:
    return prepare_noise(filter);
  case INERTIAL_DETECT:
    return detect_slow_change(filter);
  case INERTIAL_TEST:
    return test_innovation(filter);
  case INERTIAL_BEGIN:
    return begin_update(filter);
  case INERTIAL_UPDATE:
    return iterate_update(filter);
  case INERTIAL_FINISH:
    return finish_update(filter);
  }
  return INERTIAL_IDLE;
}

void inertial_block_work(struct inertial_filter *filter, bool spread) {
  const int most = spread ? 1 : INERTIAL_STEPS;
  for (int i = 0; i < most && filter->stage != INERTIAL_IDLE; i++) {
    filter->stage = next(filter);
  }
}

bool inertial_block_is_spread(const struct inertial_filter *filter, double dt) {
  const double cycle = filter->settings.cycle_s > 0.0 ? filter->settings.cycle_s : dt;
  return filter->settings.block_s >= INERTIAL_STEPS * cycle;
}

/* Half a block, or what it lacks to be whole; what is worked on may take longer, but not by more
 * than a block. */
static bool is_time(const struct inertial_filter *filter, double dt) {
  const double block = filter->settings.block_s, filled = filter->filling.time + 0.5 * dt;
  if (filter->filling.count == 0) {
    return false;
  }
  if (!filter->halved || filled >= block) {
    return filled >= block;
  }
  return filter->stage == INERTIAL_IDLE &&
         filled + filter->waiting.time >= (filter->waiting.count > 0 ? block : 0.5 * block);
}

void inertial_block_take(struct inertial_filter *filter, double dt) {
  filter->halved = inertial_block_is_spread(filter, dt);
  if (!is_time(filter, dt)) {
    return;
  }
  /* what was under way is finished first */
  inertial_block_work(filter, false); /* never two at a time */
  /* the filled block is worked on, the other one fills */
  swap(&filter->filling, &filter->block);
  row_block_empty(&filter->filling);
  row_block_average(&filter->block);
  filter->stage = filter->halved ? INERTIAL_HALF : complete_block(filter);
  if (!filter->halved) {
    inertial_block_work(filter, false);
  }
}

void inertial_block_empty(struct inertial_filter *filter) {
  row_block_empty(&filter->filling);
  row_block_empty(&filter->waiting);
  filter->stage = INERTIAL_IDLE;
}
