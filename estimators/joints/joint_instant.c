#include "joints/joint_instant.h"

#include "joints/encoder_gates.h"
#include "joints/imu_gates.h"
#include "joints/imu_votes.h"
#include "joints/joint_base.h"
#include "joints/joint_doubt.h"
#include "joints/joint_feet.h"
#include "joints/joint_filter_core.h"
#include "joints/joint_settle.h"
#include "process/base_process.h"
#include "process/considered.h"
#include "process/joint_covariance.h"
#include "process/joint_silence.h"
#include "update/encoder_rows.h"
#include "update/prior_opening.h"

#include <math.h>
#include <string.h>

/* How well an update must tell a step to be asked about it, per s^2. */
static const double JUMP_WORST_SD = 10.0;
/* So long after a joint has begun anew none is found, ns. */
static const int64_t ANEW_NS = 50000000;
/* Updates over which the normalised innovation is averaged, and the largest that counts. */
static const double NIS_MEMORY = 50.0, NIS_CAP = 100.0, STREAM_NIS_CAP = 20.0;
/* Skin joins once all velocities are known this well, per s, or so long after the start: before,
 * its centripetal terms are quadratic in what is not known, which sigma points so close to the mean
 * do not see. */
static const double READY_RATE_SD = 0.2, READY_TIME = 0.3;
/* ... and when the gyro's bias is known so well, rad/s. */
static const double READY_BIAS_SD = 0.01;
/* After a silence that has left a velocity so unknown, per s, it is as before. */
static const double LOST_RATE_SD = 0.5;
/* Over so many instants the time between two is averaged. */
static const double INTERVALS = 100.0;

/* -- innovations ------------------------------------------------------------------------------ */

static void note_encoder_nis(struct joint_filter *f, const struct instant *now) {
  size_t used;
  const double sum = encoder_rows_nis(&f->layout, now, f->encoder_sd, now->x, now->P, &used);
  f->fit.nis[0] = used > 0 ? sum / (double)used : 0.0;
}

/* Skin is taken at this instant: velocities are known well enough for its centripetal terms. */
static bool takes_skin(const struct joint_filter *f, const struct instant *now) {
  return (now->streams & STREAM_SKIN) && now->n_blocks > 0 && joint_filter_hears_skin(f);
}

/* Normalised innovations of the blocks that the update has just seen. */
static void note_block_nis(struct joint_filter *f, const struct instant *now) {
  double skin = 0.0;
  size_t row = 0;
  for (size_t b = 0; b < now->n_blocks; b++) {
    skin += joint_update_block_nis(&f->update, row, now->block[b].rank);
    row += now->block[b].rank;
  }
  f->fit.nis[2] = row > 0 ? skin / (double)row : 0.0;
}

/* -- update ----------------------------------------------------------------------------------- */

static void take_over_pending(const struct joint_filter *f, const struct instant *before,
                              struct instant *now) {
  now->pending.since_ns = before->pending.since_ns;
  memcpy(now->pending.told, before->pending.told, f->layout.n * sizeof(*now->pending.told));
}

static void clear_pending(const struct joint_filter *f, struct instant *now) {
  now->pending.since_ns = 0;
  memset(now->pending.told, 0, f->layout.n * sizeof(*now->pending.told));
}

/* Kicks, before which P takes what it has been without: of what was, it says nothing later. */
static enum status open_prior(struct joint_filter *f, const struct instant *before,
                              const struct instant *now, const struct encoders_pending *pending,
                              double dt, double *x, double *P) {
  enum status status = STATUS_OK;
  if (prior_is_kicked(&f->layout, now)) {
    row_update_begin(&f->rows);
    encoder_rows_add_pending(&f->rows, pending, P);
    row_update_expect(&f->rows, P);
    status = row_update_apply(&f->rows, x, P);
  }
  prior_open(&f->layout, before, now, dt, x, P);
  return status;
}

/* The newest instant before `index` at which a stream was sampled; the oldest when none was. */
static const struct instant *sampled_before(const struct joint_filter *f, size_t index,
                                            enum stream stream) {
  size_t i = index - 1;
  while (i > 0 && !(f->instants.at[i]->streams & stream)) {
    i--;
  }
  return f->instants.at[i];
}

/* What the IMU may have seen happen between two samples: stamps of arrival come closer to each
 * other than the samples did. */
static double imu_interval(const struct joint_filter *f, size_t index) {
  const struct instant *before = sampled_before(f, index, STREAM_IMU);
  const double apart = (double)(f->instants.at[index]->t_ns - before->t_ns) * 1e-9;
  return fmax(apart, f->settings.period_s);
}

static void predict(const struct joint_filter *f, const struct instant *before,
                    const struct instant *now, double *x, double *P) {
  const double dt = (double)(now->t_ns - before->t_ns) * 1e-9;
  const double silence = joint_silence_of(dt, f->interval_s);
  struct joint_densities densities = joint_filter_densities(f);
  joint_feet_loosen(f, before, &densities);
  memcpy(x, before->x, f->layout.numbers * sizeof(double));
  joint_process_mean(&f->layout, dt - silence, &densities, x);
  joint_covariance_predict(&f->layout, dt - silence, &densities, before->x, before->P, P);
  if (silence > 0.0) {
    joint_silence_step(&f->layout, silence, x, P);
  }
}

enum status joint_instant_predict(struct joint_filter *f, size_t index, double *x, double *P) {
  const struct instant *now = f->instants.at[index], *before = f->instants.at[index - 1];
  predict(f, before, now, x, P);
  const enum status status =
      open_prior(f, before, now, &before->pending, imu_interval(f, index), x, P);
  return status == STATUS_OK ? joint_base_update(f, now, ENCODERS_LEFT, x, P) : status;
}

/* Normalised innovation of a stream as far as it counts. What was refused counts for the most, or a
 * filter that refuses whatever it cannot explain would seem to be well. */
static double counted_nis(const struct joint_filter *f, size_t stream) {
  const bool refused = f->imu_refused && 1u << stream == STREAM_IMU;
  return refused ? STREAM_NIS_CAP : fmin(f->fit.nis[stream], STREAM_NIS_CAP);
}

/* What jumps explain is no sign of a lost filter. */
static void watch_consistency(struct joint_filter *f, double explained, bool skin, unsigned fresh) {
  for (size_t stream = 0; stream < FILTER_STREAMS; stream++) {
    if (fresh & (1u << stream)) {
      f->fit.stream_mean[stream] +=
          (counted_nis(f, stream) - f->fit.stream_mean[stream]) / NIS_MEMORY;
    }
  }
  const size_t rows = f->fit.few_rows + (skin ? f->update.rows : 0);
  if (rows > 0) {
    const double sum = f->fit.few_nis + (skin ? f->update.nis - explained : 0.0);
    f->fit.mean += (fmin(sum / (double)rows, NIS_CAP) - f->fit.mean) / NIS_MEMORY;
  }
}

/* A jump found now began at some time since the last look, `dt` ago: on average half of that time
 * has already gone into the velocity below it, and nobody knows how much exactly. */
static void spread_jumps(struct joint_filter *f, struct instant *now, size_t found, double dt) {
  const struct joint_layout *l = &f->layout;
  for (size_t k = 0; k < found; k++) {
    const size_t state = l->observed - 1 - f->jump.order[k];
    const bool of_joint = state >= l->ddq && state < l->ddq + l->n;
    if (!of_joint && state >= l->ddq) {
      continue; /* the base's force integrates to nothing that is estimated */
    }
    const size_t below = of_joint ? state - l->ddq + l->dq : state - l->omegadot + l->omega;
    const double gained = f->jump.step[k] * dt;
    f->struck_ns = fabs(f->jump.step[k]) > STRIKE ? now->t_ns : f->struck_ns;
    now->x[below] += 0.5 * gained;
    now->P[below * (l->stride + 1)] += gained * gained / 12.0;
    if (of_joint) {
      now->x[state - l->ddq + l->q] += gained * dt / 6.0;
    }
  }
}

/* Time since the skin last looked, by the instants before `index`; the window when it did not. */
static double time_since_skin(const struct joint_filter *f, size_t index) {
  const struct instant *before = sampled_before(f, index, STREAM_SKIN);
  return (double)(f->instants.at[index]->t_ns - before->t_ns) * 1e-9;
}

static bool velocities_are_known(const struct joint_filter *f, const struct instant *now,
                                 double sd) {
  const struct joint_layout *l = &f->layout;
  bool known = true;
  for (size_t i = l->dq; i < l->nonlinear; i++) {
    known = known && now->P[i * (l->stride + 1)] < sd * sd;
  }
  return known;
}

/* A robot that hangs from the start sways by less than what skin is off by passes for, and nothing
 * but its gyro tells it, whose bias feet have yet to tell. */
static bool turn_is_known(const struct joint_filter *f, const struct instant *now) {
  const struct joint_layout *l = &f->layout;
  return !f->base_imu || l->n_feet == 0 ||
         joint_process_worst_sd(l, now->P, l->gyro_bias) < READY_BIAS_SD;
}

static void ask_ready(struct joint_filter *f, const struct instant *now) {
  f->turn_known = f->turn_known || turn_is_known(f, now);
  f->skin_ready = f->skin_ready || velocities_are_known(f, now, READY_RATE_SD) ||
                  (double)(now->t_ns - f->sought_ns) * 1e-9 > READY_TIME;
}

/* After a silence: which feet stand now is not known yet. */
static void end_silence(struct joint_filter *f, const struct instant *now, double dt) {
  f->counters.silences++;
  f->silence_s = dt;
  for (size_t i = 0; i < f->instants.count; i++) {
    struct instant *at = f->instants.at[i];
    if (at->t_ns >= now->t_ns) {
      memset(at->contact, 0, sizeof(at->contact));
    }
  }
  if (!velocities_are_known(f, now, LOST_RATE_SD)) {
    f->skin_ready = false;
    f->sought_ns = now->t_ns;
  }
}

static bool is_sound(const struct joint_layout *l, const double *x, const double *P) {
  bool sound = true;
  for (size_t i = 0; i < l->size; i++) {
    sound = sound && isfinite(x[i]) && P[i * l->stride + i] > 0.0 && isfinite(P[i * l->stride + i]);
  }
  return sound;
}

static void note_interval(struct joint_filter *f, const struct instant *now, double dt) {
  f->interval_s += (fmin(dt, SILENCE_S) - f->interval_s) / INTERVALS;
  if (dt > SILENCE_S && joint_silence_of(dt, f->interval_s) > 0.0) {
    end_silence(f, now, dt);
  }
}

/* Its base's IMU tells a force that is taken. */
static bool feels_force(const struct joint_filter *f, const struct instant *now) {
  const bool told = isfinite(now->force.x + now->force.y + now->force.z);
  return f->base_imu && (now->streams & STREAM_IMU) && told;
}

/* The prior of what is new, judged by it as it comes; opened where it contradicts. */
static enum status prepare_prior(struct joint_filter *f, size_t index) {
  const struct instant *before = f->instants.at[index - 1];
  struct instant *now = f->instants.at[index];
  const double dt = (double)(now->t_ns - before->t_ns) * 1e-9;
  const double apart = imu_interval(f, index);
  const unsigned fresh = now->streams & ~now->filtered;
  predict(f, before, now, now->x, now->P);
  take_over_pending(f, before, now);
  if (now->filtered == 0) {
    note_interval(f, now, dt);
  }
  if (fresh & STREAM_IMU) {
    imu_gates_step(f, now);
  }
  if (now->streams & STREAM_IMU) {
    imu_gates_open(f, sampled_before(f, index, STREAM_IMU), now, apart);
  }
  if (fresh & STREAM_JOINTS) {
    encoder_gates_step(f, now);
    note_encoder_nis(f, now);
  }
  if (fresh & STREAM_IMU) {
    joint_base_open_limbs(f, now, apart);
  }
  now->felt_ns = feels_force(f, now) ? now->t_ns : before->felt_ns;
  const enum status status = open_prior(f, before, now, &now->pending, apart, now->x, now->P);
  if (prior_is_kicked(&f->layout, now)) {
    clear_pending(f, now);
  }
  return status;
}

/* Takes prior and posterior covariance from the preparation; its place gets what stood there. */
static void take_prepared(struct joint_filter *f, struct instant *now, struct considered *bias) {
  struct joint_preparation *p = &f->preparation;
  double *P = now->P;
  *bias = p->bias;
  memcpy(now->x, p->x, f->layout.numbers * sizeof(double));
  now->P = p->P;
  p->P = P;
  p->of = NULL;
  f->counters.prepared++;
}

/* -- skin ------------------------------------------------------------------------------------- */

/* Rows do not count what a rate that they leave alone is off by. The base's is little beside their
 * noise; those of many joints add up, so each has to be known ten times as well. */
static const double JOINT_SHARE = 0.1;

struct joint_measurement joint_instant_measurement(const struct joint_filter *f, size_t index) {
  static const bool none[MODEL_MAX_JOINTS];
  const struct instant *now = f->instants.at[index];
  const double rate_error = f->layout.biases > 0 ? f->rate_error : 0.0;
  return (struct joint_measurement){
      .q = now->q,
      .q_used = now->streams & STREAM_JOINTS ? now->q_used : none,
      .q_sd = f->encoder_sd,
      .q_enough = f->q_enough,
      .dq_enough = JOINT_SHARE * rate_error,
      .omega_enough = rate_error,
      .q_told = prior_is_kicked(&f->layout, now) ? NULL : f->instants.at[index - 1]->pending.told,
      .n_blocks = now->n_blocks,
      .block = now->block,
  };
}

/* The rows of what is believed of a fresh sample; they are computed anew when some of it is not. */
static enum status skin_rows(struct joint_filter *f, size_t index, bool *prepared, bool *anew) {
  struct instant *now = f->instants.at[index];
  struct joint_measurement z = joint_instant_measurement(f, index);
  enum status status = STATUS_OK;
  if (f->limb != NULL) {
    joint_points_carry(&f->update.points, now->carried_rate, now->carried);
  }
  if (!*prepared) {
    status = joint_update_prepare_rows(&f->update, &z, now->x, now->P);
  }
  if (status != STATUS_OK || !(now->streams & ~now->filtered & STREAM_SKIN)) {
    return status;
  }
  joint_points_read(&f->update.points, z.block, z.n_blocks);
  bool convict = false;
  if (link_votes_take(f, now, &convict) == 0 && !convict) {
    return STATUS_OK;
  }
  *anew = true;
  if (*prepared) { /* its prior is gone */
    *prepared = false;
    status = joint_instant_predict(f, index, now->x, now->P);
  }
  if (convict) {
    joint_doubt_convict(f, now, IMU_BOTH);
  }
  z = joint_instant_measurement(f, index);
  return status == STATUS_OK ? joint_update_prepare_rows(&f->update, &z, now->x, now->P) : status;
}

/* What skin teaches of the gyro's bias. */
static const double NOTHING[CONSIDERED_GYRO] = {0.0};

/* A joint has begun anew just now. What skin was off by while its encoder was wrong has been taken
 * for a bias, here and there; that it no longer fits is no jump. */
static bool begins_anew(const struct joint_filter *f, const struct instant *now) {
  return f->disturbed_ns > 0 && now->t_ns - f->disturbed_ns < ANEW_NS;
}

/* The skin's update of instant `index`, encoders with it, and what is to be learned from its
 * innovation. Writes what jumps account for. */
static enum status update_skin(struct joint_filter *f, size_t index, bool prepared,
                               struct considered *bias, double *explained) {
  struct instant *now = f->instants.at[index];
  const unsigned fresh = now->streams & ~now->filtered;
  bool anew = false;
  enum status status = skin_rows(f, index, &prepared, &anew);
  const struct joint_measurement z = joint_instant_measurement(f, index);
  if (status == STATUS_OK && !prepared) {
    *bias = considered_of(&f->layout, CONSIDERED_GYRO, now->x, now->P);
    status = joint_update_prepare_gain(&f->update, &z, now->P);
  }
  if (status != STATUS_OK) {
    return status;
  }
  joint_update_finish(&f->update, &z, now->x);
  considered_keep(&f->layout, bias, NOTHING, now->x, now->P);
  if (f->limb != NULL) {
    carried_limb_widen(&f->layout, now->carried_noise, now->P);
  }
  clear_pending(f, now);
  if (anew) { /* else the votes have noted it */
    note_block_nis(f, now);
  }
  if (f->settings.adapt_density && !begins_anew(f, now)) {
    const size_t jumps =
        joint_jump_step(&f->jump, &f->update, JUMP_GATE, JUMP_WORST_SD, now->x, now->P);
    if (fresh & STREAM_SKIN && jumps > 0) {
      f->counters.jumps += jumps;
      joint_settle_wake(f, now->t_ns);
    }
    *explained = f->jump.explained;
    spread_jumps(f, now, jumps, time_since_skin(f, index));
  }
  return STATUS_OK;
}

/* -- the rest --------------------------------------------------------------------------------- */

/* Encoders that have waited: into the estimate, P without them. */
static enum status take_encoders(struct joint_filter *f, struct instant *now, double nis,
                                 size_t count) {
  const enum status status = row_update_apply_waiting(&f->rows, now->x, now->P);
  encoder_rows_wait(&f->layout, now, f->encoder_sd, now->P);
  f->fit.few_nis += nis;
  f->fit.few_rows += count;
  return status;
}

/* IMU and feet, and the encoders where no skin follows that takes them. */
static enum status update_rest(struct joint_filter *f, size_t index, bool skin) {
  struct instant *now = f->instants.at[index];
  enum encoder_share encoders = ENCODERS_LEFT;
  if ((now->streams & STREAM_JOINTS) && !skin) {
    /* an IMU on a limb that goes wrong is found by its encoders: P has to know what they know */
    const bool wait = f->waits && f->limbs.n == 0 && f->robot->imu_link == 0 &&
                      encoder_rows_may_wait(&f->layout, now, f->encoder_sd, now->P);
    encoders = wait ? ENCODERS_WAIT : ENCODERS_TAKEN;
  }
  size_t count;
  const double nis = encoder_rows_nis(&f->layout, now, f->encoder_sd, now->x, now->P, &count);
  enum status status = joint_base_update(f, now, encoders, now->x, now->P);
  if (status == STATUS_OK && encoders == ENCODERS_WAIT) {
    joint_preparation_keep(f, index);
    status = take_encoders(f, now, nis, count);
  } else if (status == STATUS_OK && encoders == ENCODERS_TAKEN) {
    clear_pending(f, now);
  }
  return status;
}

bool joint_instant_step(struct joint_filter *f, size_t index) {
  struct instant *now = f->instants.at[index];
  const unsigned fresh = now->streams & ~now->filtered;
  const bool prepared = joint_preparation_ready(f, index), skin = takes_skin(f, now);
  enum status status = STATUS_OK;
  double explained = 0.0;
  struct considered bias;
  if (prepared) {
    take_prepared(f, now, &bias);
  } else {
    status = prepare_prior(f, index);
    status = status == STATUS_OK ? update_rest(f, index, skin) : status;
  }
  if (status == STATUS_OK && skin) {
    status = update_skin(f, index, prepared, &bias, &explained);
  }
  if (f->layout.base > 0) {
    base_process_fold(&f->layout, now->x);
  }
  base_hanging_step(f, now);
  imu_votes_step(f, now);
  watch_consistency(f, explained, skin, fresh);
  ask_ready(f, now);
  now->revision = ++f->counters.updates;
  f->counters.replays += now->filtered != 0;
  f->counters.repairs = f->update.repairs + f->bank.repairs;
  now->filtered = now->streams;
  return !f->lost && status != STATUS_SINGULAR && is_sound(&f->layout, now->x, now->P);
}

bool joint_instant_steps(struct joint_filter *f, size_t from, size_t last) {
  for (size_t i = instants_base(&f->instants, from) + 1; i <= last; i++) {
    instants_hold(&f->instants, i);
    if (!joint_instant_step(f, i)) {
      return false;
    }
  }
  return true;
}
