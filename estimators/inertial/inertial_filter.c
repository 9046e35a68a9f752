#include "inertial/inertial_filter.h"

#include "inertial/inertial_filter_parts.h"
#include "inertial/inertial_noise.h"
#include "inertial/inertial_prior.h"

#include "numerics/chi_square.h"

#include <math.h>
#include <string.h>

enum { TEN = INERTIA_PARAMETERS };

/* Share by which a gain is off that was told to be right, beside others that may not. */
static const double LEAST_GAIN_ERROR = 1e-6;
/* s: instants are averaged over this to find a delay, long enough for slow motion, short enough
 * for steps; it is looked for over this; the longest; and known to this when it is told. */
static const double TOGETHER = 10e-3, DELAY_TIME = 5.0, LONGEST_DELAY = 12e-3, WORST_DELAY = 1e-3;

/* -- start ------------------------------------------------------------------------------------ */

struct inertial_filter_settings inertial_filter_defaults(void) {
  return (struct inertial_filter_settings){
      .core = {.form = INERTIAL_RUCKER,
               .iterations = 8,
               .memory = true,
               .reluctance = 10.0,
               .prior = {.mass = 1.0, .com = 0.02, .shape = 0.1},
               .drift = {.mass = 0.02, .com = 1e-3, .shape = 0.01}},
      .change = {.mass = 8.0, .com = 0.15, .shape = 0.6},
      .block_s = 0.02,
      .force_noise = 3.0,
      .moment_noise = 1.5,
      .torque_noise = 0.3,
      .model_error = 0.01,
      .noise_gain = 1.5,
      .gate = INERTIAL_GATE_HUBER,
      .gate_quantile = NORMAL_TAIL_1E3,
      .detector = {.window = 10,
                   .clip = 3.0,
                   .quantile = NORMAL_TAIL_1E6,
                   .refractory_s = 0.3,
                   .doubt_s = 5.0},
      .calibration_s = 1.0,
      .bias_force = 12.0,
      .bias_moment = 4.0,
      .bias_torque = 0.5,
      .rest_rate = 0.03,
      .rest_s = 0.3,
      .least_gain = 1e-2,
      .creep_force = 0.01,
      .creep_moment = 0.003,
      .correct_delay = true,
      .correct_regressor = true,
      .publish = {.mass_rate = 3.0, .com_rate = 0.1, .shape_rate = 0.5}};
}

/* Rows have a bias each, and joints, where any has it, friction that errs, and a gain. */
static void count_biases(struct inertial_filter *filter) {
  const struct inertial_measurement *m = &filter->measurement;
  struct inertial_core_settings *core = &filter->settings.core;
  bool sticks = false, gains = false;
  for (size_t k = 0; k < m->n_joints; k++) {
    sticks = sticks || m->drive[m->joint[k]].coulomb > 0.0;
    gains = gains || m->drive[m->joint[k]].gain_error > 0.0;
  }
  core->n_gain = gains ? m->n_joints : 0;
  core->n_bias = m->n_slots + (sticks ? m->n_joints : 0) + core->n_gain;
}

void inertial_places(const struct inertial_filter *filter, size_t row, size_t *bias, size_t *stick,
                     size_t *gain) {
  const struct inertial_measurement *m = &filter->measurement;
  const struct inertial_core_settings *core = &filter->settings.core;
  *bias = m->slot[row];
  const bool is_joint = *bias < m->n_slots && row >= ROBOT_BASE_ROWS;
  *stick = is_joint && core->n_bias > m->n_slots + core->n_gain ? *bias + m->n_joints : SIZE_MAX;
  *gain = is_joint && core->n_gain > 0 ? *bias + core->n_bias - m->n_slots : SIZE_MAX;
}

/* Deviations of the rows and of what they err by for good, by their places. */
static void set_deviations(struct inertial_filter *filter) {
  const struct inertial_filter_settings *s = &filter->settings;
  const struct inertial_measurement *m = &filter->measurement;
  struct inertial_core_settings *core = &filter->settings.core;
  for (size_t row = 0; row < ROBOT_BASE_ROWS + filter->robot->model.n_joints; row++) {
    const bool is_joint = row >= ROBOT_BASE_ROWS, is_force = robot_row_is_force(row);
    const struct inertial_drive *drive = is_joint ? &m->drive[row - ROBOT_BASE_ROWS] : NULL;
    size_t at, stick, gain;
    inertial_places(filter, row, &at, &stick, &gain);
    if (at < m->n_slots) {
      filter->row_sd[at] = is_joint ? drive->noise : is_force ? s->force_noise : s->moment_noise;
      core->bias_sd[at] = is_joint   ? drive->offset_error
                          : is_force ? s->bias_force
                                     : s->bias_moment;
    }
    if (stick < core->n_bias) {
      core->bias_sd[stick] = 1.0;
    }
    if (gain < core->n_bias) {
      core->bias_sd[gain] = fmax(LEAST_GAIN_ERROR, drive->gain_error);
    }
  }
}

static enum status init_parts(struct inertial_filter *filter, struct arena *arena) {
  const size_t n = filter->n, n_links = filter->n_links;
  const struct inertial_filter_settings *settings = &filter->settings;
  filter->YtWY = ARENA_ARRAY(arena, double, n *n);
  filter->YtWz = ARENA_ARRAY(arena, double, n);
  /* where rows are not remembered loads change all the time, and there is no time to wait */
  struct change_settings detector = settings->detector;
  detector.lasting = settings->core.memory ? detector.window : 0;
  enum status status = change_detector_init(&filter->detector, &detector);
  if (status == STATUS_OK) {
    status = inertial_measurement_init(&filter->measurement, filter->robot, filter->link, n_links,
                                       arena);
  }
  if (status == STATUS_OK) {
    status = inertial_drives_set(&settings->drives, &filter->robot->model, settings->torque_noise,
                                 settings->bias_torque, filter->measurement.drive);
  }
  if (status == STATUS_OK) {
    count_biases(filter);
    set_deviations(filter);
    status = inertial_core_init(&filter->core, &settings->core, filter->prior, n_links, arena);
  }
  struct row_block *const block[] = {&filter->filling, &filter->block, &filter->start,
                                     &filter->instants};
  for (size_t i = 0; i < sizeof(block) / sizeof(*block); i++) {
    row_block_init(block[i], n, arena);
  }
  rest_statistics_init(&filter->rest, n, arena);
  row_noise_init(&filter->noise, n, settings->core.n_bias, arena);
  observability_init(&filter->observability, n_links, INERTIAL_GAIN_TIME, arena);
  return status;
}

/* Of the whole robot's mass, m, links at their places as points, joints at zero. */
static double radius_of_gyration(const struct model *model) {
  struct pose X_BL[MODEL_MAX_JOINTS + 1] = {POSE_IDENTITY};
  double m = 0.0, squares = 0.0;
  vec3 h = VEC3_ZERO;
  for (size_t i = 0; i < model->n_links; i++) {
    if (i > 0) {
      X_BL[i] = pose_mul(&X_BL[model->parent[i]], &model->joint[i - 1].placement);
    }
    const double own = model->inertia[i].m;
    m += own;
    h = vec3_add(h, vec3_scale(own, X_BL[i].p));
    squares += own * vec3_dot(X_BL[i].p, X_BL[i].p);
  }
  return sqrt(fmax(0.0, squares - vec3_dot(h, h) / m) / m);
}

enum status inertial_filter_init(struct inertial_filter **out, const struct robot *robot,
                                 const struct inertial_filter_settings *settings,
                                 const size_t *link, size_t n_links, struct arena *arena) {
  const struct model *model = &robot->model;
  if (n_links == 0 || n_links > INERTIAL_MAX_LINKS) {
    return STATUS_BAD_ARGUMENT;
  }
  struct inertial_filter *filter = ARENA_ARRAY(arena, struct inertial_filter, 1);
  struct inertial_filter counting = {.n = 0};
  filter = filter != NULL ? filter : &counting;
  *filter = (struct inertial_filter){
      .settings = *settings, .robot = robot, .n_links = n_links, .n = TEN * n_links};
  for (size_t k = 0; k < n_links; k++) {
    if (link[k] >= model->n_links) {
      return STATUS_BAD_ARGUMENT;
    }
    filter->link[k] = link[k];
    filter->prior[k] = model->inertia[link[k]];
  }
  const enum status status = init_parts(filter, arena);
  if (status != STATUS_OK || arena_is_counting(arena)) {
    return status;
  }
  if (arena->failed) {
    return STATUS_NO_MEMORY;
  }
  filter->reach = radius_of_gyration(model);
  inertial_filter_reset(filter);
  *out = filter;
  return STATUS_OK;
}

static void begin_start(struct inertial_filter *filter) {
  filter->start_s = 0.0;
  memset(filter->start_force, 0, sizeof(filter->start_force));
  memset(filter->crept, 0, sizeof(filter->crept));
  row_block_empty(&filter->start);
}

/* What rows have taught of their noise and delays so far is of other rows than those to come. */
static void forget_rows(struct inertial_filter *filter) {
  row_scatter_reset(&filter->scatter, filter->settings.noise_time);
  misalignment_init(&filter->misalignment, DELAY_TIME, LONGEST_DELAY);
  row_block_empty(&filter->instants);
  rest_statistics_begin(&filter->rest);
  filter->rows.n = 0;
  filter->opened_s = 0.0;
  filter->settled = false;
  filter->is_new = true;
}

void inertial_filter_begin_again(struct inertial_filter *filter) {
  inertial_core_reset(&filter->core, filter->prior); /* was accepted by init */
  change_detector_reset(&filter->detector);
  forget_rows(filter);
  begin_start(filter);
  filter->still_s = filter->rest_used_s = filter->refused_s = filter->unjudged_s = 0.0;
}

void inertial_filter_reset(struct inertial_filter *filter) {
  inertial_filter_begin_again(filter);
  inertial_block_empty(filter);
  filter->blank_left_s = 0.0;
  const uint64_t snapshot = filter->result.snapshot;
  filter->result = (struct inertial_result){.n_links = filter->n_links, .snapshot = snapshot + 1};
  for (size_t k = 0; k < filter->n_links; k++) {
    filter->result.link[k].link = filter->link[k];
    filter->result.link[k].published = filter->prior[k];
  }
}

void inertial_filter_realign(struct inertial_filter *filter) {
  inertial_block_empty(filter);
  filter->result.delay = filter->result.torque_delay = (struct inertial_delay){.known = false};
  if (filter->result.source == INERTIAL_FROM_MEMORY || filter->result.counters.changes > 0) {
    forget_rows(filter);
    inertial_core_reopen(&filter->core, &filter->settings.change);
  } else { /* nothing but the model was there before: the start is made anew */
    inertial_filter_begin_again(filter);
  }
}

/* -- delay ------------------------------------------------------------------------------------ */

/* What the estimate leaves of the rows of a few instants, against the slopes of the measured
 * forces: base rows speak of the wrenches' stamps, some joints' of the torques'. */
static void look_for_delay(struct inertial_filter *filter, double dt) {
  struct row_block *instants = &filter->instants;
  struct misalignment_sample sample;
  double residual[INERTIAL_MAX_ROWS];
  row_block_add(instants, &filter->measurement, filter->crept, 0.0, dt);
  if (instants->time + 0.5 * dt < TOGETHER) {
    return;
  }
  row_block_average(instants);
  inertial_block_residual(filter, instants, residual);
  for (size_t k = 0; k < MISALIGNMENT_ROWS; k++) {
    sample.force[k] = (double)NAN; /* until there is one */
  }
  for (size_t r = 0; r < instants->rows; r++) {
    const size_t at = filter->measurement.slot[instants->row[r]];
    const double noise = filter->row_sd[at];
    if (inertial_measurement_is_stamped(&filter->measurement, at)) {
      sample.residual[at] = residual[r] / noise;
      sample.force[at] = instants->force[r] / noise;
      sample.rate[at] = instants->rate[r];
    }
  }
  misalignment_step(&filter->misalignment, instants->time, &sample, filter->measurement.n_slots);
  row_block_empty(instants);
}

/* -- stepping --------------------------------------------------------------------------------- */

/* The fastest of the joints and of the base, rad/s (m/s of slides count as rad/s). */
static double fastest_rate(const struct kinematics *kin) {
  double fastest = vec3_norm(kin->base.v_B.ang);
  for (size_t j = 0; j < kin->model->n_joints; j++) {
    fastest = fmax(fastest, fabs(kin->dq[j]));
  }
  return fastest;
}

void inertial_filter_step(struct inertial_filter *filter, const struct inertial_inputs *inputs,
                          double dt, bool strike, struct inertial_result *result) {
  const bool spread = inertial_block_is_spread(filter, dt);
  const uint64_t blocks = filter->result.counters.blocks;
  const enum status status = inertial_measure(&filter->measurement, inputs);
  filter->result.missing = filter->measurement.missing;
  filter->blank_left_s = strike ? filter->settings.blank_s : filter->blank_left_s - dt;
  inertial_block_work(filter, spread);
  if (status == STATUS_OK && filter->settings.core.memory) {
    look_for_delay(filter, dt); /* a load that varies all the time looks like a delay */
  }
  if (status == STATUS_TOO_FEW) {
    filter->result.state = INERTIAL_OFF;
    inertial_block_empty(filter);
  } else if (status != STATUS_OK) {
    filter->result.counters.rejected++;
  } else if (filter->blank_left_s > 0.0) {
    filter->result.counters.blanked++;
  } else {
    const double rate = fastest_rate(inputs->kin);
    row_block_add(&filter->filling, &filter->measurement, filter->crept, rate, dt);
    if (inertial_filter_starts(filter)) {
      row_block_add(&filter->start, &filter->measurement, filter->crept, rate, dt);
    }
  }
  inertial_block_take(filter, dt);
  if (filter->result.counters.blocks != blocks) {
    const size_t joints = filter->measurement.n_joints, base = filter->measurement.n_slots - joints;
    filter->result.delay = misalignment_delay(&filter->misalignment, 0, base, WORST_DELAY);
    filter->result.torque_delay =
        misalignment_delay(&filter->misalignment, base, joints, WORST_DELAY);
  }
  inertial_filter_tell(filter, dt);
  *result = filter->result;
}

void inertial_filter_continue(struct inertial_filter *filter) {
  inertial_block_work(filter, true);
}

enum status inertial_filter_recall(struct inertial_filter *filter, const struct inertia *estimate,
                                   const double *covariance) {
  const enum status status = inertial_core_recall(&filter->core, estimate, covariance);
  if (status == STATUS_OK) {
    filter->stage = INERTIAL_IDLE;
    for (size_t k = 0; k < filter->n_links; k++) {
      filter->result.link[k].published = estimate[k];
    }
    filter->result.source = INERTIAL_FROM_MEMORY;
    filter->result.snapshot++;
    filter->is_new = true;
  }
  return status;
}

enum status inertial_filter_adopt(struct inertial_filter *filter,
                                  const struct inertial_filter *previous) {
  if (filter->n_links != previous->n_links ||
      memcmp(filter->link, previous->link, filter->n_links * sizeof(*filter->link)) != 0) {
    return STATUS_BAD_ARGUMENT;
  }
  const enum status status = inertial_core_adopt(&filter->core, &previous->core);
  if (status != STATUS_OK) {
    return status;
  }
  filter->stage = INERTIAL_IDLE;
  begin_start(filter);
  if (previous->start_s >= previous->settings.calibration_s) {
    filter->start_s = previous->start_s;
    memcpy(filter->start_force, previous->start_force, sizeof(filter->start_force));
    memcpy(filter->crept, previous->crept, sizeof(filter->crept));
  }
  filter->scatter = previous->scatter;
  filter->scatter.lasts_s = filter->settings.noise_time;
  filter->result = previous->result;
  filter->is_new = true;
  rest_statistics_copy(&filter->rest, &previous->rest);
  return STATUS_OK;
}

const struct inertial_result *inertial_filter_result(const struct inertial_filter *filter) {
  return &filter->result;
}

const struct inertial_core *inertial_filter_core(const struct inertial_filter *filter) {
  return &filter->core;
}
