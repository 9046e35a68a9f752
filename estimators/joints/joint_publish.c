#include "joints/joint_publish.h"

#include "joints/joint_base.h"
#include "joints/joint_filter_core.h"
#include "joints/joint_start.h"
#include "process/base_process.h"
#include "process/joint_bounds.h"
#include "process/joint_silence.h"

#include <math.h>
#include <string.h>

/* Before so many periods have passed the estimate is called initial. */
static const double SETTLING_PERIODS = 20.0;
/* A base that has an IMU begins within this time, s, or something is wrong. */
static const double BASE_BEGINS = 0.3;
/* Mean normalised innovation above which the estimate is called degraded. */
static const double NIS_DEGRADED = 4.0;
/* So long after the accelerometer was doubted its bias is being found anew. */
static const int64_t FORCE_DOUBT_NS = 300000000;
/* So long after a strike skin and accelerometer differ because neither has seen all of it. */
static const int64_t STRIKE_NS = 50000000;
/* No blow keeps an IMU off for so long. */
static const int64_t BLOW_NS = 10000000;
/* Part of the cells that may be faulty before it is worth saying. */
static const double CELLS_DEGRADED = 0.05;

/* Mean and variances at t_ns, ahead of the newest instant or at it. */
static void look_ahead(struct joint_filter *f, int64_t t_ns) {
  const struct joint_layout *l = &f->layout;
  const struct instant *newest = instants_newest(&f->instants);
  const double dt = fmax(0.0, (double)(t_ns - newest->t_ns) * 1e-9);
  const double silence = joint_silence_of(dt, f->interval_s), step = dt - silence;
  const struct joint_densities densities = joint_filter_densities(f);
  memcpy(f->x, newest->x, l->numbers * sizeof(double));
  joint_process_mean(l, step, &densities, f->x);
  joint_process_variance(l, step, &densities, newest->P, f->variance);
  if (silence > 0.0) {
    joint_silence_outlook(l, silence, f->x, f->variance);
  }
  joint_process_unbias(l, f->x);
}

/* Less what encoders have told of their own joints that the covariance has not taken yet. */
static void count_pending(struct joint_filter *f) {
  const struct joint_layout *l = &f->layout;
  const struct instant *newest = instants_newest(&f->instants);
  for (size_t j = 0; j < l->n; j++) {
    const double *P = newest->P + (l->q + j) * l->stride;
    const double told = newest->pending.told[j] / (1.0 + newest->pending.told[j]) / P[l->q + j];
    const double bias = l->biases > 0 ? P[l->bias + j] : 0.0, ddq = P[l->ddq + j] - bias;
    f->variance[l->q + j] -= told * P[l->q + j] * P[l->q + j];
    f->variance[l->dq + j] -= told * P[l->dq + j] * P[l->dq + j];
    f->variance[l->ddq + j] -= told * ddq * ddq;
  }
}

/* Periods for which joints may be silent, beside ENCODER_UNHEARD_S. */
static const double MISSED_PERIODS = 5.0;

/* Nothing has come for longer than the motion goes on as it was. */
static bool is_silent(const struct joint_filter *f, int64_t t_ns) {
  const double since = 1e-9 * (double)(t_ns - instants_newest(&f->instants)->t_ns);
  return since > SILENCE_S && joint_silence_of(since, f->interval_s) > 0.0;
}

/* The IMU is suspected, for longer than a blow lasts. */
static bool is_doubted(const struct joint_filter *f) {
  const int64_t t_ns = instants_newest(&f->instants)->t_ns;
  bool lasts = false;
  for (unsigned t = 0; t < IMU_TRIADS; t++) {
    lasts = lasts || (imu_judge_on_trial(&f->judge, (enum imu_triad)t, t_ns) &&
                      t_ns - f->judge.triad[t].first_ns > BLOW_NS);
  }
  return lasts && joint_filter_doubts(f) == BASE_SUSPECTED;
}

static enum propriod_status status_of(const struct joint_filter *f,
                                      const struct sensor_frame *frame) {
  const struct joint_filter_settings *s = &f->settings;
  const int64_t now = frame->t_ns;
  if (!f->running) {
    return f->counters.resets > 0 ? PROPRIOD_STATUS_DIVERGED : PROPRIOD_STATUS_INIT;
  }
  if ((double)(now - f->last_ns[0]) * 1e-9 > s->timeout_s) {
    return PROPRIOD_STATUS_STALE;
  }
  const double age = (double)(now - f->started_ns) * 1e-9;
  const bool awaits_base = f->base_imu && !f->base_started && f->counters.resets == 0;
  if (!f->skin_ready || age < SETTLING_PERIODS * s->period_s ||
      (awaits_base && age < BASE_BEGINS)) {
    return f->counters.resets > 0 ? PROPRIOD_STATUS_DIVERGED : PROPRIOD_STATUS_INIT;
  }
  bool degraded = f->fit.mean > NIS_DEGRADED;
  for (size_t stream = 0; stream < FILTER_STREAMS; stream++) {
    degraded = degraded || f->fit.stream_mean[stream] > NIS_DEGRADED;
  }
  degraded = degraded ||
             (double)f->health.count[CELL_FAULTY] > CELLS_DEGRADED * (double)f->skinned->n_cells;
  const double joints_age = (double)(now - f->last_ns[0]) * 1e-9,
               imu_age = (double)(now - f->last_ns[1]) * 1e-9,
               skin_age = (double)(now - f->last_ns[2]) * 1e-9;
  degraded = degraded || joints_age > fmax(ENCODER_UNHEARD_S, MISSED_PERIODS * s->period_s);
  degraded = degraded || (f->base_imu && !f->base_started);
  degraded = degraded || is_silent(f, now) || joint_base_blind(f, now) ||
             (f->base_imu && imu_age > s->timeout_s) ||
             (f->skinned->n_cells > 0 && skin_age > s->timeout_s);
  degraded = degraded || is_doubted(f) || f->judge.triad[IMU_GYRO].convicted ||
             f->judge.triad[IMU_ACCELEROMETER].convicted;
  degraded = degraded || (f->force_doubt_ns > 0 && now - f->force_doubt_ns < FORCE_DOUBT_NS);
  const bool struck = f->struck_ns > 0 && now - f->struck_ns < STRIKE_NS;
  degraded = degraded || (!struck && force_witness_differs(&f->witness, now));
  degraded = degraded || !joint_limbs_well(&f->limbs, now, s->timeout_s);
  return degraded ? PROPRIOD_STATUS_DEGRADED : PROPRIOD_STATUS_OK;
}

/* What the guard says, else what is wrong with a joint whose encoder it believes. */
static enum encoder_health health_of(const struct joint_filter *f, size_t j) {
  const struct joint *joint = &f->robot->model.joint[j];
  const enum encoder_health health = (enum encoder_health)f->guard.health[j];
  const bool allowed = joint_bounds_allow(&f->layout, joint, j, f->x, f->variance);
  if (health != ENCODER_OK ||
      (allowed && !sensor_scatter_noisy(&f->scatter[j], f->encoder_told[j]))) {
    return health;
  }
  return allowed ? ENCODER_NOISY : ENCODER_BEYOND;
}

/* Returns whether all joints are well. */
static bool write_joints(const struct joint_filter *f, struct propriod_state *out) {
  const struct joint_layout *l = &f->layout;
  bool well = true;
  for (size_t j = 0; j < l->n; j++) {
    const size_t to = f->part.joint[j];
    out->q[to] = f->x[l->q + j];
    out->dq[to] = f->x[l->dq + j];
    out->ddq[to] = f->x[l->ddq + j];
    out->jerk[to] = f->x[l->jerk + j];
    out->q_sd[to] = sqrt(f->variance[l->q + j]);
    out->dq_sd[to] = sqrt(f->variance[l->dq + j]);
    out->ddq_sd[to] = sqrt(f->variance[l->ddq + j]);
    out->joint_health[to] = health_of(f, j);
    well = well && out->joint_health[to] == ENCODER_OK;
  }
  return well;
}

static vec3 deviations(const struct joint_filter *f, size_t from) {
  return (vec3){sqrt(f->variance[from]), sqrt(f->variance[from + 1]), sqrt(f->variance[from + 2])};
}

/* Deviation of the tilt: rotation errors about the world's x and y. */
static double tilt_deviation(const struct joint_filter *f) {
  const struct joint_layout *l = &f->layout;
  const double *P = instants_newest(&f->instants)->P + l->attitude * (l->stride + 1);
  const double *ahead = f->variance + l->attitude;
  const mat3 R = mat3_from_quat(base_process_rotation(l, f->x));
  double largest = 0.0;
  for (int axis = 0; axis < 2; axis++) {
    double variance = 0.0;
    for (size_t i = 0; i < 3; i++) {
      for (size_t k = i; k < 3; k++) { /* of the upper triangle, what stands twice */
        const double known = k == i ? ahead[i] : 2.0 * P[i * l->stride + k];
        variance += R.m[axis][i] * known * R.m[axis][k];
      }
    }
    largest = fmax(largest, variance);
  }
  return sqrt(largest);
}

static void write_base_deviations(const struct joint_filter *f, struct propriod_state *out) {
  const struct joint_layout *l = &f->layout;
  out->base_angular_velocity_sd = deviations(f, l->omega);
  out->base_angular_acceleration_sd = deviations(f, l->omegadot);
  out->base_specific_force_sd = deviations(f, l->force);
  out->base_orientation_sd = deviations(f, l->attitude);
  out->base_velocity_sd = deviations(f, l->velocity);
  out->base_position_sd = deviations(f, l->position);
  out->gyro_bias_sd = deviations(f, l->gyro_bias);
  out->accelerometer_bias_sd = deviations(f, l->accelerometer_bias);
  out->tilt_sd = tilt_deviation(f);
}

static void write_base(const struct joint_filter *f, struct propriod_state *out) {
  const struct joint_layout *l = &f->layout;
  const bool floating = l->base > 0;
  out->base_angular_velocity = floating ? vec3_from(f->x + l->omega) : VEC3_ZERO;
  out->base_angular_acceleration = floating ? vec3_from(f->x + l->omegadot) : VEC3_ZERO;
  out->base_specific_force = floating ? vec3_from(f->x + l->force) : f->fixed_force;
  out->estimated |=
      PROPRIOD_STATE_BASE_RATE | PROPRIOD_STATE_BASE_ANG_ACC | PROPRIOD_STATE_BASE_FORCE;
  if (f->base_started) {
    out->quat_xyzw = base_process_rotation(l, f->x);
    out->base_velocity = vec3_from(f->x + l->velocity);
    out->base_position = vec3_from(f->x + l->position);
    out->gyro_bias = vec3_from(f->x + l->gyro_bias);
    out->accelerometer_bias = vec3_from(f->x + l->accelerometer_bias);
    write_base_deviations(f, out);
    out->estimated |= PROPRIOD_STATE_BASE_ATTITUDE | PROPRIOD_STATE_BASE_VELOCITY |
                      PROPRIOD_STATE_BASE_POSITION | PROPRIOD_STATE_BASE_SD |
                      (f->robot->imu_link == 0 ? PROPRIOD_STATE_IMU_BIASES : 0u);
  } else if (!floating) { /* yaw is ours to choose */
    out->quat_xyzw = quat_from_mat3(&f->fixed_attitude);
    out->estimated |= PROPRIOD_STATE_BASE_ATTITUDE;
  }
}

/* The last door: whatever went wrong inside, nothing that is no number leaves. */
static bool can_be_shown(const struct joint_filter *f) {
  bool fine = true;
  for (size_t i = 0; i < f->layout.size; i++) {
    fine = fine && isfinite(f->x[i]) && f->variance[i] > 0.0 && isfinite(f->variance[i]);
  }
  for (size_t stream = 0; stream < FILTER_STREAMS; stream++) {
    fine = fine && isfinite(f->fit.nis[stream]);
  }
  return fine;
}

/* What is known at t_ns of the joints. False: it cannot be shown, and the filter begins again. */
static bool look_and_write(struct joint_filter *f, int64_t t_ns, struct propriod_state *out) {
  look_ahead(f, t_ns);
  count_pending(f);
  aftershock_add(f, f->variance);
  if (!can_be_shown(f)) {
    joint_start_over(f, t_ns);
    out->status = PROPRIOD_STATUS_DIVERGED;
    return false;
  }
  const bool well = write_joints(f, out);
  if (out->status == PROPRIOD_STATUS_OK &&
      !(well && joint_bounds_known(&f->layout, f->variance, f->base_started))) {
    out->status = PROPRIOD_STATUS_DEGRADED;
  }
  return true;
}

void joint_publish_step(struct joint_filter *f, const struct sensor_frame *frame,
                        struct propriod_state *out) {
  out->t_ns = frame->t_ns;
  out->status = status_of(f, frame);
  out->resets = (uint32_t)(f->counters.resets + f->counters.slips);
  out->n_joints = (uint32_t)f->layout.n;
  out->estimated &=
      ~(PROPRIOD_STATE_Q | PROPRIOD_STATE_DQ | PROPRIOD_STATE_DDQ | PROPRIOD_STATE_JERK |
        PROPRIOD_STATE_DEVIATIONS | PROPRIOD_STATE_BASE_RATE | PROPRIOD_STATE_BASE_ANG_ACC |
        PROPRIOD_STATE_BASE_FORCE | PROPRIOD_STATE_IMU_BIASES | PROPRIOD_STATE_INNOVATIONS |
        PROPRIOD_STATE_BASE_ATTITUDE | PROPRIOD_STATE_BASE_VELOCITY | PROPRIOD_STATE_BASE_POSITION |
        PROPRIOD_STATE_BASE_SD);
  if (!f->running) {
    return;
  }
  if (!look_and_write(f, frame->t_ns, out)) {
    return;
  }
  write_base(f, out);
  out->nis_encoders = f->fit.nis[0];
  out->nis_imu = f->fit.nis[1];
  out->nis_skin = f->fit.nis[2];
  out->estimated |= PROPRIOD_STATE_Q | PROPRIOD_STATE_DQ | PROPRIOD_STATE_DDQ |
                    PROPRIOD_STATE_JERK | PROPRIOD_STATE_DEVIATIONS | PROPRIOD_STATE_INNOVATIONS;
}

/* Of two statuses the one that says less good. */
static enum propriod_status worse_of(enum propriod_status a, enum propriod_status b) {
  static const int badness[] = {[PROPRIOD_STATUS_OK] = 0,
                                [PROPRIOD_STATUS_DEGRADED] = 1,
                                [PROPRIOD_STATUS_INIT] = 2,
                                [PROPRIOD_STATUS_DIVERGED] = 3,
                                [PROPRIOD_STATUS_STALE] = 4};
  return badness[a] > badness[b] ? a : b;
}

void joint_publish_apart(struct joint_filter *f, const struct sensor_frame *frame,
                         struct propriod_state *out) {
  out->n_joints += (uint32_t)f->layout.n;
  const double share = (double)f->layout.n / (double)out->n_joints;
  out->status = worse_of(out->status, status_of(f, frame));
  out->resets += (uint32_t)(f->counters.resets + f->counters.slips);
  if (!f->running || !look_and_write(f, frame->t_ns, out)) {
    out->estimated &= ~(PROPRIOD_STATE_Q | PROPRIOD_STATE_DQ | PROPRIOD_STATE_DDQ |
                        PROPRIOD_STATE_JERK | PROPRIOD_STATE_DEVIATIONS);
    return;
  }
  if (out->estimated & PROPRIOD_STATE_INNOVATIONS) {
    out->nis_encoders += share * (f->fit.nis[0] - out->nis_encoders);
  }
}
