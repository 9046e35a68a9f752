#include "joint_filter_core.h"

#include <math.h>
#include <string.h>

/* Largest number of instants kept, and how many more than the window needs. */
enum { INSTANTS_MIN = 4, INSTANTS_SPARE = 3, INSTANTS_MAX = 40 };
/* Deviations with which everything starts that no sensor has yet told. */
static const double FIRST_RATE = 2.0, FIRST_ACCELERATION = 20.0, FIRST_JERK = 500.0;
static const double FIRST_OMEGA = 1.0, FIRST_FORCE = 5.0, FIRST_FORCEDOT = 100.0;
/* What an IMU can read at all, rad/s and m/s^2; broken words and 1e308 lie beyond. */
static const double LARGEST_RATE = 100.0, LARGEST_FORCE = 2000.0;
/* Before so many periods have passed the estimate is called initial. */
static const double SETTLING_PERIODS = 20.0;
/* Mean normalised innovation: above the first the estimate is called degraded, above the second the
 * filter has lost its way and begins again, but not more often than every RESET_PAUSE. */
static const double NIS_DEGRADED = 4.0, NIS_DIVERGED = 60.0;
static const int64_t RESET_PAUSE_NS = 500000000;
/* Part of the cells that may be faulty before it is worth saying. */
static const double CELLS_DEGRADED = 0.05;
/* A sample may be this much newer than the cycle that brings it: clocks of one machine, s. */
static const double FUTURE_PERIODS = 1.0;

struct joint_filter_settings joint_filter_defaults(void) {
  return (struct joint_filter_settings){
      .period_s = 1e-3,
      .window_s = 10e-3,
      .timeout_s = 0.25,
      .encoder_noise = 1e-3,
      .gyro_noise = 5e-3,
      .accelerometer_noise = 0.05,
      .cell_noise = 0.34,
      .joint_density = 1e2,
      .joint_density_min = 1e-1,
      .joint_density_max = 1e9,
      .base_ang_density = 1e4,
      .base_lin_density = 1e4,
      .adapt_density = true,
      .link_bias = true,
      .gyro_bias = true,
      .cell_bias = 0.15,
      .link_bias_time = 4.0,
      .cell_range = 75.0,
      .fixed_base_force = {0.0, 0.0, STANDARD_GRAVITY},
  };
}

/* -- start ----------------------------------------------------------------------------------- */

static bool are_positive(const double *values, size_t count) {
  bool all = true;
  for (size_t i = 0; i < count; i++) {
    all = all && values[i] > 0.0 && isfinite(values[i]);
  }
  return all;
}

static enum status check(const struct joint_filter_settings *s) {
  const double positive[] = {s->period_s,          s->window_s,         s->timeout_s,
                             s->encoder_noise,     s->gyro_noise,       s->accelerometer_noise,
                             s->cell_noise,        s->joint_density,    s->joint_density_min,
                             s->joint_density_max, s->base_ang_density, s->base_lin_density,
                             s->cell_bias,         s->link_bias_time,   s->cell_range};
  const bool fine = are_positive(positive, sizeof(positive) / sizeof(positive[0])) &&
                    s->joint_density_min <= s->joint_density_max &&
                    vec3_is_finite(s->fixed_base_force);
  return fine ? STATUS_OK : STATUS_OUT_OF_RANGE;
}

static size_t instants_needed(const struct joint_filter_settings *s) {
  const double wanted = ceil(s->window_s / s->period_s) + INSTANTS_SPARE;
  return (size_t)fmin(fmax(wanted, INSTANTS_MIN), INSTANTS_MAX);
}

/* Everything with an init of its own; each counts or carves. */
static enum status init_parts(struct joint_filter *f, struct arena *arena) {
  const struct joint_filter_settings *s = &f->settings;
  const struct robot *robot = f->robot;
  const struct model *model = &robot->model;
  const size_t n_blocks = model->n_links + 1;
  struct cell_health_settings health = cell_health_defaults();
  health.range = s->cell_range;
  const struct motion_bank_settings bank = {.density_min = s->joint_density_min,
                                            .density_max = s->joint_density_max,
                                            .memory_s = 0.5,
                                            .bias_ratio = s->cell_bias / s->cell_noise,
                                            .bias_time_s = s->link_bias_time,
                                            .jump_gate = 16.0};
  const struct link_bias_settings bias = {s->cell_bias / s->cell_noise, s->link_bias_time};
  const int64_t merge_ns = (int64_t)(0.5e9 * s->period_s);
  const enum status status[] = {
      skin_fusion_init(&f->fusion, robot, s->cell_noise, NULL, s->cell_range, arena),
      cell_health_init(&f->health, robot, &health, arena),
      instants_init(&f->instants, &f->layout, instants_needed(s), n_blocks, merge_ns, arena),
      joint_update_init(&f->update, &f->layout, model, NULL, robot->imu_link, f->fixed_force,
                        ROWS_MAX * n_blocks, arena),
      joint_jump_init(&f->jump, &f->layout, arena),
      joint_preparation_init(&f->preparation, &f->layout, n_blocks, arena),
      encoder_guard_init(&f->guard, f->layout.n, arena),
      motion_bank_init(&f->bank, f->layout.n, &bank, arena),
      link_bias_init(&f->link_bias, robot, robot->fixed_base, &bias, arena),
      kinematics_init(&f->kin, model, arena),
  };
  for (size_t i = 0; i < sizeof(status) / sizeof(status[0]); i++) {
    if (status[i] != STATUS_OK) {
      return status[i];
    }
  }
  return STATUS_OK;
}

static void carve_arrays(struct joint_filter *f, struct arena *arena) {
  const struct joint_layout *l = &f->layout;
  const size_t n_links = f->robot->model.n_links;
  f->density = ARENA_ARRAY(arena, double, l->n);
  f->encoder_sd = ARENA_ARRAY(arena, double, l->n);
  f->bias_prior = ARENA_ARRAY(arena, double, l->n);
  f->block = ARENA_ARRAY(arena, struct link_rows, n_links + 1);
  f->omega = ARENA_ARRAY(arena, vec3, n_links);
  f->x = ARENA_ARRAY(arena, double, l->size);
  f->variance = ARENA_ARRAY(arena, double, l->size);
}

enum status joint_filter_init(struct joint_filter **filter, const struct robot *robot,
                              const struct joint_filter_settings *settings, struct arena *arena) {
  if (check(settings) != STATUS_OK) {
    return STATUS_OUT_OF_RANGE;
  }
  struct joint_filter *place = ARENA_ARRAY(arena, struct joint_filter, 1), counting = {0};
  struct joint_filter *f = arena_is_counting(arena) || arena->failed ? &counting : place;
  *f = (struct joint_filter){
      .settings = *settings,
      .robot = robot,
      .layout = joint_layout_of(robot->model.n_joints, robot->fixed_base, settings->link_bias),
      .fixed_force = settings->fixed_base_force};
  const enum status status = init_parts(f, arena);
  carve_arrays(f, arena);
  if (status != STATUS_OK || arena_is_counting(arena)) {
    return status;
  }
  if (arena->failed) {
    return STATUS_NO_MEMORY;
  }
  for (size_t j = 0; j < f->layout.n; j++) {
    f->encoder_sd[j] = settings->encoder_noise;
  }
  joint_filter_reset(f);
  *filter = f;
  return STATUS_OK;
}

/* What the cells' places tell before any reading: how large biases may be. */
static void survey(struct joint_filter *f) {
  skin_fusion_assume_all(&f->fusion);
  for (size_t i = 0; i < f->fusion.n_links; i++) {
    f->block[i] = skin_fusion_rows(&f->fusion.link[i]);
  }
  link_bias_survey(&f->link_bias, f->block, f->fusion.n_links);
  joint_filter_update_priors(f);
}

/* -- beginning ------------------------------------------------------------------------------- */

void joint_filter_reset(struct joint_filter *f) {
  instants_clear(&f->instants);
  encoder_guard_reset(&f->guard);
  link_bias_reset(&f->link_bias);
  survey(f);
  gyro_bias_reset(&f->gyro, f->settings.gyro_noise);
  for (size_t j = 0; j < f->layout.n; j++) {
    f->density[j] = f->settings.joint_density;
  }
  for (size_t i = 0; i < f->jump.count; i++) {
    f->jump.allowed[i] = i < f->layout.base || i >= f->layout.base + f->layout.n;
  }
  f->running = false;
  f->preparation.of = NULL;
  f->preparation.interval_ns = 0;
  f->settled_ns = f->settled_skin_ns = 0;
  f->nis_mean = 1.0;
  for (size_t stream = 0; stream < FILTER_STREAMS; stream++) {
    f->stream_nis_mean[stream] = 1.0;
  }
}

static void set_variance(struct instant *first, const struct joint_layout *l, size_t from,
                         size_t count, double sd) {
  for (size_t i = from; i < from + count; i++) {
    first->P[i * (l->stride + 1)] = sd * sd;
  }
}

/* Biases as large as they may be; the sums that hold them are as much less known. */
static void open_bias(struct instant *first, const struct joint_layout *l, size_t sum, size_t bias,
                      double variance) {
  first->P[bias * l->stride + bias] = variance;
  first->P[sum * l->stride + sum] += variance;
  first->P[sum * l->stride + bias] = first->P[bias * l->stride + sum] = variance;
}

static void open_biases(const struct joint_filter *f, struct instant *first) {
  const struct joint_layout *l = &f->layout;
  for (size_t j = 0; j < l->biases; j++) {
    open_bias(first, l, l->ddq + j, l->bias + j, f->bias_prior[j]);
  }
  for (size_t i = 0; l->biases > 0 && i < l->base; i++) {
    open_bias(first, l, l->omegadot + i, l->bias_ang + i, f->bias_ang_prior);
  }
}

/* A triad that a body can feel; false for NaN. */
static bool is_plausible(vec3 v, double largest) {
  return fabs(v.x) < largest && fabs(v.y) < largest && fabs(v.z) < largest;
}

/* The first instant: encoders where they stand, the IMU's force, everything else unknown and wide.
 */
static void begin(struct joint_filter *f, const struct sensor_frame *frame) {
  const struct joint_layout *l = &f->layout;
  size_t index;
  instants_clear(&f->instants);
  instants_place(&f->instants, frame->joints.stamp.t_ns, STREAM_JOINTS, &index);
  struct instant *first = f->instants.at[index];
  memset(first->x, 0, l->size * sizeof(double));
  memset(first->P, 0, l->size * l->stride * sizeof(double));
  set_variance(first, l, l->dq, l->n, FIRST_RATE);
  set_variance(first, l, l->ddq, l->n, FIRST_ACCELERATION);
  set_variance(first, l, l->jerk, l->n, FIRST_JERK);
  set_variance(first, l, l->omega, l->base, FIRST_OMEGA);
  set_variance(first, l, l->omegadot, l->base, FIRST_ACCELERATION);
  set_variance(first, l, l->omegaddot, l->base, FIRST_JERK);
  set_variance(first, l, l->force, l->base, FIRST_FORCE);
  set_variance(first, l, l->forcedot, l->base, FIRST_FORCEDOT);
  open_biases(f, first);
  for (size_t j = 0; j < l->n; j++) {
    const bool given = encoder_is_plausible(frame->joints.q[j]);
    first->q[j] = first->x[l->q + j] = given ? frame->joints.q[j] : 0.0;
    first->q_used[j] = given;
    set_variance(first, l, l->q + j, 1, given ? f->encoder_sd[j] : 1.0);
  }
  if (l->base > 0) {
    const vec3 up = {0.0, 0.0, STANDARD_GRAVITY};
    const bool given = frame->imu.stamp.present &&
                       is_plausible(frame->imu.specific_force, LARGEST_FORCE) &&
                       f->robot->imu_link == 0;
    const mat3 *R = &f->robot->imu_placement.R;
    vec3_to(given ? mat3_mul_vec3(R, frame->imu.specific_force) : up, first->x + l->force);
  }
  first->filtered = first->streams;
  motion_bank_reset(&f->bank, first->x + l->q, f->encoder_sd);
  f->running = true;
  f->skin_ready = false;
  f->started_ns = first->t_ns;
  f->last_ns[0] = first->t_ns;
  f->settled_ns = first->t_ns;
}

/* Begins again with the next encoders; what was learned slowly is kept. */
static void start_over(struct joint_filter *f, int64_t t_ns) {
  f->running = false;
  f->preparation.of = NULL;
  memset(f->nis, 0, sizeof(f->nis));
  f->lost = false;
  f->contradicted_s = 0.0;
  f->counters.resets++;
  f->disturbed_ns = t_ns;
  f->nis_mean = 1.0;
  encoder_guard_reset(&f->guard);
}

/* -- samples --------------------------------------------------------------------------------- */

/* A stamp that time allows: new of its stream, not from the future. */
static bool is_timely(struct joint_filter *f, const struct stream_stamp *stamp, size_t stream,
                      int64_t now_ns) {
  if (!stamp->present || !stamp->fresh) {
    return false;
  }
  const int64_t ahead_ns = (int64_t)(FUTURE_PERIODS * f->settings.period_s * 1e9);
  if (stamp->t_ns <= 0 || stamp->t_ns > now_ns + ahead_ns) {
    f->counters.time_refused++;
    return false;
  }
  if (stamp->t_ns <= f->last_ns[stream]) {
    f->counters.duplicates++;
    return false;
  }
  return true;
}

/* The instant that takes a sample, or NULL; lowers `from` to its index. */
static struct instant *place(struct joint_filter *f, int64_t t_ns, enum stream stream, size_t bit,
                             size_t *from) {
  if (instants_full(&f->instants)) {
    joint_filter_settle(f);
  }
  const size_t before = f->instants.count;
  const struct instant *const oldest = f->instants.at[0];
  size_t index;
  if (instants_place(&f->instants, t_ns, stream, &index) != STATUS_OK) {
    f->counters.late_dropped++;
    return NULL;
  }
  f->last_ns[bit] = t_ns;
  if (f->instants.at[0] != oldest && f->instants.count == before && *from > 0) {
    (*from)--; /* the oldest was dropped: all indices moved down */
  }
  *from = index < *from ? index : *from;
  return f->instants.at[index];
}

static void take_joints(struct joint_filter *f, const struct sensor_frame *frame, size_t *from) {
  const struct joints_reading *joints = &frame->joints;
  if (!is_timely(f, &joints->stamp, 0, frame->t_ns)) {
    return;
  }
  struct instant *instant = place(f, joints->stamp.t_ns, STREAM_JOINTS, 0, from);
  if (instant != NULL) {
    memcpy(instant->q, joints->q, f->layout.n * sizeof(double));
  }
}

static void take_imu(struct joint_filter *f, const struct sensor_frame *frame, size_t *from) {
  const struct imu_reading *imu = &frame->imu;
  if (f->layout.base == 0 || !is_timely(f, &imu->stamp, 1, frame->t_ns)) {
    return;
  }
  const bool rate = is_plausible(imu->angular_rate, LARGEST_RATE),
             force = is_plausible(imu->specific_force, LARGEST_FORCE);
  f->counters.imu_rejected += !rate + !force;
  if (!rate && !force) {
    return;
  }
  const double dt = (double)(imu->stamp.t_ns - f->last_ns[1]) * 1e-9;
  struct instant *instant = place(f, imu->stamp.t_ns, STREAM_IMU, 1, from);
  if (instant == NULL) {
    return;
  }
  const vec3 nothing = {(double)NAN, (double)NAN, (double)NAN};
  instant->rate = rate ? imu->angular_rate : nothing;
  instant->force = force ? imu->specific_force : nothing;
  if (f->settings.gyro_bias && rate) {
    double fastest = 0.0;
    for (size_t j = 0; j < f->layout.n; j++) {
      fastest = fmax(fastest, fabs(f->x[f->layout.dq + j]));
    }
    gyro_bias_step(&f->gyro, imu->angular_rate, fastest, fmin(dt, f->settings.timeout_s));
  }
}

/* Angular velocities of the links, by the newest estimate, to screen cells with. */
static void update_omega(struct joint_filter *f) {
  const struct joint_layout *l = &f->layout;
  const double *x = instants_newest(&f->instants)->x;
  struct robot_motion motion = {.q = x + l->q, .dq = x + l->dq};
  motion.base.X_WB = POSE_IDENTITY;
  if (l->base > 0) {
    motion.base.v_B.ang = vec3_from(x + l->omega);
  }
  if (kinematics_update(&f->kin, &motion) == STATUS_OK) {
    for (size_t i = 0; i < f->robot->model.n_links; i++) {
      f->omega[i] = kinematics_v_L(&f->kin, i).ang;
    }
  }
}

size_t joint_filter_skin_rows(const struct joint_filter *f, struct link_rows *block) {
  size_t count = 0;
  for (size_t i = 0; i < f->fusion.n_links; i++) {
    const struct link_skin *link = &f->fusion.link[i];
    const bool moves = f->layout.base > 0 || link->link > 0;
    if (link->rank > 0 && moves) {
      block[count++] = skin_fusion_rows(link);
    }
  }
  return count;
}

static void take_skin(struct joint_filter *f, const struct sensor_frame *frame, size_t *from) {
  const struct skin_reading *skin = &frame->skin;
  if (!is_timely(f, &skin->stamp, 2, frame->t_ns) ||
      skin_fusion_step(&f->fusion, skin) != STATUS_OK) {
    return;
  }
  update_omega(f);
  cell_health_step(&f->health, &f->fusion, skin, f->omega);
  f->counters.cell_rejected = f->fusion.rejected + f->health.outliers;
  const int64_t last_ns = f->last_ns[2];
  struct instant *instant = place(f, skin->stamp.t_ns, STREAM_SKIN, 2, from);
  if (instant != NULL) {
    instant->n_blocks = joint_filter_skin_rows(f, instant->block);
    f->preparation.interval_ns = last_ns > 0 ? skin->stamp.t_ns - last_ns : 0;
  }
}

/* -- each cycle ------------------------------------------------------------------------------ */

/* True when the newest samples continue what came before. */
static bool continues(const struct joint_filter *f, const struct sensor_frame *frame) {
  const int64_t gap = frame->t_ns - instants_newest(&f->instants)->t_ns;
  return (double)gap * 1e-9 < f->settings.timeout_s || !frame->joints.stamp.fresh;
}

static void take_and_filter(struct joint_filter *f, const struct sensor_frame *frame) {
  size_t from = f->instants.count + FILTER_STREAMS;
  const int64_t skin_ns = f->last_ns[2];
  take_joints(f, frame, &from);
  take_imu(f, frame, &from);
  take_skin(f, frame, &from);
  for (size_t i = from > 0 ? from : 1; i < f->instants.count; i++) {
    if (!joint_filter_instant(f, i)) {
      start_over(f, frame->t_ns);
      return;
    }
  }
  if (f->nis_mean > NIS_DIVERGED && frame->t_ns - f->disturbed_ns > RESET_PAUSE_NS) {
    start_over(f, frame->t_ns);
  } else if (f->last_ns[2] == skin_ns) {
    joint_preparation_step(f); /* this cycle has time */
  }
}

/* Mean and variances at t_ns, ahead of the newest instant or at it. */
static void look_ahead(struct joint_filter *f, int64_t t_ns) {
  const struct joint_layout *l = &f->layout;
  const struct instant *newest = instants_newest(&f->instants);
  const double dt = fmax(0.0, (double)(t_ns - newest->t_ns) * 1e-9);
  const struct joint_densities densities = joint_filter_densities(f);
  memcpy(f->x, newest->x, l->size * sizeof(double));
  joint_process_mean(l, fmin(dt, f->settings.timeout_s), &densities, f->x);
  joint_process_unbias(l, f->x);
  joint_process_variance(l, fmin(dt, f->settings.timeout_s), &densities, newest->P, f->variance);
}

static enum estimate_status status_of(const struct joint_filter *f,
                                      const struct sensor_frame *frame) {
  const struct joint_filter_settings *s = &f->settings;
  const int64_t now = frame->t_ns;
  if (!f->running) {
    return f->counters.resets > 0 ? ESTIMATE_DIVERGED : ESTIMATE_INIT;
  }
  if ((double)(now - f->last_ns[0]) * 1e-9 > s->timeout_s) {
    return ESTIMATE_STALE;
  }
  const double settling = SETTLING_PERIODS * s->period_s;
  if (!f->skin_ready || (double)(now - f->started_ns) * 1e-9 < settling) {
    return f->counters.resets > 0 ? ESTIMATE_DIVERGED : ESTIMATE_INIT;
  }
  bool degraded = f->nis_mean > NIS_DEGRADED;
  for (size_t stream = 0; stream < FILTER_STREAMS; stream++) {
    degraded = degraded || f->stream_nis_mean[stream] > NIS_DEGRADED;
  }
  for (size_t j = 0; j < f->layout.n; j++) {
    degraded = degraded || f->guard.health[j] != ENCODER_OK;
  }
  degraded =
      degraded || (double)f->health.count[CELL_FAULTY] > CELLS_DEGRADED * (double)f->robot->n_cells;
  const double imu_age = (double)(now - f->last_ns[1]) * 1e-9,
               skin_age = (double)(now - f->last_ns[2]) * 1e-9;
  degraded = degraded || (f->layout.base > 0 && imu_age > s->timeout_s) ||
             (f->robot->n_cells > 0 && skin_age > s->timeout_s);
  return degraded ? ESTIMATE_DEGRADED : ESTIMATE_OK;
}

static void write_joints(const struct joint_filter *f, struct state_estimate *out) {
  const struct joint_layout *l = &f->layout;
  for (size_t j = 0; j < l->n; j++) {
    out->q[j] = f->x[l->q + j];
    out->dq[j] = f->x[l->dq + j];
    out->ddq[j] = f->x[l->ddq + j];
    out->jerk[j] = f->x[l->jerk + j];
    out->q_sd[j] = sqrt(f->variance[l->q + j]);
    out->dq_sd[j] = sqrt(f->variance[l->dq + j]);
    const bool biased = f->settings.link_bias && f->link_bias.observed[j];
    out->ddq_sd[j] = sqrt(f->variance[l->ddq + j] + (biased ? f->bank.bias_variance[j] : 0.0));
    out->joint_health[j] = f->guard.health[j];
  }
}

static void write_base(const struct joint_filter *f, struct state_estimate *out) {
  const struct joint_layout *l = &f->layout;
  const bool floating = l->base > 0;
  out->omega_B = floating ? vec3_from(f->x + l->omega) : VEC3_ZERO;
  out->omegadot_B = floating ? vec3_from(f->x + l->omegadot) : VEC3_ZERO;
  out->specific_force_B = floating ? vec3_from(f->x + l->force) : f->fixed_force;
  out->gyro_bias_B = mat3_mul_vec3(&f->robot->imu_placement.R, f->gyro.bias);
  out->estimated |= STATE_BASE_RATE | STATE_BASE_ANG_ACC | STATE_BASE_FORCE |
                    (f->gyro.known ? STATE_GYRO_BIAS : 0);
}

/* The last door: whatever went wrong inside, nothing that is no number leaves. */
static bool can_be_shown(const struct joint_filter *f) {
  bool fine = true;
  for (size_t i = 0; i < f->layout.size; i++) {
    fine = fine && isfinite(f->x[i]) && f->variance[i] > 0.0 && isfinite(f->variance[i]);
  }
  for (size_t stream = 0; stream < FILTER_STREAMS; stream++) {
    fine = fine && isfinite(f->nis[stream]);
  }
  return fine;
}

static void publish(struct joint_filter *f, const struct sensor_frame *frame,
                    struct state_estimate *out) {
  out->t_ns = frame->t_ns;
  out->status = status_of(f, frame);
  out->resets = (uint32_t)(f->counters.resets + f->counters.slips);
  out->n_joints = (uint32_t)f->layout.n;
  out->estimated &=
      ~(STATE_Q | STATE_DQ | STATE_DDQ | STATE_JERK | STATE_DEVIATIONS | STATE_BASE_RATE |
        STATE_BASE_ANG_ACC | STATE_BASE_FORCE | STATE_GYRO_BIAS | STATE_INNOVATIONS);
  if (!f->running) {
    return;
  }
  look_ahead(f, frame->t_ns);
  if (!can_be_shown(f)) {
    start_over(f, frame->t_ns);
    out->status = ESTIMATE_DIVERGED;
    return;
  }
  write_joints(f, out);
  write_base(f, out);
  out->nis_encoders = f->nis[0];
  out->nis_imu = f->nis[1];
  out->nis_skin = f->nis[2];
  out->estimated |=
      STATE_Q | STATE_DQ | STATE_DDQ | STATE_JERK | STATE_DEVIATIONS | STATE_INNOVATIONS;
}

void joint_filter_step(struct joint_filter *f, const struct sensor_frame *frame,
                       struct state_estimate *out) {
  f->counters.steps++;
  if (f->running && !continues(f, frame)) {
    start_over(f, frame->t_ns);
  }
  if (f->running) {
    take_and_filter(f, frame);
  } else if (frame->joints.stamp.present && is_timely(f, &frame->joints.stamp, 0, frame->t_ns)) {
    begin(f, frame);
  }
  publish(f, frame, out);
}

const struct joint_filter_counters *joint_filter_counters(const struct joint_filter *f) {
  return &f->counters;
}

const struct cell_health *joint_filter_cells(const struct joint_filter *f) {
  return &f->health;
}

const struct link_skin *joint_filter_skin(const struct joint_filter *f, size_t link) {
  const int i = f->fusion.of_link[link];
  return i >= 0 ? &f->fusion.link[i] : NULL;
}

bool joint_filter_uses(const struct joint_filter *filter, size_t cell) {
  return !filter->fusion.idle[cell];
}

void joint_filter_choose(struct joint_filter *filter, const bool *chosen) {
  skin_fusion_choose(&filter->fusion, chosen);
}

enum status joint_filter_adopt(struct joint_filter *f, const struct joint_filter *previous) {
  const struct joint_layout *l = &f->layout;
  if (l->size != previous->layout.size || l->n != previous->layout.n ||
      f->robot->model.n_links != previous->robot->model.n_links) {
    return STATUS_BAD_ARGUMENT;
  }
  f->gyro = previous->gyro;
  memcpy(f->density, previous->density, l->n * sizeof(double));
  memcpy(f->link_bias.bias, previous->link_bias.bias,
         f->robot->model.n_links * sizeof(*f->link_bias.bias));
  memcpy(f->link_bias.relative, previous->link_bias.relative,
         f->robot->model.n_links * sizeof(*f->link_bias.relative));
  memcpy(f->link_bias.variance, previous->link_bias.variance,
         f->robot->model.n_links * sizeof(*f->link_bias.variance));
  memcpy(f->bank.joint, previous->bank.joint, l->n * sizeof(*f->bank.joint));
  f->counters = previous->counters;
  if (!previous->running) {
    return STATUS_OK;
  }
  const struct instant *newest = instants_newest(&previous->instants);
  size_t index;
  f->preparation.of = NULL;
  instants_clear(&f->instants);
  instants_place(&f->instants, newest->t_ns, STREAM_JOINTS, &index);
  struct instant *first = f->instants.at[index];
  memcpy(first->x, newest->x, l->size * sizeof(double));
  memcpy(first->P, newest->P, l->size * l->stride * sizeof(double));
  memcpy(first->q, newest->q, l->n * sizeof(double));
  memset(first->q_used, 0, l->n * sizeof(bool));
  first->filtered = first->streams;
  memcpy(f->last_ns, previous->last_ns, sizeof(f->last_ns));
  f->running = true;
  f->started_ns = previous->started_ns;
  f->skin_ready = previous->skin_ready;
  f->settled_ns = first->t_ns;
  return STATUS_OK;
}
