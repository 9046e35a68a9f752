#include "inertial/inertial_filter.h"

#include "inertial/inertial_filter_parts.h"

#include <math.h>
#include <string.h>

enum { TEN = INERTIA_PARAMETERS };

/* Delays up to this, s, are looked for over this, s. */
static const double DELAY_LARGEST = 10e-3, DELAY_TIME = 5.0;

/* -- start ------------------------------------------------------------------------------------ */

static void carve(struct inertial_filter *filter, struct arena *arena) {
  const size_t n = filter->n;
  filter->link = ARENA_ARRAY(arena, size_t, filter->n_links);
  filter->prior = ARENA_ARRAY(arena, struct inertia, filter->n_links);
  filter->nominal = ARENA_ARRAY(arena, struct inertia, filter->robot->model.n_links);
  filter->YtWY = ARENA_ARRAY(arena, double, n *n);
  filter->YtWz = ARENA_ARRAY(arena, double, n);
}

static size_t slow_window(const struct inertial_filter_settings *settings) {
  const size_t window = INERTIAL_SLOWER * settings->detector_window;
  return window < CHANGE_DETECTOR_MAX_WINDOW ? window : CHANGE_DETECTOR_MAX_WINDOW;
}

static enum status init_parts(struct inertial_filter *filter, const size_t *link,
                              const struct inertia *prior, struct arena *arena) {
  const struct inertial_filter_settings *settings = &filter->settings;
  enum status status = STATUS_OK;
  filter->sudden.quantile = settings->detector_quantile;
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
    status = row_block_init(&filter->filling, filter->n, arena);
  }
  if (status == STATUS_OK) {
    status = row_block_init(&filter->waiting, filter->n, arena);
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
    status = observability_init(&filter->observability, filter->n_links, INERTIAL_GAIN_TIME, arena);
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
  sudden_change_reset(&filter->sudden);
  change_detector_reset(&filter->detector);
  change_detector_reset(&filter->slow);
  misalignment_init(&filter->misalignment, DELAY_TIME, DELAY_LARGEST);
  misalignment_init(&filter->torque_misalignment, DELAY_TIME, DELAY_LARGEST);
  observability_reset(&filter->observability);
  rest_statistics_begin(&filter->rest);
  inertial_block_empty(filter);
  row_bias_reset(&filter->bias);
  filter->blank_left_s = filter->still_s = 0.0;
  filter->settled = false;
  filter->is_new = true;
  const uint64_t snapshot = filter->result.snapshot;
  filter->result = (struct inertial_result){.n_links = filter->n_links,
                                            .calibrated = filter->settings.calibration_s == 0.0,
                                            .snapshot = snapshot + 1};
  for (size_t k = 0; k < filter->n_links; k++) {
    filter->result.link[k].link = filter->link[k];
    filter->result.link[k].published = filter->prior[k];
  }
}

/* -- what is told ----------------------------------------------------------------------------- */

static void tell(struct inertial_filter *filter, double dt) {
  struct inertial_result *result = &filter->result;
  for (size_t k = 0; k < filter->n_links; k++) {
    struct inertial_link_estimate *link = &result->link[k];
    if (filter->is_new) {
      inertial_link_tell(&filter->core, k, link);
    }
    link->observable = filter->observability.shown[k];
    inertia_follow(&filter->settings.publish, dt, &link->estimate, &link->published);
  }
  filter->is_new = false;
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
  const enum status status = inertial_measure(&filter->measurement, inputs, filter->nominal);
  filter->result.missing = filter->measurement.missing;
  filter->blank_left_s = strike ? filter->settings.blank_s : filter->blank_left_s - dt;
  inertial_block_work(filter, spread);
  if (status == STATUS_TOO_FEW) {
    filter->result.state = INERTIAL_OFF;
    inertial_block_empty(filter);
  } else if (status != STATUS_OK) {
    filter->result.counters.rejected++;
  } else if (filter->blank_left_s > 0.0) {
    filter->result.counters.blanked++;
    inertial_block_break(filter);
  } else {
    row_block_add(&filter->filling, &filter->measurement, filter->bias.value,
                  fastest_rate(inputs->kin), dt);
  }
  inertial_block_take(filter, dt);
  tell(filter, dt);
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
  const enum status status =
      inertial_core_recall(&filter->core, previous->core.pi, previous->core.P);
  if (status != STATUS_OK) {
    return status;
  }
  filter->stage = INERTIAL_IDLE;
  filter->bias = previous->bias;
  filter->result = previous->result;
  filter->is_new = true;
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
