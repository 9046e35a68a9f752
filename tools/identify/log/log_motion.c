#include "identify/log/log_motion.h"

#include "identify/log/low_pass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Shares of a period: stamps that deviate by more are uneven; a gap of more periods is a hole. */
static const double UNEVEN = 0.02, HOLE = 20.0;
/* Periods: stamps may jitter by that much, and samples be missed, before motion is a jump. */
static const double JITTER = 5.0;
/* s between rows: no log of a motion comes slower or faster. */
static const double SLOWEST = 0.2, FASTEST = 1e-6;
/* Faster than this many times its limit no joint moves; without a limit, rad/s or m/s. */
static const double TOO_FAST = 3.0, FAST = 100.0;
/* Beyond this many times its limits a position or torque has another unit. */
static const double UNIT = 3.0, TORQUE_UNIT = 20.0;
/* rad or m: a joint that moves less stands still. */
static const double STILL = 1e-3;

/* Hz; and the cutoff in mean frequencies of the velocity: what moves lies below, ripple above. */
static const double MOST_CUTOFF = 20.0, LEAST_CUTOFF = 2.0, MEAN_FREQUENCIES = 20.0;

struct maker {
  const struct log_table *table;
  const struct log_map *map;
  const struct model *model;
  const struct log_settings *settings;
  const char *file;
  struct message *error;
  double *t, *q, *tau; /* [rows] s; [rows][n_joints] as logged, joint side */
};

/* -- joint side ------------------------------------------------------------------------------- */

static double stamp(const struct maker *m, size_t row) {
  if (m->map->time[0] == '\0') {
    return (double)row / m->map->rate_hz;
  }
  const size_t column = (size_t)log_table_find(m->table, m->map->time);
  return m->map->time_scale * m->table->value[row * m->table->n_columns + column];
}

/* q = K^-1 motor, for couplings without a circle: as many passes as there are couplings settle
 * it. */
static void joints_from_motors(const struct log_map *map, size_t n, const double *motor,
                               double *q) {
  for (size_t j = 0; j < n; j++) {
    q[j] = motor[j] / map->joint[j].reduction;
  }
  for (size_t pass = 0; pass < map->n_couplings; pass++) {
    double turned[MODEL_MAX_JOINTS] = {0.0};
    for (size_t c = 0; c < map->n_couplings; c++) {
      turned[map->coupling[c].motor] += map->coupling[c].ratio * q[map->coupling[c].joint];
    }
    for (size_t j = 0; j < n; j++) {
      q[j] = (motor[j] - turned[j]) / map->joint[j].reduction;
    }
  }
}

/* tau = gain K^T motor */
static void torques_from_motors(const struct log_map *map, size_t n, const double *motor,
                                double *tau) {
  for (size_t j = 0; j < n; j++) {
    tau[j] = map->joint[j].reduction * motor[j];
  }
  for (size_t c = 0; c < map->n_couplings; c++) {
    tau[map->coupling[c].joint] += map->coupling[c].ratio * motor[map->coupling[c].motor];
  }
  for (size_t j = 0; j < n; j++) {
    tau[j] *= map->joint[j].gain;
  }
}

static void take_rows(struct maker *m) {
  const size_t n = m->model->n_joints;
  size_t q_at[MODEL_MAX_JOINTS], tau_at[MODEL_MAX_JOINTS];
  for (size_t j = 0; j < n; j++) {
    q_at[j] = (size_t)log_table_find(m->table, m->map->joint[j].position);
    tau_at[j] = (size_t)log_table_find(m->table, m->map->joint[j].torque);
  }
  for (size_t k = 0; k < m->table->n_rows; k++) {
    const double *row = m->table->value + k * m->table->n_columns;
    double q[MODEL_MAX_JOINTS], tau[MODEL_MAX_JOINTS];
    for (size_t j = 0; j < n; j++) {
      q[j] = m->map->joint[j].scale * row[q_at[j]];
      tau[j] = row[tau_at[j]];
    }
    joints_from_motors(m->map, n, q, m->q + k * n);
    torques_from_motors(m->map, n, tau, m->tau + k * n);
    for (size_t j = 0; j < n; j++) {
      m->q[k * n + j] += m->map->joint[j].offset;
    }
    m->t[k] = stamp(m, k);
  }
}

/* -- what can be wrong ------------------------------------------------------------------------ */

static enum status check_stamps(const struct maker *m, double *dt) {
  const size_t rows = m->table->n_rows;
  const double mean = rows > 1 ? (m->t[rows - 1] - m->t[0]) / (double)(rows - 1) : 0.0;
  for (size_t k = 1; k < rows; k++) {
    const double step = m->t[k] - m->t[k - 1];
    if (!(step >= 0.0)) {
      message_set(m->error, "%s:%zu: column '%s': %.9g s is before the row above, %.9g s", m->file,
                  m->table->line[k], m->map->time, m->t[k], m->t[k - 1]);
      return STATUS_BAD_ARGUMENT;
    }
    if (step > HOLE * mean) {
      message_set(m->error, "%s:%zu: column '%s': a hole of %.3g s, rows come every %.3g s",
                  m->file, m->table->line[k], m->map->time, step, mean);
      return STATUS_BAD_ARGUMENT;
    }
  }
  if (!(m->t[rows - 1] - m->t[0] >= 1.0) || rows < 100) {
    message_set(m->error, "%s: %zu rows over %.3g s, at least 100 over 1 s are needed", m->file,
                rows, m->t[rows - 1] - m->t[0]);
    return STATUS_TOO_FEW;
  }
  if (mean > SLOWEST || mean < FASTEST) {
    message_set(m->error,
                "%s: column '%s': rows come every %.3g s, %g s to %g s are possible: another unit "
                "(time_scale: %s)?",
                m->file, m->map->time, mean, FASTEST, SLOWEST,
                mean > 1e4    ? "1e-9 for ns"
                : mean > 10.0 ? "1e-6 for us"
                              : "1e-3 for ms");
    return STATUS_OUT_OF_RANGE;
  }
  *dt = mean;
  return STATUS_OK;
}

static enum status check_jumps(const struct maker *m, size_t j, double dt) {
  const struct joint *joint = &m->model->joint[j];
  const size_t n = m->model->n_joints;
  const double limit = isfinite(joint->dq_max) ? TOO_FAST * joint->dq_max : FAST;
  for (size_t k = 1; k < m->table->n_rows; k++) {
    const double step = fmax(m->t[k] - m->t[k - 1], JITTER * dt);
    const double jump = m->q[k * n + j] - m->q[(k - 1) * n + j];
    if (fabs(jump) > limit * step + 1e-3) {
      message_set(m->error,
                  "%s:%zu: column '%s': joint '%s' jumps by %.4g rad in %.3g s, the maximum is "
                  "%.4g rad/s",
                  m->file, m->table->line[k], m->map->joint[j].position, joint->name, jump, step,
                  limit);
      return STATUS_BAD_ARGUMENT;
    }
  }
  return STATUS_OK;
}

static enum status check_size(const struct maker *m, size_t j) {
  const struct joint *joint = &m->model->joint[j];
  const size_t n = m->model->n_joints;
  double low = HUGE_VAL, high = -HUGE_VAL, tau = 0.0;
  bool torque_moves = false;
  size_t at = 0;
  for (size_t k = 0; k < m->table->n_rows; k++) {
    const double q = m->q[k * n + j];
    at = fabs(q) > fmax(fabs(low), fabs(high)) || k == 0 ? k : at;
    low = fmin(low, q);
    high = fmax(high, q);
    tau = fmax(tau, fabs(m->tau[k * n + j]));
    torque_moves = torque_moves || m->tau[k * n + j] != m->tau[j];
  }
  if (!torque_moves && !m->settings->allow_still) {
    message_set(m->error, "%s: column '%s': the torque of joint '%s' is %g N m in every row",
                m->file, m->map->joint[j].torque, joint->name, m->tau[j]);
    return STATUS_BAD_ARGUMENT;
  }
  const double reach = fmax(fabs(joint->q_min), fabs(joint->q_max));
  if (isfinite(reach) && fmax(fabs(low), fabs(high)) > UNIT * reach + 0.1) {
    message_set(
        m->error,
        "%s:%zu: column '%s': joint '%s' is at %.4g rad, its limit is %.4g rad: another unit "
        "(unit: deg), or motor side (reduction)?",
        m->file, m->table->line[at], m->map->joint[j].position, joint->name, m->q[at * n + j],
        reach);
    return STATUS_BAD_ARGUMENT;
  }
  if (isfinite(joint->tau_max) && tau > TORQUE_UNIT * joint->tau_max) {
    message_set(m->error,
                "%s: column '%s': joint '%s' has up to %.4g N m, its limit is %.4g N m: another "
                "unit (gain)?",
                m->file, m->map->joint[j].torque, joint->name, tau, joint->tau_max);
    return STATUS_BAD_ARGUMENT;
  }
  if (!m->settings->allow_still && high - low < STILL) {
    message_set(
        m->error,
        "%s: column '%s': joint '%s' stands still (%.3g rad between extremes): its friction "
        "cannot be told (--allow-still takes it as it is)",
        m->file, m->map->joint[j].position, joint->name, high - low);
    return STATUS_BAD_ARGUMENT;
  }
  return STATUS_OK;
}

/* -- even samples ----------------------------------------------------------------------------- */

static bool is_uneven(const struct maker *m, double dt) {
  double worst = 0.0;
  for (size_t k = 0; k < m->table->n_rows; k++) {
    worst = fmax(worst, fabs(m->t[k] - m->t[0] - dt * (double)k));
  }
  return worst > UNEVEN * dt;
}

/* Cubic through four neighbours (Lagrange), at t between the middle two; stamps that repeat have
 * been taken out. */
static double cubic(const double *t, const double *x, size_t stride, double at) {
  double sum = 0.0;
  for (int i = 0; i < 4; i++) {
    double weight = 1.0;
    for (int k = 0; k < 4; k++) {
      weight *= k == i ? 1.0 : (at - t[k]) / (t[i] - t[k]);
    }
    sum += weight * x[(size_t)i * stride];
  }
  return sum;
}

/* Rows with the stamp of the row before them go. */
static size_t drop_repeated(struct maker *m) {
  const size_t n = m->model->n_joints;
  size_t kept = 0;
  for (size_t k = 0; k < m->table->n_rows; k++) {
    if (kept == 0 || m->t[k] > m->t[kept - 1]) {
      m->t[kept] = m->t[k];
      memmove(m->q + kept * n, m->q + k * n, n * sizeof(double));
      memmove(m->tau + kept * n, m->tau + k * n, n * sizeof(double));
      kept++;
    }
  }
  return kept;
}

/* Positions by cubics; torques, which are noisier, by lines. */
static void resample(struct maker *m, struct log_motion *motion) {
  const size_t rows = drop_repeated(m), n = motion->n_joints;
  size_t at = 1;
  for (size_t k = 0; k < motion->n; k++) {
    const double t = m->t[0] + motion->dt * (double)k;
    while (at + 3 < rows && m->t[at + 1] < t) {
      at++;
    }
    const double *stamps = m->t + at - 1;
    const double share = fmin(fmax((t - stamps[1]) / (stamps[2] - stamps[1]), -1.0), 2.0);
    for (size_t j = 0; j < n; j++) {
      const double *tau = m->tau + at * n + j;
      motion->q[k * n + j] = cubic(stamps, m->q + (at - 1) * n + j, n, t);
      motion->tau[k * n + j] = tau[0] + share * (tau[n] - tau[0]);
    }
  }
}

/* -- smooth motion ---------------------------------------------------------------------------- */

static void differentiate(struct log_motion *motion) {
  const size_t n = motion->n_joints;
  const double h = motion->dt;
  for (size_t k = 1; k + 1 < motion->n; k++) {
    const double *q = motion->q + k * n;
    for (size_t j = 0; j < n; j++) {
      const double before = q[j - n], after = q[j + n];
      motion->dq[k * n + j] = (after - before) / (2.0 * h);
      motion->ddq[k * n + j] = (after - 2.0 * q[j] + before) / (h * h);
    }
  }
}

static void cut_borders(struct log_motion *motion, double border_s) {
  size_t cut = 1 + (size_t)lround(border_s / motion->dt);
  cut = 3 * cut > motion->n ? motion->n / 3 : cut;
  const size_t kept = motion->n - 2 * cut, n = motion->n_joints;
  double *const of[] = {motion->q, motion->dq, motion->ddq, motion->tau};
  for (size_t i = 0; i < 4; i++) {
    memmove(of[i], of[i] + cut * n, kept * n * sizeof(double));
  }
  motion->start += motion->dt * (double)cut;
  motion->n = kept;
}

static void filter_positions(struct log_motion *motion, double cutoff_hz) {
  const struct low_pass filter = low_pass_design(cutoff_hz, 1.0 / motion->dt);
  for (size_t j = 0; j < motion->n_joints; j++) {
    low_pass_both_ways(&filter, motion->q + j, motion->n, motion->n_joints);
  }
}

/* The highest mean frequency of a joint's velocity, Hz: rms(ddq) / rms(dq) / 2 pi. */
static double mean_frequency(const struct log_motion *motion) {
  double highest = 0.0;
  for (size_t j = 0; j < motion->n_joints; j++) {
    double dq = 0.0, ddq = 0.0;
    for (size_t k = j; k < motion->n * motion->n_joints; k += motion->n_joints) {
      dq += motion->dq[k] * motion->dq[k];
      ddq += motion->ddq[k] * motion->ddq[k];
    }
    highest = dq > 0.0 ? fmax(highest, sqrt(ddq / dq) / (2.0 * M_PI)) : highest;
  }
  return highest;
}

/* Above this no cutoff is chosen, Hz. */
static double most_cutoff(const struct log_motion *motion) {
  return fmin(MOST_CUTOFF, 0.2 / motion->dt);
}

double log_motion_cutoff(const struct log_motion *motion, const struct log_settings *settings) {
  const double chosen = fmax(LEAST_CUTOFF, MEAN_FREQUENCIES * mean_frequency(motion));
  return settings->cutoff_hz > 0.0 ? settings->cutoff_hz : fmin(most_cutoff(motion), chosen);
}

static enum status smooth(const struct maker *m, struct log_motion *motion) {
  const double rate = 1.0 / motion->dt;
  if (m->settings->cutoff_hz <= 0.0) { /* the motion is looked at below the highest of all */
    filter_positions(motion, most_cutoff(motion));
    differentiate(motion);
  }
  motion->cutoff_hz = log_motion_cutoff(motion, m->settings);
  if (motion->cutoff_hz >= 0.45 * rate) {
    message_set(m->error, "%s: a cutoff of %g Hz is too near to half the rate of %g Hz", m->file,
                motion->cutoff_hz, rate);
    return STATUS_OUT_OF_RANGE;
  }
  filter_positions(motion, motion->cutoff_hz);
  differentiate(motion);
  const double border = m->settings->border_s;
  cut_borders(motion, border >= 0.0 ? border : 4.0 / motion->cutoff_hz);
  return STATUS_OK;
}

static enum status make(struct maker *m, struct log_motion *motion) {
  const size_t n = m->model->n_joints;
  take_rows(m);
  enum status status = check_stamps(m, &motion->dt);
  for (size_t j = 0; j < n && status == STATUS_OK; j++) {
    status = check_size(m, j);
    if (status == STATUS_OK) {
      status = check_jumps(m, j, motion->dt);
    }
  }
  if (status != STATUS_OK) {
    return status;
  }
  motion->start = m->t[0];
  motion->resampled = is_uneven(m, motion->dt);
  if (motion->resampled) {
    resample(m, motion);
  } else {
    memcpy(motion->q, m->q, motion->n * n * sizeof(double));
    memcpy(motion->tau, m->tau, motion->n * n * sizeof(double));
  }
  return smooth(m, motion);
}

static double *numbers(size_t n) {
  return calloc(n, sizeof(double));
}

enum status log_motion_make(const struct log_table *table, const struct log_map *map,
                            const struct model *model, const struct log_settings *settings,
                            const char *file, struct log_motion *motion, struct message *error) {
  const size_t size = table->n_rows * model->n_joints;
  struct maker m = {table, map, model, settings, file, error, NULL, NULL, NULL};
  struct log_motion made = {.n_joints = model->n_joints, .n = table->n_rows};
  m.t = numbers(table->n_rows);
  m.q = numbers(size);
  m.tau = numbers(size);
  made.q = numbers(size);
  made.dq = numbers(size);
  made.ddq = numbers(size);
  made.tau = numbers(size);
  const bool memory = m.t != NULL && m.q != NULL && m.tau != NULL && made.q != NULL &&
                      made.dq != NULL && made.ddq != NULL && made.tau != NULL;
  if (!memory) {
    message_set(error, "%s: no memory for %zu samples", file, table->n_rows);
  }
  const enum status status = memory ? make(&m, &made) : STATUS_NO_MEMORY;
  free(m.t);
  free(m.q);
  free(m.tau);
  if (status == STATUS_OK) {
    *motion = made;
  } else {
    log_motion_free(&made);
  }
  return status;
}

void log_motion_free(struct log_motion *motion) {
  free(motion->q);
  free(motion->dq);
  free(motion->ddq);
  free(motion->tau);
  free(motion->base);
  *motion = (struct log_motion){0};
}
