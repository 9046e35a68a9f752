#include "inertial/inertial_filter_parts.h"

#include "inertial/inertial_noise.h"
#include "inertial/inertial_prior.h"
#include "inertial/inertial_update.h"
#include "numerics/chi_square.h"
#include "numerics/small_matrix.h"

#include <math.h>
#include <string.h>

enum { TEN = INERTIA_PARAMETERS };

/* After the estimate was opened, what it leaves is its own error for this long, s. */
static const double OPEN_FOR = 0.3;
/* Rows that are refused for this long, s, speak against the estimate. */
static const double REFUSED_FOR = 1.0;
/* Share of squared innovations that a load which came or went may leave unexplained. */
static const double UNEXPLAINED = 0.1;
/* Nats by which a load from the start is less likely than none before rows have said anything. */
static const double SELDOM = 4.0;
/* How often that is judged, s: after every update it would be a quarter of the weighing. */
static const double JUDGED_EVERY = 0.2;

/* -- what a block does ------------------------------------------------------------------------ */

/* How likely a load from the start is, by how well it and none foretold the rows. */
static void judge_load(struct inertial_filter *filter, double unladen) {
  const double laden = inertial_evidence(&filter->core, filter->core.P_laden, NULL);
  filter->core.laden = 1.0 / (1.0 + exp(SELDOM + unladen - laden));
  filter->is_new = true;
}

/* The start says where biases are: cables, and all that the model misses, or a load; only motion
 * tells which, unless the load is large. One that is remembered is tried first
 * (inertial_filter_recall). */
static void calibrate(struct inertial_filter *filter) {
  struct row_block *start = &filter->start;
  filter->start_s += filter->block.time;
  if (inertial_filter_starts(filter)) {
    return;
  }
  row_block_average(start);
  for (size_t r = 0; r < start->rows; r++) {
    filter->start_force[filter->measurement.slot[start->row[r]]] = start->force[r];
  }
  const struct measured_rows rows = inertial_measured_rows(filter, start);
  inertial_core_suppose(&filter->core, &rows, &filter->settings.change);
  if (!filter->settings.core.memory) { /* rows are not kept until they tell */
    judge_load(filter, inertial_evidence(&filter->core, filter->core.P_unladen, NULL));
    inertial_core_conclude(&filter->core);
  }
  row_block_empty(start);
  filter->unjudged_s = JUDGED_EVERY; /* at once */
  filter->opened_s = 0.0;
  filter->is_new = true;
}

static void note_rest(struct inertial_filter *filter) {
  const bool before = inertial_block_rests(filter),
             moves = filter->block.fastest > filter->settings.rest_rate;
  filter->still_s = moves ? 0.0 : filter->still_s + filter->block.time;
  if (!before && inertial_block_rests(filter)) { /* statistics begin with the rest */
    rest_statistics_begin(&filter->rest);
  }
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
static bool is_worth_it(struct inertial_filter *filter) {
  const bool rests = inertial_block_rests(filter);
  filter->rest_used_s = rests ? filter->rest_used_s + filter->block.time : 0.0;
  filter->settled =
      rests && (filter->settled || filter->information < filter->settings.least_gain ||
                filter->rest_used_s > INERTIAL_REST_USED);
  if (!filter->settled) {
    return true;
  }
  filter->result.counters.passed_over++;
  inertial_noise_follow_creep(filter);
  return false;
}

/* True when rows are beyond what is usual, and a load that came or went leaves little of them. An
 * acceleration that is seen late leaves more: the forces that it takes do not lie along gravity. */
static bool is_a_body(struct inertial_filter *filter) {
  const struct inertial_spread *change = &filter->settings.change;
  const double bound = chi_square_bound(filter->rows.n, filter->settings.gate_quantile);
  return filter->nis > bound &&
         inertial_core_explained(&filter->core, &filter->rows, change) < UNEXPLAINED * filter->nis;
}

/* Looks for a change with rows whose innovation is known. What a load that came or went leaves is
 * no delay, and no noise. */
static bool is_changed(struct inertial_filter *filter) {
  struct inertial_result *result = &filter->result;
  const bool changed =
      change_detector_step(&filter->detector, filter->core.white, filter->rows.n,
                           filter->block.time, is_a_body(filter), &result->detector);
  if (changed) {
    misalignment_break(&filter->misalignment); /* nor is a delay looked for across it */
    row_block_empty(&filter->instants);
  } else if (!inertial_block_rests(filter) && filter->opened_s > OPEN_FOR &&
             filter->detector.beyond == 0 && filter->detector.bodies == 0) {
    inertial_noise_learn_scatter(filter);
  }
  filter->opened_s += inertial_block_rests(filter) ? 0.0 : filter->block.time;
  result->noise = sqrt(row_scatter_worst(&filter->scatter));
  result->alarm_rate = change_detector_rate(&filter->detector);
  return changed;
}

/* A change was found. While none explains what is measured, nothing is learned from it: the
 * estimate is the model, as uncertain as a change makes it. */
static void reopen(struct inertial_filter *filter) {
  if (change_detector_doubts(&filter->detector)) {
    inertial_core_reset(&filter->core, filter->prior);
    filter->is_new = true;
  }
  /* statistics begin again; the estimate is wide open */
  inertial_core_reopen(&filter->core, &filter->settings.change);
  rest_statistics_begin(&filter->rest);
  filter->settled = false;
  filter->rest_used_s = filter->opened_s = 0.0;
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
 *   IDLE      waits for a block; at rest learns the noise of it, else
 *             lets parameters drift                                   TEST; IDLE while learning
 *   TEST      innovation, is it a change; reopens the estimate then   BEGIN
 *   BEGIN     weighs the rows, leaves out what brings nothing         UPDATE or IDLE
 *   UPDATE    one Newton step                                         UPDATE or FINISH
 *   FINISH    takes the estimate over                                 IDLE, or, while a load from
 *                                                                     the start is supposed:
 *   UNLADEN   how well rows go with no load from the start            LADEN
 *   LADEN     how well with one: how likely it is                     IDLE */

/* A whole block: of the start, which is only measured, or one that is to be tested. */
static enum inertial_stage complete_block(struct inertial_filter *filter) {
  note_rest(filter);
  filter->result.counters.blocks++;
  const bool rests = inertial_block_rests(filter), starts = inertial_filter_starts(filter);
  filter->result.state = starts  ? INERTIAL_CALIBRATING
                         : rests ? INERTIAL_RESTING
                                 : INERTIAL_RUNNING;
  inertial_noise_set(filter);
  const bool known = !rests || inertial_noise_learn(filter);
  if (starts) {
    calibrate(filter);
    return INERTIAL_IDLE;
  }
  if (!rests) {
    inertial_core_predict(&filter->core, filter->block.time);
  }
  return known ? INERTIAL_TEST : INERTIAL_IDLE;
}

/* Rows that cannot be used. When none can be for long, it is the estimate that cannot be: it goes
 * back to the model and says so. */
static enum inertial_stage refuse(struct inertial_filter *filter) {
  filter->result.counters.rejected++;
  filter->refused_s += filter->block.time;
  if (filter->refused_s >= REFUSED_FOR) {
    inertial_filter_begin_again(filter);
    filter->result.counters.resets++;
    filter->result.diverged = true;
  }
  return INERTIAL_IDLE;
}

/* What the rows say beyond the estimate. */
static enum status innovate(struct inertial_filter *filter) {
  return inertial_core_innovation(&filter->core, &filter->rows, &filter->nis, &filter->information);
}

static enum inertial_stage test_innovation(struct inertial_filter *filter) {
  filter->rows = inertial_noise_rows(filter);
  enum status status = innovate(filter);
  if (status == STATUS_OK && is_changed(filter)) {
    reopen(filter);
    status = innovate(filter); /* anew */
  }
  if (status != STATUS_OK) {
    return refuse(filter);
  }
  filter->result.nis = filter->nis / (double)filter->rows.n;
  return INERTIAL_BEGIN;
}

static enum inertial_stage begin_update(struct inertial_filter *filter) {
  note_gain(filter);
  /* what may be a change is not learned from until it is decided; where rows are not remembered,
   * loads change all the time, and drift explains them */
  const bool undecided =
      filter->settings.core.memory && change_detector_suspects(&filter->detector);
  if (change_detector_doubts(&filter->detector) || undecided || !is_worth_it(filter)) {
    return INERTIAL_IDLE;
  }
  /* outliers weigh less */
  const double weight = weight_of(filter, filter->nis, filter->rows.n);
  if (weight == 0.0) {
    return INERTIAL_IDLE;
  }
  inertial_noise_remember(filter);
  if (inertial_core_begin(&filter->core, &filter->rows, weight) != STATUS_OK) {
    return refuse(filter);
  }
  return INERTIAL_UPDATE;
}

static enum inertial_stage iterate_update(struct inertial_filter *filter) {
  return inertial_core_iterate(&filter->core) ? INERTIAL_UPDATE : INERTIAL_FINISH;
}

static enum inertial_stage finish_update(struct inertial_filter *filter) {
  if (inertial_core_finish(&filter->core) != STATUS_OK) {
    return refuse(filter);
  }
  filter->refused_s = 0.0;
  filter->result.diverged = false;
  filter->result.counters.updates++;
  filter->result.source = INERTIAL_FROM_SENSORS;
  filter->result.snapshot++;
  filter->is_new = true;
  filter->unjudged_s += filter->block.time;
  const bool due = filter->core.supposed && filter->unjudged_s >= JUDGED_EVERY;
  return due ? INERTIAL_UNLADEN : INERTIAL_IDLE;
}

static enum inertial_stage judge_unladen(struct inertial_filter *filter) {
  struct inertial_core *core = &filter->core;
  filter->unladen = inertial_evidence(core, core->P_unladen, core->x_unladen);
  return INERTIAL_LADEN;
}

/* A load that was there from the start may show in motion alone. */
static enum inertial_stage judge_laden(struct inertial_filter *filter) {
  filter->unjudged_s = 0.0;
  judge_load(filter, filter->unladen);
  return INERTIAL_IDLE;
}

/* The work of each stage, IDLE has none; says what comes next. */
static enum inertial_stage (*const STEP[])(struct inertial_filter *filter) = {
    [INERTIAL_TEST] = test_innovation,  [INERTIAL_BEGIN] = begin_update,
    [INERTIAL_UPDATE] = iterate_update, [INERTIAL_FINISH] = finish_update,
    [INERTIAL_UNLADEN] = judge_unladen, [INERTIAL_LADEN] = judge_laden};

void inertial_block_work(struct inertial_filter *filter, bool spread) {
  const int most = spread ? 1 : INERTIAL_STEPS;
  for (int i = 0; i < most && filter->stage != INERTIAL_IDLE; i++) {
    filter->stage = STEP[filter->stage](filter);
  }
}

bool inertial_block_is_spread(const struct inertial_filter *filter, double dt) {
  const double cycle = filter->settings.cycle_s > 0.0 ? filter->settings.cycle_s : dt;
  return filter->settings.block_s >= INERTIAL_STEPS * cycle;
}

/* The test for a startling sample before the block is full: were the rows to come as the estimate
 * foretells, the innovation would be this share of what it is so far, and of its variance. */
static void look(struct inertial_filter *filter) {
  const struct row_block *filling = &filter->filling;
  const size_t rows = filling->rows;
  double e[INERTIAL_MAX_ROWS];
  filter->contradicted = false;
  if (filling->count > 0 && rows == filter->rows.n && rows == filter->noise.rows) {
    inertial_block_residual(filter, filling, e);
    row_noise_whiten_residual(&filter->noise, e);
    small_cholesky_whiten(rows, filter->core.S, e);
    const double share = filling->time / filter->settings.block_s;
    filter->contradicted =
        change_detector_startles(&filter->detector, share * small_dot(rows, e, e), rows);
  }
}

void inertial_block_take(struct inertial_filter *filter, double dt) {
  const struct row_block *filling = &filter->filling;
  look(filter);
  if (filling->count == 0 || filling->time + 0.5 * dt < filter->settings.block_s) {
    return;
  }
  /* what was under way is finished first: never two at a time */
  inertial_block_work(filter, false);
  /* the filled block is worked on, the other one fills */
  const struct row_block filled = *filling;
  filter->filling = filter->block;
  filter->block = filled;
  row_block_empty(&filter->filling);
  row_block_average(&filter->block);
  filter->stage = complete_block(filter);
  if (!inertial_block_is_spread(filter, dt)) {
    inertial_block_work(filter, false);
  }
}

void inertial_block_empty(struct inertial_filter *filter) {
  row_block_empty(&filter->filling);
  filter->stage = INERTIAL_IDLE;
}
