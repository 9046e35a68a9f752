/* One instant of the joint filter: prediction, what is believed, update, jumps; and what the slow
 * stages learn from it once it is settled. */
#include "dense_matrix.h"
#include "joint_filter_core.h"

#include <math.h>
#include <string.h>

/* Gate on a jump's statistic, chi-square of one degree: 4 deviations (accuracy.md 1.3), and how
 * well an update must tell a step to be asked about it, per s^2. */
static const double JUMP_GATE = 16.0, JUMP_WORST_SD = 10.0;
/* Updates over which the normalised innovation is averaged, and the largest that counts. */
static const double NIS_MEMORY = 50.0, NIS_CAP = 100.0, STREAM_NIS_CAP = 20.0;
/* Skin joins once all velocities are known this well, per s, or so long after the start: before,
 * its centripetal terms are quadratic in what is not known, which sigma points so close to the mean
 * do not see. */
static const double READY_RATE_SD = 0.1, READY_TIME = 0.3;
/* A strike: an acceleration that jumps by more than this (per s^2). So long after it joints may
 * have been knocked to velocities so different, per s. */
static const double STRIKE = 50.0, STRIKE_SPEED = 10.0;
static const int64_t STRIKE_TIME_NS = 30000000;
/* Deviations beyond which a believed reading tells of a knock. */
static const double KNOCK = 7.0;
/* So many encoders, and one in LOST_PART of all, left out for so long: the filter is lost, s. */
enum { LOST_ENCODERS = 3, LOST_PART = 4 };
static const double LOST_TIME = 0.05;
/* A slip beyond this is not believed of a joint whose links carry skin, rad or m. */
static const double SEEN_SLIP = 0.2;
/* Of a bias that nothing can excite, (per s^2)^2: keeps the covariance definite for ever. */
static const double SMALLEST_VARIANCE = 1e-12;
/* Variance of dq, ddq and jerk of a joint that starts anew after its encoder slipped. */
static const double SLIP_INFLATION = 4.0;

struct joint_densities joint_filter_densities(const struct joint_filter *f) {
  return (struct joint_densities){.joint = f->density,
                                  .ang = f->settings.base_ang_density,
                                  .lin = f->settings.base_lin_density,
                                  .bias = f->bias_prior,
                                  .bias_ang = f->bias_ang_prior,
                                  .bias_time = f->settings.link_bias_time};
}

/* -- encoders -------------------------------------------------------------------------------- */

/* Starts joint j again at q: nothing about its position is remembered. */
static void restart_joint(struct joint_filter *f, struct instant *now, size_t j, double q) {
  const struct joint_layout *l = &f->layout;
  const size_t i = l->q + j;
  now->x[i] = q;
  for (size_t k = 0; k < l->size; k++) {
    now->P[i * l->stride + k] = now->P[k * l->stride + i] = 0.0;
  }
  now->P[i * l->stride + i] = SLIP_INFLATION * f->encoder_sd[j] * f->encoder_sd[j];
  f->counters.slips++;
  f->disturbed_ns = now->t_ns;
}

/* A believed reading far from what was predicted: the joint was knocked. What is believed of q and
 * dq must open by as much, or the surprise is pressed into everything they are correlated with. */
static void feel_kick(struct joint_filter *f, struct instant *now, size_t j, double sd, double dt) {
  const double innovation = now->q[j] - now->x[f->layout.q + j];
  if (fabs(innovation) > KNOCK * sd) {
    now->kick_q[j] = innovation * innovation;
    now->kick[j] = innovation * innovation / (dt * dt);
  } else if (encoder_guard_kicked(&f->guard, j, innovation, sd)) {
    const double gained = innovation / (KICK_READINGS * dt);
    now->kick[j] = gained * gained;
  }
}

/* Many encoders against the filter for some time: it is the filter that is wrong. */
static void watch_encoders(struct joint_filter *f, size_t left_out, double dt) {
  const bool many = left_out >= LOST_ENCODERS && left_out * LOST_PART >= f->layout.n;
  f->contradicted_s = many ? f->contradicted_s + dt : 0.0;
  f->lost = f->lost || f->contradicted_s > LOST_TIME;
}

static void judge_encoders(struct joint_filter *f, struct instant *now, double dt) {
  const struct joint_layout *l = &f->layout;
  size_t left_out = 0;
  const bool struck = f->struck_ns > 0 && now->t_ns - f->struck_ns < STRIKE_TIME_NS;
  for (size_t j = 0; j < l->n; j++) {
    const double variance = now->P[(l->q + j) * (l->stride + 1)];
    const double sd = sqrt(variance + f->encoder_sd[j] * f->encoder_sd[j]);
    const struct encoder_expectation expected = {
        .q = now->x[l->q + j],
        .sd = sd,
        .dt = dt,
        .speed = struck ? STRIKE_SPEED : 0.0,
        .largest_slip = f->link_bias.observed[j] ? SEEN_SLIP : HUGE_VAL,
    };
    const enum encoder_verdict verdict = encoder_guard_judge(&f->guard, j, now->q[j], &expected);
    if (verdict == ENCODER_SLIPPED) {
      restart_joint(f, now, j, now->q[j]);
    }
    now->q_used[j] = verdict != ENCODER_LEAVE;
    left_out += f->guard.health[j] == ENCODER_GATED;
    if (verdict == ENCODER_USE && f->settings.adapt_density && dt > 0.0) {
      feel_kick(f, now, j, sd, dt);
    }
    f->counters.encoder_rejected += !now->q_used[j];
  }
  watch_encoders(f, left_out, dt);
}

/* Velocities that changed unseen; again with each replay. */
static void apply_kicks(const struct joint_layout *l, const struct instant *now, double *P) {
  for (size_t j = 0; j < l->n; j++) {
    P[(l->q + j) * (l->stride + 1)] += now->kick_q[j];
    P[(l->dq + j) * (l->stride + 1)] += now->kick[j];
  }
}

/* -- impacts on the base --------------------------------------------------------------------- */

/* An IMU reading this many deviations off, in any axis, is believed only if the next agrees. */
static const double SPIKE_SD = 6.0;
/* Two innovations agree when they point within 60 degrees, and differ in size by less than this. */
static const double AGREE_COS = 0.5, AGREE_SIZE = 4.0;

/* Innovations of the base's IMU in base axes, and their variances [6], force first. */
static void imu_innovation(const struct joint_filter *f, const struct instant *now, vec3 *force,
                           vec3 *rate, double variance[6]) {
  const struct joint_layout *l = &f->layout;
  const struct pose *imu = &f->robot->imu_placement;
  const double sd_force = f->settings.accelerometer_noise, sd_rate = f->settings.gyro_noise;
  const vec3 w = vec3_from(now->x + l->omega), wdot = vec3_from(now->x + l->omegadot);
  const vec3 lever = vec3_add(vec3_cross(wdot, imu->p), vec3_cross(w, vec3_cross(w, imu->p)));
  const vec3 felt = vec3_sub(mat3_mul_vec3(&imu->R, now->force), lever);
  *force = vec3_sub(felt, vec3_from(now->x + l->force));
  *rate = vec3_sub(mat3_mul_vec3(&imu->R, vec3_sub(now->rate, f->gyro.bias)), w);
  for (size_t i = 0; i < 3; i++) {
    variance[i] = now->P[(l->force + i) * (l->stride + 1)] + sd_force * sd_force;
    variance[3 + i] = now->P[(l->omega + i) * (l->stride + 1)] + sd_rate * sd_rate;
  }
}

/* True for a reading that stands alone: far off, and not where the one before it, refused, stood.
 * An impact lasts for more than a sample, a broken word does not. */
static bool is_spike(vec3 innovation, const double variance[3], vec3 *before) {
  const double v[3] = {innovation.x, innovation.y, innovation.z};
  const vec3 refused = *before;
  bool far = false;
  for (int i = 0; i < 3; i++) {
    far = far || v[i] * v[i] > SPIKE_SD * SPIKE_SD * variance[i];
  }
  *before = far ? innovation : VEC3_ZERO;
  const double size = vec3_norm(innovation), last = vec3_norm(refused);
  const bool agrees = vec3_dot(innovation, refused) > AGREE_COS * size * last &&
                      size < AGREE_SIZE * last && last < AGREE_SIZE * size;
  return far && !agrees;
}

/* Leaves a spike of the base's IMU out, for this pass and every replay. */
static void screen_imu(struct joint_filter *f, struct instant *now) {
  if (f->layout.base == 0 || f->robot->imu_link != 0 || !f->skin_ready) {
    return;
  }
  const vec3 nothing = {(double)NAN, (double)NAN, (double)NAN};
  vec3 force, rate;
  double variance[6];
  imu_innovation(f, now, &force, &rate, variance);
  if (is_spike(force, variance, &f->spike_force)) {
    now->force = nothing;
    f->counters.imu_rejected++;
  }
  if (is_spike(rate, variance + 3, &f->spike_rate)) {
    now->rate = nothing;
    f->counters.imu_rejected++;
  }
}

/* Opens a variance for an innovation that it makes all but impossible: joint_jump.h's rule for one
 * number measured directly. Returns how much it gained. */
static double open_for(double *variance, double innovation, double noise) {
  const double expected = *variance + noise * noise, square = innovation * innovation;
  const double gained = square > JUMP_GATE * expected ? square - expected : 0.0;
  *variance += gained;
  return gained;
}

/* Between two looks of the skin the IMU on the base is alone in feeling a strike: its jumps are
 * followed here, each axis by itself. */
static void open_base(struct joint_filter *f, struct instant *now, double dt) {
  const struct joint_layout *l = &f->layout;
  const struct pose *imu = &f->robot->imu_placement;
  const bool alone = (now->streams & STREAM_IMU) && !(now->streams & STREAM_SKIN);
  if (!alone || l->base == 0 || f->robot->imu_link != 0 || !f->settings.adapt_density) {
    return;
  }
  const vec3 w = vec3_from(now->x + l->omega), wdot = vec3_from(now->x + l->omegadot);
  const vec3 lever = vec3_add(vec3_cross(wdot, imu->p), vec3_cross(w, vec3_cross(w, imu->p)));
  double force[3], rate[3];
  vec3_to(vec3_sub(mat3_mul_vec3(&imu->R, now->force), lever), force);
  vec3_to(mat3_mul_vec3(&imu->R, vec3_sub(now->rate, f->gyro.bias)), rate);
  for (size_t i = 0; i < l->base; i++) {
    const double df = force[i] - now->x[l->force + i], dw = rate[i] - now->x[l->omega + i];
    open_for(&now->P[(l->force + i) * (l->stride + 1)], df, f->settings.accelerometer_noise);
    f->struck_ns = fabs(df) > STRIKE ? now->t_ns : f->struck_ns;
    const double gained =
        open_for(&now->P[(l->omega + i) * (l->stride + 1)], dw, f->settings.gyro_noise);
    now->P[(l->omegadot + i) * (l->stride + 1)] += dt > 0.0 ? gained / (dt * dt) : 0.0;
  }
}

static void note_encoder_nis(struct joint_filter *f, const struct instant *now) {
  const struct joint_layout *l = &f->layout;
  double sum = 0.0;
  size_t used = 0;
  for (size_t j = 0; j < l->n; j++) {
    if (now->q_used[j]) {
      const double nu = now->q[j] - now->x[l->q + j];
      sum += nu * nu / (now->P[(l->q + j) * (l->stride + 1)] + f->encoder_sd[j] * f->encoder_sd[j]);
      used++;
    }
  }
  f->nis[0] = used > 0 ? sum / (double)used : 0.0;
}

/* -- blocks ---------------------------------------------------------------------------------- */

struct link_rows joint_filter_imu_rows(const struct joint_filter *f,
                                       const struct instant *instant) {
  const vec3 rate = vec3_sub(instant->rate, f->gyro.bias);
  return imu_rows(f->robot->imu_link, &f->robot->imu_placement, rate, f->settings.gyro_noise,
                  instant->force, f->settings.accelerometer_noise);
}

static size_t gather_blocks(struct joint_filter *f, const struct instant *now) {
  size_t count = 0;
  if ((now->streams & STREAM_SKIN) && f->skin_ready) {
    for (size_t b = 0; b < now->n_blocks; b++) {
      f->block[count] = now->block[b];
      if (f->settings.link_bias) {
        link_bias_correct(&f->link_bias, &f->block[count]);
      }
      count++;
    }
  }
  if (now->streams & STREAM_IMU) {
    f->block[count] = joint_filter_imu_rows(f, now);
    count += f->block[count].rank > 0;
  }
  return count;
}

/* Normalised innovations of the blocks that the update has just seen. */
static void note_block_nis(struct joint_filter *f, const struct instant *now, size_t n_blocks) {
  double skin = 0.0;
  size_t row = 0, skin_rows = 0;
  for (size_t b = 0; b < n_blocks; b++) {
    const unsigned rank = f->block[b].rank;
    const double nis = joint_update_block_nis(&f->update, row, rank);
    if ((now->streams & STREAM_IMU) && b + 1 == n_blocks) { /* the IMU's comes last */
      f->nis[1] = nis / rank;
    } else {
      skin += nis;
      skin_rows += rank;
    }
    row += rank;
  }
  if (skin_rows > 0) {
    f->nis[2] = skin / (double)skin_rows;
  }
}

/* -- update ---------------------------------------------------------------------------------- */

static void predict(const struct joint_filter *f, const struct instant *before,
                    const struct instant *now, double *x, double *P) {
  const double dt = (double)(now->t_ns - before->t_ns) * 1e-9;
  const struct joint_densities densities = joint_filter_densities(f);
  memcpy(x, before->x, f->layout.size * sizeof(double));
  joint_process_mean(&f->layout, dt, &densities, x);
  joint_process_covariance(&f->layout, dt, &densities, before->P, P);
}

void joint_filter_predict_again(const struct joint_filter *f, size_t index, double *x, double *P) {
  const struct instant *now = f->instants.at[index];
  predict(f, f->instants.at[index - 1], now, x, P);
  apply_kicks(&f->layout, now, P);
}

/* What jumps explain is no sign of a lost filter. */
static void watch_consistency(struct joint_filter *f, double explained, unsigned fresh) {
  for (size_t stream = 0; stream < FILTER_STREAMS; stream++) {
    if (fresh & (1u << stream)) {
      const double nis = fmin(f->nis[stream], STREAM_NIS_CAP);
      f->stream_nis_mean[stream] += (nis - f->stream_nis_mean[stream]) / NIS_MEMORY;
    }
  }
  if (f->update.rows > 0) {
    const double nis = fmin((f->update.nis - explained) / (double)f->update.rows, NIS_CAP);
    f->nis_mean += (nis - f->nis_mean) / NIS_MEMORY;
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
  size_t i = index - 1;
  while (i > 0 && !(f->instants.at[i]->streams & STREAM_SKIN)) {
    i--;
  }
  return (double)(f->instants.at[index]->t_ns - f->instants.at[i]->t_ns) * 1e-9;
}

static void ask_ready(struct joint_filter *f, const struct instant *now) {
  const struct joint_layout *l = &f->layout;
  bool known = true;
  for (size_t i = l->dq; i < l->nonlinear; i++) {
    known = known && now->P[i * (l->stride + 1)] < READY_RATE_SD * READY_RATE_SD;
  }
  f->skin_ready = f->skin_ready || known || (double)(now->t_ns - f->started_ns) * 1e-9 > READY_TIME;
}

static bool is_sound(const struct joint_layout *l, const double *x, const double *P) {
  bool sound = true;
  for (size_t i = 0; i < l->size; i++) {
    sound = sound && isfinite(x[i]) && P[i * l->stride + i] > 0.0 && isfinite(P[i * l->stride + i]);
  }
  return sound;
}

/* The prior of what is new, judged by it as it comes; opened where it contradicts. */
static void prepare_prior(struct joint_filter *f, const struct instant *before,
                          struct instant *now) {
  const double dt = (double)(now->t_ns - before->t_ns) * 1e-9;
  const unsigned fresh = now->streams & ~now->filtered;
  predict(f, before, now, now->x, now->P);
  if (fresh & STREAM_IMU) {
    screen_imu(f, now);
  }
  open_base(f, now, dt);
  if (fresh & STREAM_JOINTS) {
    judge_encoders(f, now, dt);
    note_encoder_nis(f, now);
  }
  apply_kicks(&f->layout, now, now->P);
}

/* Takes prior and posterior covariance from the preparation; its place gets what stood there. */
static void take_prepared(struct joint_filter *f, struct instant *now) {
  struct joint_preparation *p = &f->preparation;
  double *P = now->P;
  memcpy(now->x, p->x, f->layout.size * sizeof(double));
  now->P = p->P;
  p->P = P;
  p->of = NULL;
  f->counters.prepared++;
}

/* The update of instant `index` and what is to be learned from its innovation. */
static enum status update_instant(struct joint_filter *f, size_t index, bool prepared) {
  struct instant *now = f->instants.at[index];
  const unsigned fresh = now->streams & ~now->filtered;
  static const bool none[MODEL_MAX_JOINTS];
  const struct joint_measurement z = {
      .q = now->q,
      .q_used = now->streams & STREAM_JOINTS ? now->q_used : none,
      .q_sd = f->encoder_sd,
      .n_blocks = gather_blocks(f, now),
      .block = f->block,
  };
  if (prepared) {
    joint_update_finish(&f->update, &z, now->x);
  } else {
    const enum status status = joint_update_step(&f->update, &z, now->x, now->P);
    if (status != STATUS_OK) {
      matrix_mirror(now->P, f->layout.stride, f->layout.size);
      return status;
    }
  }
  if (fresh & (STREAM_IMU | STREAM_SKIN)) {
    note_block_nis(f, now, z.n_blocks);
  }
  double explained = 0.0;
  if ((now->streams & STREAM_SKIN) && f->update.information && f->settings.adapt_density) {
    const size_t jumps =
        joint_jump_step(&f->jump, &f->update, JUMP_GATE, JUMP_WORST_SD, now->x, now->P);
    f->counters.jumps += fresh & STREAM_SKIN ? jumps : 0;
    explained = f->jump.explained;
    spread_jumps(f, now, jumps, time_since_skin(f, index));
  }
  watch_consistency(f, explained, fresh);
  return STATUS_OK;
}

bool joint_filter_instant(struct joint_filter *f, size_t index) {
  struct instant *now = f->instants.at[index];
  const bool prepared = joint_preparation_fits(f, index);
  if (prepared) {
    take_prepared(f, now);
  } else {
    prepare_prior(f, f->instants.at[index - 1], now);
  }
  const enum status status = update_instant(f, index, prepared);
  ask_ready(f, now);
  now->revision = ++f->counters.updates;
  f->counters.replays += now->filtered != 0;
  f->counters.repairs = f->update.repairs + f->bank.repairs;
  now->filtered = now->streams;
  return !f->lost && status != STATUS_SINGULAR && is_sound(&f->layout, now->x, now->P);
}

/* -- settled --------------------------------------------------------------------------------- */

/* How large the biases may be follows from which cells are at work. */
void joint_filter_update_priors(struct joint_filter *f) {
  const size_t first = f->layout.ddq - f->layout.nonlinear;
  for (size_t j = 0; j < f->layout.n; j++) {
    f->jump.allowed[first + j] = f->link_bias.observed[j];
    f->bias_prior[j] = fmax(link_bias_prior(&f->link_bias, j), SMALLEST_VARIANCE);
  }
  const double ratio = f->link_bias.settings.ratio;
  const vec3 noise = f->link_bias.noise[0].ang;
  const double largest = fmax(noise.x, fmax(noise.y, noise.z));
  f->bias_ang_prior = fmax(ratio * ratio * largest, SMALLEST_VARIANCE);
}

/* The base origin's specific force by the IMU, base coordinates; NULL when it sits elsewhere. */
static const vec3 *imu_force(const struct joint_filter *f, const struct instant *instant,
                             vec3 *force) {
  if (f->robot->imu_link != 0 || !(instant->streams & STREAM_IMU)) {
    return NULL;
  }
  const struct pose *imu = &f->robot->imu_placement;
  const vec3 w = vec3_from(instant->x + f->layout.omega),
             wdot = vec3_from(instant->x + f->layout.omegadot);
  const vec3 lever = vec3_add(vec3_cross(wdot, imu->p), vec3_cross(w, vec3_cross(w, imu->p)));
  *force = vec3_sub(mat3_mul_vec3(&imu->R, instant->force), lever);
  return vec3_is_finite(*force) ? force : NULL;
}

static void settle_skin(struct joint_filter *f, const struct instant *instant) {
  const double dt =
      f->settled_skin_ns == 0 ? 0.0 : (double)(instant->t_ns - f->settled_skin_ns) * 1e-9;
  vec3 force;
  link_bias_step(&f->link_bias, &f->bank, dt, &f->layout, instant->x, f->fixed_force,
                 instant->block, instant->n_blocks, imu_force(f, instant, &force));
  f->settled_skin_ns = instant->t_ns;
  joint_filter_update_priors(f);
}

void joint_filter_settle(struct joint_filter *f) {
  const struct instant *oldest = f->instants.at[0];
  if (oldest->t_ns <= f->settled_ns) {
    return;
  }
  if (f->settled_ns > 0) {
    motion_bank_predict(&f->bank, (double)(oldest->t_ns - f->settled_ns) * 1e-9);
  }
  f->settled_ns = oldest->t_ns;
  if (oldest->filtered & STREAM_JOINTS) {
    for (size_t j = 0; j < f->layout.n; j++) {
      if (oldest->q_used[j]) {
        motion_bank_position(&f->bank, j, oldest->q[j], f->encoder_sd[j]);
      }
    }
  }
  if (oldest->filtered & STREAM_SKIN) {
    settle_skin(f, oldest);
  }
  motion_bank_weigh(&f->bank);
  if (f->settings.adapt_density) {
    memcpy(f->density, f->bank.fitted, f->layout.n * sizeof(double));
  }
}
