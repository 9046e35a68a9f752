#include "joints/joint_base.h"

#include "body/frames.h"
#include "joints/joint_feet.h"
#include "joints/joint_filter_core.h"
#include "process/base_process.h"
#include "process/considered.h"
#include "update/encoder_rows.h"

#include <math.h>
#include <string.h>

/* A base that stays does so on average over this time, s: what moves it lasts for longer than a
 * sample. */
static const double STAY_TIME = 1.0;
/* ... and one at rest is no faster, m/s, rad/s. */
static const double REST_SPEED = 0.01, REST_RATE = 0.002;
/* What has been struck and is carried by nothing that is felt lies, and rocks no faster, m/s. */
static const double LIE_SPEED = 0.05;
/* A base that neither IMU nor skin has told of for so long turns like this, rad/s, and another way
 * after so long, s. */
static const int64_t BLIND_NS = 50000000, UNTOLD_NS = 20000000;
static const double SWAY_RATE = 0.7, SWAY_TIME = 0.05;
/* What the accelerometer reads on average does so over this time, s. */
static const double FELT_S = 0.5;
/* ... and is so far from gravity, m/s^2, where it feels that. */
static const double FELT_OFF = 0.5;

/* -- rows ------------------------------------------------------------------------------------- */

bool joint_base_kinematics(struct joint_filter *f, const double *x) {
  const struct joint_layout *l = &f->layout;
  struct robot_motion motion = {.base.X_WB = POSE_IDENTITY, .q = x + l->q};
  const bool whole = l->n_limbs > 0 || f->robot->imu_link != 0;
  if (whole) {
    memcpy(f->x, x, l->numbers * sizeof(double));
    joint_process_unbias(l, f->x);
    motion.dq = f->x + l->dq;
    motion.ddq = f->x + l->ddq;
    motion.base.a_B.lin = f->fixed_force;
  }
  if (whole && l->base > 0) {
    motion.base.v_B.ang = vec3_from(f->x + l->omega);
    motion.base.a_B = (struct motion){vec3_from(f->x + l->omegadot), vec3_from(f->x + l->force)};
  }
  return kinematics_update(&f->kin, &motion) == STATUS_OK;
}

double joint_base_untold_arm(const struct joint_filter *f, const double *P) {
  const double sd = joint_process_worst_sd(&f->layout, P, f->layout.omegadot),
               felt = vec3_norm(f->imu.p) * sd;
  return felt * felt;
}

static bool is_told(vec3 reading) {
  return isfinite(reading.x + reading.y + reading.z);
}

/* What is felt at an untold arm is noise. */
double joint_base_force_sd(const struct joint_filter *f, const struct instant *now,
                           const double *P) {
  const double sd = f->noise.sd[IMU_ACCELEROMETER];
  return is_told(now->rate) ? sd : sqrt(sd * sd + joint_base_untold_arm(f, P));
}

/* An IMU that sits on another link than the base. */
static void add_imu_elsewhere(struct joint_filter *f, const struct instant *now, double force_sd,
                              const double *x) {
  const struct joint_layout *l = &f->layout;
  const struct limb_imu imu = {f->robot->imu_link, f->robot->imu_placement, f->noise.sd[IMU_GYRO],
                               force_sd};
  if (!joint_base_kinematics(f, x)) {
    return;
  }
  f->imu = frame_pose(&f->kin, imu.link, &imu.placement);
  limb_rows_gyro(&f->rows, &f->kin, &imu, l->gyro_bias, now->rate, x);
  if (f->skin_ready) {
    limb_rows_accelerometer(&f->rows, &f->kin, &imu, l->accelerometer_bias, now->force, x);
  }
}

void joint_base_add_imu(struct joint_filter *f, const struct instant *now, const double *x,
                        const double *P) {
  const struct base_reading reading = {.rate = now->rate,
                                       .force = now->force,
                                       .rate_sd = f->noise.sd[IMU_GYRO],
                                       .force_sd = joint_base_force_sd(f, now, P)};
  if (f->robot->imu_link != 0) {
    add_imu_elsewhere(f, now, reading.force_sd, x);
    return;
  }
  struct pose imu = f->robot->imu_placement;
  imu.p = is_told(now->rate) ? imu.p : VEC3_ZERO;
  base_rows_imu(&f->rows, &imu, &reading, x);
  if (now->has_orientation && f->base_started) {
    base_rows_orientation(&f->rows, now->orientation, f->settings.base.orientation, x);
  }
}

/* Joints whose encoder says nothing, and that nothing else sees. */
static void add_unheard(struct joint_filter *f, const double *x) {
  for (size_t j = 0; j < f->layout.n; j++) {
    const bool alone = !f->skin.observed[j] && f->limbs.n == 0;
    if (alone && f->guard.joint[j].unheard > ENCODER_UNHEARD_S) {
      encoder_rows_unheard(&f->rows, &f->robot->model.joint[j], j, f->settings.period_s, x);
    }
  }
}

static void feel_force(struct felt_force *felt, vec3 force, int64_t t_ns) {
  const double dt = 1e-9 * (double)(t_ns - felt->t_ns);
  if (!is_told(force) || dt < 0.0) {
    return;
  }
  if (felt->t_ns == 0 || dt > FELT_S) {
    *felt = (struct felt_force){.mean = force, .t_ns = t_ns};
    return;
  }
  const double share = dt > 0.0 ? dt / (felt->heard_s + 2.0 * dt) : 0.0;
  const vec3 off = vec3_sub(force, felt->mean);
  felt->mean = vec3_axpy(felt->mean, share, off);
  felt->variance = (1.0 - share) * (felt->variance + share * vec3_dot(off, off) / 3.0);
  felt->heard_s = fmin(felt->heard_s + dt, FELT_S);
  felt->t_ns = t_ns;
}

bool joint_base_feels_gravity(const struct joint_filter *f) {
  return f->base_imu && fabs(vec3_norm(f->felt.mean) - STANDARD_GRAVITY) < FELT_OFF;
}

/* For how long neither a gyro that is believed nor skin has told how the base turns. */
static int64_t untold_ns(const struct joint_filter *f, int64_t t_ns) {
  const int64_t skin_ns = f->last_ns[2];
  return t_ns - (f->rate_ns > skin_ns ? f->rate_ns : skin_ns);
}

bool joint_base_blind(const struct joint_filter *f, int64_t t_ns) {
  return f->base_imu && f->base_started && untold_ns(f, t_ns) > BLIND_NS;
}

/* rad: what follows from a base that an update turns by more is millimetres off, known to first
 * order as it is. */
static const double LARGE_TURN = 0.05;

enum status joint_base_update(struct joint_filter *f, const struct instant *now,
                              enum encoder_share encoders, double *x, double *P) {
  const unsigned fresh = now->streams & ~now->filtered;
  const bool joints = (now->streams & STREAM_JOINTS) != 0, floating = f->layout.base > 0;
  const double period = f->settings.period_s;
  struct row_group imu = {0, 0};
  struct foot_rows feet[ROBOT_MAX_FEET] = {{{0, 0}, {0, 0}, {0, 0}, {0, 0}}};
  struct limb_group limb[LIMBS_MAX] = {{0}};
  const bool stands =
      joints && f->base_started && joint_feet_stand(f, now) && joint_base_kinematics(f, x);
  if (stands) {
    joint_feet_land(f, now, x, P);
  }
  row_update_begin(&f->rows);
  if (f->base_imu && (now->streams & STREAM_IMU)) {
    imu.first = f->rows.rows;
    joint_base_add_imu(f, now, x, P);
    imu.count = f->rows.rows - imu.first;
    feel_force(&f->felt, now->force, now->t_ns);
  }
  if (f->limbs.n > 0 && (now->streams & STREAM_IMU) && joint_base_kinematics(f, x)) {
    joint_limbs_add(&f->limbs, &f->rows, &f->kin, now->limb, f->skin_ready, x, limb);
  }
  if (stands) {
    joint_feet_add(f, now, x, P, feet);
  } else if (f->base_started && now->rests) {
    base_rows_stay(&f->rows, REST_SPEED * sqrt(STAY_TIME / period), x);
    base_rows_still(&f->rows, REST_RATE * sqrt(STAY_TIME / period), x);
  } else if (joints && f->base_started && (f->layout.n_feet == 0 || f->hanging.hangs)) {
    const double speed = f->rest.shaken ? fmin(LIE_SPEED, f->settings.base.stay_velocity)
                                        : f->settings.base.stay_velocity;
    base_rows_stay(&f->rows, speed * sqrt(STAY_TIME / period), x);
  }
  if (imu.count > 0 && is_told(now->rate)) {
    f->rate_ns = now->t_ns > f->rate_ns ? now->t_ns : f->rate_ns;
  } else if (joints && f->base_imu && f->base_started && untold_ns(f, now->t_ns) > UNTOLD_NS) {
    base_rows_still(&f->rows, SWAY_RATE * sqrt(SWAY_TIME / period), x);
  }
  if (joints) {
    add_unheard(f, x);
  }
  if (encoders == ENCODERS_WAIT) {
    row_update_wait(&f->rows);
  }
  if (joints && encoders != ENCODERS_LEFT) {
    encoder_rows_add(&f->rows, now, f->encoder_sd, x, P);
  }
  row_update_expect(&f->rows, P);
  if (fresh & STREAM_IMU) {
    const size_t count = imu.count < ROW_GROUP_MAX ? imu.count : ROW_GROUP_MAX;
    f->fit.nis[1] =
        count > 0 ? row_update_group_nis(&f->rows, imu.first, count) / (double)count : 0.0;
  }
  joint_limbs_judge(&f->limbs, &f->rows, limb, now->t_ns, (fresh & STREAM_IMU) != 0);
  joint_feet_judge(f, now, (fresh & STREAM_JOINTS) != 0, period, feet);
  double share[CONSIDERED_IMU];
  const bool walks = joints && f->base_started && joint_feet_teach(f, now, x, P, share);
  const struct considered bias = considered_of(&f->layout, walks ? CONSIDERED_IMU : 0, x, P);
  const enum status status = row_update_apply(&f->rows, x, P);
  if (floating && vec3_norm(vec3_from(x + f->layout.attitude)) > LARGE_TURN) {
    joint_feet_again(f);
  }
  considered_keep(&f->layout, &bias, share, x, P);
  f->fit.few_rows = f->rows.taken;
  f->fit.few_nis = f->rows.nis;
  if (floating) {
    base_process_fold(&f->layout, x);
  }
  return status;
}

/* How many deviations an encoder is off that speaks against a limb, and what a limb that was wrong
 * may have done to joints meanwhile, per s and per s^2. */
static const double DISSENT = 7.0, WRONG_RATE = 3.0, WRONG_ACCELERATION = 100.0;

static bool encoder_dissents(const struct joint_filter *f, const struct instant *now, size_t j) {
  const struct joint_layout *l = &f->layout;
  const double off = now->q[j] - now->x[l->q + j], sd = f->encoder_sd[j];
  const double variance = encoder_rows_covariance(l, l->q + j, j, &now->pending, now->P) + sd * sd;
  return off * off > DISSENT * DISSENT * variance && !f->guard.joint[j].steps.away;
}

/* A limb on trial that encoders contradict is wrong: what it has done to its joints is opened. */
static void try_limbs(struct joint_filter *f, struct instant *now) {
  const int *parent = f->robot->model.parent;
  for (size_t k = 0; k < f->limbs.n; k++) {
    bool dissent = false;
    for (size_t i = f->limbs.imu[k].link; i > 0; i = (size_t)parent[i]) {
      dissent = dissent || encoder_dissents(f, now, i - 1);
    }
    if (!dissent || !joint_limbs_on_trial(&f->limbs, k)) {
      continue;
    }
    joint_limbs_convict(&f->limbs, k);
    for (size_t i = f->limbs.imu[k].link; i > 0; i = (size_t)parent[i]) {
      now->kick[i - 1] = fmax(now->kick[i - 1], WRONG_RATE * WRONG_RATE);
      now->kick_ddq[i - 1] = fmax(now->kick_ddq[i - 1], WRONG_ACCELERATION * WRONG_ACCELERATION);
    }
  }
}

void joint_base_open_limbs(struct joint_filter *f, struct instant *now, double dt) {
  struct limb_group limb[LIMBS_MAX] = {{0}};
  if (f->limbs.n == 0 || !f->skin_ready || !f->settings.adapt_density ||
      !joint_base_kinematics(f, now->x)) {
    return;
  }
  if (now->streams & STREAM_JOINTS) {
    try_limbs(f, now);
  }
  row_update_begin(&f->rows);
  joint_limbs_add(&f->limbs, &f->rows, &f->kin, now->limb, true, now->x, limb);
  if (!joint_limbs_surprised(&f->limbs, &f->rows, limb)) {
    return;
  }
  row_update_expect(&f->rows, now->P);
  const struct motion base = {vec3_scale(1.0 / (dt * dt), now->open_rate), now->open_force};
  joint_limbs_open(&f->limbs, &f->rows, limb, &base, dt, now->kick, now->kick_ddq);
}
