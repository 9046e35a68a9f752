#include "joints/joint_start.h"

#include "joints/joint_filter_core.h"
#include "joints/joint_samples.h"
#include "joints/joint_settle.h"
#include "process/base_process.h"
#include "robot/reading_check.h"

#include <math.h>
#include <string.h>

/* Deviations with which everything starts that no sensor has yet told. */
static const double FIRST_RATE = 2.0, FIRST_ACCELERATION = 20.0, FIRST_JERK = 500.0;
static const double FIRST_OMEGA = 1.0, FIRST_FORCE = 5.0, FIRST_FORCEDOT = 100.0;
static const double FIRST_TILT = 0.5, FIRST_VELOCITY = 1.0, FIRST_PLACE = 1.0;

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

/* What is behind the motion of limbs and of a floating base, before it has been found
 * (joint_base_start). */
static void open_base(const struct joint_filter *f, struct instant *first) {
  const struct joint_layout *l = &f->layout;
  const struct joint_base_settings *s = &f->settings.base;
  set_variance(first, l, l->attitude, l->base, FIRST_TILT);
  set_variance(first, l, l->velocity, l->base, FIRST_VELOCITY);
  set_variance(first, l, l->position, l->base, FIRST_PLACE);
  set_variance(first, l, l->gyro_bias, l->base, s->gyro_bias);
  set_variance(first, l, l->accelerometer_bias, l->base, s->accelerometer_bias);
  set_variance(first, l, l->foot, 3 * l->n_feet, FIRST_PLACE);
  set_variance(first, l, l->sole, 3 * l->n_soles, FIRST_TILT);
  for (size_t k = 0; k < l->n_limbs; k++) {
    set_variance(first, l, l->limb + 6 * k, 3, s->gyro_bias);
    set_variance(first, l, l->limb + 6 * k + 3, 3, s->accelerometer_bias);
  }
  for (size_t i = 0; i < l->n_soles; i++) {
    base_process_set_sole(l, i, QUAT_IDENTITY, first->x);
  }
  if (l->base > 0) {
    base_process_set_rotation(l, QUAT_IDENTITY, first->x);
  }
}

static void open_biases(const struct joint_filter *f, struct instant *first) {
  const struct joint_layout *l = &f->layout;
  for (size_t j = 0; j < l->biases; j++) {
    open_bias(first, l, l->ddq + j, l->bias + j, f->bias_prior[j]);
  }
  for (size_t i = 0; l->biases > 0 && i < l->base; i++) {
    open_bias(first, l, l->omegadot + i, l->bias_ang + i, f->bias_ang_prior);
    open_bias(first, l, l->force + i, l->bias_lin + i, f->bias_lin_prior[i]);
  }
}

/* What the IMU feels, or gravity. */
static void first_force(const struct joint_filter *f, const struct sensor_frame *frame,
                        struct instant *first) {
  const struct joint_layout *l = &f->layout;
  if (l->base > 0) {
    const vec3 up = {0.0, 0.0, STANDARD_GRAVITY};
    const bool given = frame->imu.stamp.present &&
                       is_plausible(frame->imu.specific_force, LARGEST_FORCE) &&
                       f->robot->imu_link == 0;
    const mat3 *R = &f->robot->imu_placement.R;
    vec3_to(given ? mat3_mul_vec3(R, frame->imu.specific_force) : up, first->x + l->force);
  }
}

void joint_start_first(struct joint_filter *f, const struct sensor_frame *frame) {
  const struct joint_layout *l = &f->layout;
  size_t index;
  instants_clear(&f->instants);
  instants_place(&f->instants, frame->joints.stamp.t_ns, STREAM_JOINTS, &index);
  struct instant *first = f->instants.at[index];
  memset(first->x, 0, l->numbers * sizeof(double));
  memset(first->P, 0, l->size * l->stride * sizeof(double));
  set_variance(first, l, l->dq, l->n, FIRST_RATE);
  set_variance(first, l, l->ddq, l->n, FIRST_ACCELERATION);
  set_variance(first, l, l->jerk, l->n, FIRST_JERK);
  set_variance(first, l, l->omega, l->base, FIRST_OMEGA);
  set_variance(first, l, l->omegadot, l->base, FIRST_ACCELERATION);
  set_variance(first, l, l->omegaddot, l->base, FIRST_JERK);
  set_variance(first, l, l->force, l->base, FIRST_FORCE);
  set_variance(first, l, l->forcedot, l->base, FIRST_FORCEDOT);
  f->base_started = false;
  first_force(f, frame, first);
  joint_settle_priors(f);
  open_biases(f, first);
  open_base(f, first);
  for (size_t j = 0; j < l->n; j++) {
    const double read = frame->joints.q[f->part.joint[j]];
    const bool given = encoder_is_plausible(read);
    first->q[j] = first->x[l->q + j] = given ? read : 0.0;
    first->q_used[j] = given;
    set_variance(first, l, l->q + j, 1, given ? f->encoder_sd[j] : 1.0);
  }
  first->filtered = first->streams;
  f->handed = (struct blow){.square = 0.0};
  motion_bank_reset(&f->bank, first->x + l->q, f->encoder_sd);
  f->running = true;
  f->skin_ready = f->turn_known = false;
  f->started_ns = f->sought_ns = first->t_ns;
  f->last_ns[0] = first->t_ns;
  f->settled_ns = first->t_ns;
}

void joint_start_over(struct joint_filter *f, int64_t t_ns) {
  f->running = false;
  f->preparation.of = NULL;
  memset(f->fit.nis, 0, sizeof(f->fit.nis));
  f->lost = false;
  f->doubt_ns = 0;
  f->counters.resets++;
  f->disturbed_ns = t_ns;
  f->fit.mean = 1.0;
  encoder_guard_reset(&f->guard);
  joint_lean_reset(&f->lean);
  imu_judge_reset(&f->judge);
}

/* One run of states that two layouts share. */
struct shared {
  size_t to, from, count;
};
enum { SHARED_MAX = 4 };

/* All states but the slow errors of skin, which one of them may lack. */
static size_t shared_states(const struct joint_layout *l, const struct joint_layout *before,
                            struct shared run[SHARED_MAX]) {
  size_t n = 0;
  run[n++] = (struct shared){0, 0, l->bias};
  if (l->biases == before->biases) {
    run[n++] = (struct shared){l->bias, before->bias, l->attitude - l->bias};
  }
  run[n++] = (struct shared){l->attitude, before->attitude, l->size - l->attitude};
  return n;
}

/* Estimate and covariance of a filter whose layout may differ in the errors of skin alone. */
static void adopt_state(const struct joint_filter *f, const struct joint_layout *before,
                        const struct instant *newest, struct instant *first) {
  const struct joint_layout *l = &f->layout;
  struct shared run[SHARED_MAX];
  const size_t n = shared_states(l, before, run);
  memset(first->x, 0, l->numbers * sizeof(double));
  memset(first->P, 0, l->size * l->stride * sizeof(double));
  for (size_t a = 0; a < n; a++) {
    memcpy(first->x + run[a].to, newest->x + run[a].from, run[a].count * sizeof(double));
    for (size_t b = 0; b < n; b++) {
      for (size_t i = 0; i < run[a].count; i++) {
        memcpy(first->P + (run[a].to + i) * l->stride + run[b].to,
               newest->P + (run[a].from + i) * before->stride + run[b].from,
               run[b].count * sizeof(double));
      }
    }
  }
  memcpy(first->x + l->size, newest->x + before->size, (l->numbers - l->size) * sizeof(double));
  if (l->biases != before->biases) {
    open_biases(f, first);
  }
}

enum status joint_start_adopt(struct joint_filter *f, const struct joint_filter *previous) {
  const struct joint_layout *l = &f->layout;
  f->counters = previous->counters;
  if (l->n != previous->layout.n || l->base != previous->layout.base ||
      l->n_feet != previous->layout.n_feet || l->n_limbs != previous->layout.n_limbs ||
      memcmp(f->part.joint, previous->part.joint, l->n * sizeof(*f->part.joint)) != 0) {
    f->counters.resets += previous->running;
    return STATUS_BAD_ARGUMENT;
  }
  if (f->settings.adapt_density) { /* else the density is what the settings say */
    memcpy(f->density, previous->density, l->n * sizeof(double));
  }
  blows_adopt(&f->blows, &previous->blows);
  memcpy(f->bank.joint, previous->bank.joint, l->n * sizeof(*f->bank.joint));
  for (int triad = 0; triad < IMU_TRIADS && f->settings.adapt_density; triad++) {
    struct base_liveliness *own = &f->liveliness[triad];
    own->density = fmax(own->least, previous->liveliness[triad].density);
    own->nis = previous->liveliness[triad].nis;
  }
  for (size_t j = 0; j < l->n; j++) {
    f->guard.joint[j].offset = previous->guard.joint[j].offset;
    f->guard.joint[j].trial = previous->guard.joint[j].trial;
  }
  if (!previous->running) {
    return STATUS_OK;
  }
  const struct instant *newest = instants_newest(&previous->instants);
  size_t index;
  f->preparation.of = NULL;
  instants_clear(&f->instants);
  instants_place(&f->instants, newest->t_ns, STREAM_JOINTS, &index);
  struct instant *first = f->instants.at[index];
  adopt_state(f, &previous->layout, newest, first);
  memcpy(first->q, newest->q, l->n * sizeof(double));
  memset(first->q_used, 0, l->n * sizeof(bool));
  first->pending.since_ns = newest->pending.since_ns;
  memcpy(first->pending.told, newest->pending.told, l->n * sizeof(*first->pending.told));
  first->filtered = first->streams;
  f->handed = (struct blow){.square = 0.0};
  memcpy(f->last_ns, previous->last_ns, sizeof(f->last_ns));
  f->running = true;
  f->started_ns = previous->started_ns;
  f->sought_ns = previous->sought_ns;
  f->skin_ready = previous->skin_ready;
  f->turn_known = previous->turn_known;
  f->base_started = previous->base_started;
  f->ground = previous->ground;
  f->settled_ns = first->t_ns;
  return STATUS_OK;
}
