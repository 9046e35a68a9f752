#include "inertial_filter.h"

#include "change_detector.h"
#include "chi_square.h"
#include "inertial_update.h"
#include "misalignment.h"
#include "observability.h"
#include "rest_statistics.h"
#include "row_bias.h"
#include "row_noise.h"

#include <math.h>
#include <string.h>

enum { TEN = INERTIA_PARAMETERS };

/* An update is spread over cycles when a block has at least this many: one for each iteration, and
 * some to begin and finish. */
enum { CYCLES_TO_SPREAD = INERTIAL_MAX_ITERATIONS + 4 };

/* Small changes are looked for over this many times the detector's window. */
enum { SLOWER = 5 };
/* The gain is a running mean over this, s, and motion counts as present for as long. */
static const double GAIN_TIME = 1.0;
/* Delays are looked for over this, s, and told when known to this, s. */
static const double DELAY_TIME = 5.0, DELAY_WORST = 5e-4, DELAY_LARGEST = 10e-3;

struct inertial_filter {
  struct inertial_filter_settings settings;
  const struct robot *robot;
  size_t n_links, n;
  size_t *link;            /* [n_links] */
  struct inertia *prior;   /* [n_links] */
  struct inertia *nominal; /* [model n_links] */
  struct inertial_measurement measurement;
  struct inertial_core core;
  struct rest_statistics rest;
  struct row_noise noise, lasting; /* of a block; if what the model misses did not average down */
  struct observability observability;
  struct change_detector detector, slow; /* of large changes, and of small ones */
  struct misalignment misalignment;
  double prior_sd[INERTIAL_MAX_LINKS][TEN]; /* of the state's coordinates */

  struct row_block block;
  struct row_bias bias;

  double blank_left_s, still_s;
  bool settled; /* at rest, and nothing new has been said for a while */
  bool retell;  /* the estimate or its covariance has changed */
  double *YtWY, *YtWz;
  struct inertial_result result;
};

/* --- start --- */

static void carve(struct inertial_filter *filter, struct arena *arena) {
  const size_t n = filter->n;
  filter->link = ARENA_ARRAY(arena, size_t, filter->n_links);
  filter->prior = ARENA_ARRAY(arena, struct inertia, filter->n_links);
  filter->nominal = ARENA_ARRAY(arena, struct inertia, filter->robot->model.n_links);
  filter->YtWY = ARENA_ARRAY(arena, double, n *n);
  filter->YtWz = ARENA_ARRAY(arena, double, n);
}

static size_t slow_window(const struct inertial_filter_settings *settings) {
  const size_t window = SLOWER * settings->detector_window;
  return window < CHANGE_DETECTOR_MAX_WINDOW ? window : CHANGE_DETECTOR_MAX_WINDOW;
}

static enum status init_parts(struct inertial_filter *filter, const size_t *link,
                              const struct inertia *prior, struct arena *arena) {
  const struct inertial_filter_settings *settings = &filter->settings;
  enum status status = STATUS_OK;
  if (settings->detector_window > 0) {
    status = change_detector_init(&filter->detector, settings->detector_window,
                                  settings->detector_clip, settings->detector_quantile);
    if (status == STATUS_OK) {
      status = change_detector_init(&filter->slow, slow_window(settings), settings->detector_clip,
                                    settings->detector_quantile);
    }
  }
  if (status == STATUS_OK) {
    status = inertial_measurement_init(&filter->measurement, filter->robot, link, filter->n_links,
                                       arena);
  }
  if (status == STATUS_OK) {
    status = inertial_core_init(&filter->core, &settings->core, prior, filter->n_links, arena);
  }
  if (status == STATUS_OK) {
    status = row_block_init(&filter->block, filter->n, arena);
  }
  if (status == STATUS_OK) {
    status = rest_statistics_init(&filter->rest, filter->n, arena);
  }
  if (status == STATUS_OK) {
    status = row_noise_init(&filter->noise, filter->n, arena);
  }
  if (status == STATUS_OK) {
    status = row_noise_init(&filter->lasting, filter->n, arena);
  }
  if (status == STATUS_OK) {
    status = observability_init(&filter->observability, filter->n_links, GAIN_TIME, arena);
  }
  return status;
}

enum status inertial_filter_init(struct inertial_filter **out, const struct robot *robot,
                                 const struct inertial_filter_settings *settings,
                                 const size_t *link, size_t n_links, const struct inertia *prior,
                                 struct arena *arena) {
  if (n_links == 0 || n_links > INERTIAL_MAX_LINKS) {
    return STATUS_BAD_ARGUMENT;
  }
  if (!inertial_filter_settings_are_sound(settings)) {
    return STATUS_OUT_OF_RANGE;
  }
  struct inertia from_model[INERTIAL_MAX_LINKS];
  for (size_t k = 0; k < n_links; k++) {
    if (link[k] >= robot->model.n_links) {
      return STATUS_BAD_ARGUMENT;
    }
    from_model[k] = prior != NULL ? prior[k] : robot->model.inertia[link[k]];
  }
  struct inertial_filter *filter = ARENA_ARRAY(arena, struct inertial_filter, 1);
  struct inertial_filter counting = {.n = 0};
  filter = filter != NULL ? filter : &counting;
  *filter = (struct inertial_filter){
      .settings = *settings, .robot = robot, .n_links = n_links, .n = TEN * n_links};
  carve(filter, arena);
  const enum status status = init_parts(filter, link, from_model, arena);
  if (status != STATUS_OK || arena_is_counting(arena)) {
    return status;
  }
  if (arena->failed) {
    return STATUS_NO_MEMORY;
  }
  memcpy(filter->link, link, n_links * sizeof(*link));
  memcpy(filter->prior, from_model, n_links * sizeof(*from_model));
  memcpy(filter->nominal, robot->model.inertia, robot->model.n_links * sizeof(struct inertia));
  inertial_filter_reset(filter);
  *out = filter;
  return STATUS_OK;
}

void inertial_filter_reset(struct inertial_filter *filter) {
  inertial_core_reset(&filter->core, filter->prior); /* was accepted by init */
  change_detector_reset(&filter->detector);
  change_detector_reset(&filter->slow);
  misalignment_init(&filter->misalignment, DELAY_TIME, DELAY_LARGEST);
  observability_reset(&filter->observability);
  rest_statistics_begin(&filter->rest);
  row_block_empty(&filter->block);
  row_bias_reset(&filter->bias);
  filter->blank_left_s = filter->still_s = 0.0;
  filter->settled = false;
  filter->retell = true;
  const uint64_t snapshot = filter->result.snapshot;
  filter->result = (struct inertial_result){.n_links = filter->n_links, .snapshot = snapshot + 1};
  for (size_t k = 0; k < filter->n_links; k++) {
    filter->result.link[k].link = filter->link[k];
    filter->result.link[k].published = filter->prior[k];
    for (size_t i = 0; i < TEN; i++) {
      const size_t at = TEN * k + i;
      filter->prior_sd[k][i] = sqrt(filter->core.P[at * filter->n + at]);
    }
  }
}

/* --- rows and their noise --- */

/* The fastest of the joints and of the base, rad/s (m/s of slides count as rad/s). */
static double fastest_rate(const struct kinematics *kin) {
  double fastest = vec3_norm(kin->base.v_B.ang);
  for (size_t j = 0; j < kin->model->n_joints; j++) {
    fastest = fmax(fastest, fabs(kin->dq[j]));
  }
  return fastest;
}

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
    const double least = least_noise(&filter->settings, block->row[r]);
    variance[r] = least * least + block->friction[r] * block->friction[r];
  }
  row_noise_set(&filter->noise, variance, block->rows, &filter->rest, filter->settings.noise_gain);
  row_noise_set_bias(&filter->noise, &filter->rest,
                     filter->bias.calibrated_s / filter->settings.block_s);
  for (size_t r = 0; r < block->rows; r++) {
    variance[r] *= SLOWER;
  }
  row_noise_set(&filter->lasting, variance, block->rows, &filter->rest,
                filter->settings.noise_gain);
}

/* --- what a block does --- */

static void flat_estimate(const struct inertial_filter *filter, double *pi) {
  for (size_t k = 0; k < filter->n_links; k++) {
    inertia_to(&filter->core.pi[k], pi + TEN * k);
  }
}

/* Residuals of the base rows against the slopes of the measured forces, each in units of its noise.
 */
static void watch_delay(struct inertial_filter *filter) {
  const struct row_block *block = &filter->block;
  if (block->rows < ROBOT_BASE_ROWS || block->row[0] != 0) {
    return;
  }
  double pi[INERTIAL_MAX_LINKS * TEN], residual[INERTIAL_MAX_ROWS], force[ROBOT_BASE_ROWS];
  flat_estimate(filter, pi);
  row_block_residual(block, pi, residual);
  for (size_t r = 0; r < ROBOT_BASE_ROWS; r++) {
    const double noise = least_noise(&filter->settings, r);
    residual[r] /= noise;
    force[r] = block->contact[r] / noise;
  }
  misalignment_step(&filter->misalignment, block->time, force, residual, ROBOT_BASE_ROWS);
}

/* The mean residual of the first second becomes the bias: cables, and all that the model misses. */
static void calibrate(struct inertial_filter *filter) {
  double pi[INERTIAL_MAX_LINKS * TEN], residual[INERTIAL_MAX_ROWS];
  flat_estimate(filter, pi);
  row_block_residual(&filter->block, pi, residual);
  row_bias_calibrate(&filter->bias, &filter->block, residual);
}

static bool is_resting(const struct inertial_filter *filter) {
  return filter->still_s >= filter->settings.rest_s;
}

static void watch_rest(struct inertial_filter *filter) {
  if (filter->block.fastest > filter->settings.rest_rate) {
    filter->still_s = 0.0;
    return;
  }
  const bool before = is_resting(filter);
  filter->still_s += filter->block.time;
  if (!before && is_resting(filter)) {
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
  if (is_resting(filter)) {
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
  const double bound = chi_square_bound(rows, filter->settings.gate_quantile);
  if (nis <= bound || filter->settings.gate == INERTIAL_GATE_NONE) {
    return 1.0;
  }
  if (filter->settings.gate == INERTIAL_GATE_HARD) {
    filter->result.counters.gated++;
    return 0.0;
  }
  filter->result.counters.weighed_down++;
  return sqrt(bound / nis);
}

/* True when the rows are to be used: standing still, only until they say nothing new. */
static bool is_worth_it(struct inertial_filter *filter, double gain) {
  filter->settled = is_resting(filter) && (filter->settled || gain < filter->settings.least_gain);
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
  const double *Y = is_resting(filter) ? filter->rest.mean_Y : filter->block.Y;
  const struct inertial_rows rows = row_noise_whiten(&filter->lasting, Y, filter->block.z);
  double nis, gain;
  return filter->settings.detector_window > 0 &&
         inertial_core_judge(&filter->core, &rows, &nis, &gain) == STATUS_OK &&
         change_detector_step(&filter->slow, filter->core.white, rows.n, NULL);
}

static bool is_suddenly_changed(struct inertial_filter *filter, size_t rows) {
  return filter->settings.detector_window > 0 &&
         change_detector_step(&filter->detector, filter->core.white, rows,
                              &filter->result.detector);
}

static void reopen(struct inertial_filter *filter) {
  change_detector_reset(&filter->detector);
  change_detector_reset(&filter->slow);
  inertial_core_reopen(&filter->core, &filter->settings.change);
  rest_statistics_begin(&filter->rest);
  if (filter->detector.sudden) {
    misalignment_break(&filter->misalignment); /* what a load left is no delay */
  }
  filter->settled = false;
  filter->result.counters.changes++;
}

static void note_gain(struct inertial_filter *filter, const struct inertial_rows *rows,
                      double gain) {
  const double share = fmin(1.0, filter->block.time / GAIN_TIME);
  filter->result.gain += share * (gain / filter->block.time - filter->result.gain);
  observability_take(&filter->observability, &filter->core, rows, filter->block.time,
                     filter->prior_sd);
}

static void use_block(struct inertial_filter *filter) {
  set_noise(filter);
  if (is_resting(filter) && !learn_noise(filter)) {
    return;
  }
  const struct inertial_rows rows = block_rows(filter);
  double nis, gain;
  if (!is_resting(filter)) {
    inertial_core_predict(&filter->core, filter->block.time);
  }
  const bool slowly = is_slowly_changed(filter);
  enum status status = inertial_core_judge(&filter->core, &rows, &nis, &gain);
  if (status == STATUS_OK && (is_suddenly_changed(filter, rows.n) || slowly)) {
    reopen(filter);
    status = inertial_core_judge(&filter->core, &rows, &nis, &gain);
  }
  if (status != STATUS_OK) {
    filter->result.counters.rejected++;
    return;
  }
  filter->result.nis_per_row = nis / (double)rows.n;
  note_gain(filter, &rows, gain);
  if (is_worth_it(filter, gain)) {
    const double weight = weight_of(filter, nis, rows.n);
    if (weight > 0.0 && inertial_core_begin(&filter->core, &rows, weight) != STATUS_OK) {
      filter->result.counters.rejected++;
    }
  }
}

/* --- the update on its way --- */

static void finish_update(struct inertial_filter *filter) {
  if (inertial_core_finish(&filter->core) != STATUS_OK) {
    filter->result.counters.rejected++;
    return;
  }
  filter->result.counters.updates++;
  filter->result.source = INERTIAL_FROM_SENSORS;
  filter->result.snapshot++;
  filter->retell = true;
}

/* One iteration a cycle where a block has cycles enough, else all at once. */
static void continue_update(struct inertial_filter *filter, bool spread) {
  for (int i = 0; filter->core.updating && i <= INERTIAL_MAX_ITERATIONS; i++) {
    if (!inertial_core_iterate(&filter->core)) {
      finish_update(filter);
      return;
    }
    if (spread) {
      return;
    }
  }
}

static bool is_spread(const struct inertial_filter *filter, double dt) {
  const double cycle = filter->settings.cycle_s > 0.0 ? filter->settings.cycle_s : dt;
  return filter->settings.block_s >= CYCLES_TO_SPREAD * cycle;
}

static void complete_block(struct inertial_filter *filter) {
  continue_update(filter, false); /* never two at a time */
  row_block_average(&filter->block);
  watch_rest(filter);
  filter->result.counters.blocks++;
  if (filter->bias.calibrated_s < filter->settings.calibration_s) {
    calibrate(filter);
    filter->result.state = INERTIAL_CALIBRATING;
  } else {
    use_block(filter);
    watch_delay(filter);
    filter->result.state = is_resting(filter) ? INERTIAL_RESTING : INERTIAL_RUNNING;
  }
  row_block_empty(&filter->block);
}

/* --- what is told --- */

static void tell(struct inertial_filter *filter, double dt) {
  struct inertial_result *result = &filter->result;
  for (size_t k = 0; k < filter->n_links; k++) {
    struct inertial_link_estimate *link = &result->link[k];
    if (filter->retell) {
      inertial_link_tell(&filter->core, k, filter->prior_sd[k], link);
    }
    link->observable = filter->observability.shown[k];
    inertia_follow(&filter->settings.publish, dt, &link->estimate, &link->published);
  }
  filter->retell = false;
  result->delay_known =
      filter->settings.core.memory && /* a load that varies all the time looks like one */
      misalignment_delay(&filter->misalignment, DELAY_WORST, &result->delay_s, &result->delay_sd_s);
}

void inertial_filter_step(struct inertial_filter *filter, const struct inertial_inputs *inputs,
                          double dt, bool strike, struct inertial_result *result) {
  const bool spread = is_spread(filter, dt);
  const enum status status = inertial_measure(&filter->measurement, inputs, filter->nominal);
  filter->result.missing = filter->measurement.missing;
  filter->blank_left_s = strike ? filter->settings.blank_s : filter->blank_left_s - dt;
  continue_update(filter, spread);
  if (status == STATUS_TOO_FEW) {
    filter->result.state = INERTIAL_OFF;
    row_block_empty(&filter->block);
  } else if (status != STATUS_OK) {
    filter->result.counters.rejected++;
  } else if (filter->blank_left_s > 0.0) {
    filter->result.counters.blanked++;
    misalignment_break(&filter->misalignment);
  } else {
    row_block_add(&filter->block, &filter->measurement, filter->bias.value,
                  fastest_rate(inputs->kin), dt);
  }
  if (filter->block.time >= filter->settings.block_s - 0.5 * dt && filter->block.count > 0) {
    complete_block(filter);
    continue_update(filter, spread);
  }
  tell(filter, dt);
  *result = filter->result;
}

void inertial_filter_continue(struct inertial_filter *filter) {
  continue_update(filter, true);
}

enum status inertial_filter_recall(struct inertial_filter *filter, const struct inertia *estimate,
                                   const double *covariance) {
  const enum status status = inertial_core_recall(&filter->core, estimate, covariance);
  if (status == STATUS_OK) {
    for (size_t k = 0; k < filter->n_links; k++) {
      filter->result.link[k].published = estimate[k];
    }
    filter->result.source = INERTIAL_FROM_MEMORY;
    filter->result.snapshot++;
    filter->retell = true;
  }
  return status;
}

enum status inertial_filter_adopt(struct inertial_filter *filter,
                                  const struct inertial_filter *previous) {
  if (filter->n_links != previous->n_links ||
      memcmp(filter->link, previous->link, filter->n_links * sizeof(*filter->link)) != 0) {
    return STATUS_BAD_ARGUMENT;
  }
  const enum status status =
      inertial_core_recall(&filter->core, previous->core.pi, previous->core.P);
  if (status != STATUS_OK) {
    return status;
  }
  filter->bias = previous->bias;
  filter->result = previous->result;
  filter->retell = true;
  rest_statistics_copy(&filter->rest, &previous->rest);
  return STATUS_OK;
}

const struct inertial_counters *inertial_filter_counters(const struct inertial_filter *filter) {
  return &filter->result.counters;
}

uint64_t inertial_filter_snapshot(const struct inertial_filter *filter) {
  return filter->result.snapshot;
}

const struct inertial_core *inertial_filter_core(const struct inertial_filter *filter) {
  return &filter->core;
}
