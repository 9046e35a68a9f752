#include "joints/imu_gates.h"

#include "joints/base_process.h"
#include "joints/joint_base.h"
#include "joints/joint_doubt.h"
#include "joints/joint_feet.h"
#include "joints/joint_filter_core.h"
#include "joints/joint_knock.h"
#include "joints/stance_witness.h"
#include "model/motion.h"

#include <math.h>
#include <string.h>

/* Readings of an IMU tell noise from motion when they are no further apart, s. */
static const double FOLLOWS_S = 3e-3;

/* Nothing pulls a body to the ground, m/s^2. */
static const double PULLED = -5.0;

/* One reading counts no more than that, times usual, for how noisy an axis is: what noise does
 * until it is noticed the base is thought to do. */
static const double READING_COUNTS = 9.0;
/* Noise is noticed after so many readings. */
static const double NOTICED = 8.0;

static double or_zero(double value) {
  return isfinite(value) ? value : 0.0;
}

/* Reading less expectation in base axes; an axis that is not given is as expected. */
static vec3 innovation_of(const struct pose *imu, vec3 reading, vec3 expected_B) {
  const vec3 off = vec3_sub(reading, mat3_tmul_vec3(&imu->R, expected_B));
  return mat3_mul_vec3(&imu->R, (vec3){or_zero(off.x), or_zero(off.y), or_zero(off.z)});
}

/* Variance of the sum of states at a, b and less that at c (none: a), upper triangle of P. */
static double sum_variance(const struct joint_layout *l, const double *P, size_t a, size_t b,
                           size_t c) {
  const double *row_a = P + a * l->stride, *row_b = P + b * l->stride, *row_c = P + c * l->stride;
  const double both = row_a[a] + row_b[b] + 2.0 * row_a[b];
  return c == a ? both : both + row_c[c] - 2.0 * row_a[c] - 2.0 * row_c[b];
}

/* Innovation of one triad, what was expected, and its variances without the reading's noise, base
 * axes. */
static vec3 gyro_innovation(const struct joint_filter *f, const struct instant *now, vec3 *expected,
                            double variance[3]) {
  const struct joint_layout *l = &f->layout;
  for (size_t i = 0; i < 3; i++) {
    variance[i] = sum_variance(l, now->P, l->omega + i, l->gyro_bias + i, l->omega + i);
  }
  *expected = vec3_add(vec3_from(now->x + l->omega), vec3_from(now->x + l->gyro_bias));
  return innovation_of(&f->robot->imu_placement, now->rate, *expected);
}

static vec3 force_innovation(const struct joint_filter *f, const struct instant *now,
                             vec3 *expected, double variance[3]) {
  const struct joint_layout *l = &f->layout;
  const struct pose *imu = &f->robot->imu_placement;
  const double at_arm = f->judge.triad[IMU_GYRO].convicted ? joint_base_untold_arm(f, now->P) : 0.0;
  struct motion a = {vec3_from(now->x + l->omegadot), vec3_from(now->x + l->force)};
  for (size_t i = 0; i < 3; i++) {
    const size_t bias = l->biases > 0 ? l->bias_lin + i : l->force + i;
    variance[i] = sum_variance(l, now->P, l->force + i, l->accelerometer_bias + i, bias) + at_arm;
  }
  if (l->biases > 0) {
    a.lin = vec3_sub(a.lin, vec3_from(now->x + l->bias_lin));
  }
  *expected = vec3_add(point_acceleration(&a, vec3_from(now->x + l->omega), imu->p),
                       vec3_from(now->x + l->accelerometer_bias));
  return innovation_of(imu, now->force, *expected);
}

/* Normalised innovation squared per axis. */
static double nis_of(vec3 innovation, const double variance[3], double sd) {
  double v[3], nis = 0.0;
  vec3_to(innovation, v);
  for (int i = 0; i < 3; i++) {
    nis += v[i] * v[i] / (variance[i] + sd * sd) / 3.0;
  }
  return nis;
}

/* What an innovation opens, axis by axis, where it is all but impossible: joint_jump.h's rule for
 * one number measured directly. */
static vec3 opening(vec3 innovation, const double variance[3], double sd) {
  double v[3], gained[3];
  vec3_to(innovation, v);
  for (int i = 0; i < 3; i++) {
    const double expected = variance[i] + sd * sd, square = v[i] * v[i];
    gained[i] = square > JUMP_GATE * expected ? square - expected : 0.0;
  }
  return vec3_from(gained);
}

static double sum_of(vec3 v) {
  return v.x + v.y + v.z;
}

/* What is all but impossible is a blow; a triad that is not believed feels none, one that is
 * noisier than it is said to be none that noise hides. */
static void feel_blow(struct joint_filter *f, struct instant *now, vec3 rate, vec3 force,
                      const double rate_variance[3], const double force_variance[3]) {
  const double dt = 1e-9 * (double)(now->t_ns - f->imu_judged_ns);
  const struct triad_judge *triad = f->judge.triad;
  double turn = 0.0, push = 0.0;
  if (!triad[IMU_GYRO].convicted && dt > 0.0) {
    turn = sum_of(opening(rate, rate_variance, f->imu_sd[IMU_GYRO])) / (dt * dt);
  }
  if (!triad[IMU_ACCELEROMETER].convicted) {
    push = sum_of(opening(force, force_variance, f->imu_sd[IMU_ACCELEROMETER]));
  }
  aftershock_feel(&f->aftershock, push, turn);
  const double told = f->settings.accelerometer_noise, sd = f->imu_sd[IMU_ACCELEROMETER];
  if (f->imu_judged_ns > 0 && sd > told && dt > 0.0 && dt < f->settings.timeout_s) {
    joint_knock_unfelt(f, JUMP_GATE * (sd * sd - told * told), dt);
  }
  if (f->imu_judged_ns > 0 && f->settings.adapt_density) {
    joint_knock(f, now, (struct blow){.square = push, .lasts = dt});
  }
}

/* One triad: taken or left out. Returns what the next has still to tell a blow from a broken word
 * of. */
static vec3 judge_triad(struct joint_filter *f, struct instant *now, enum imu_triad triad,
                        vec3 expected, vec3 innovation, double nis, vec3 *reading) {
  now->imu_nis = fmax(now->imu_nis, nis);
  const enum imu_verdict verdict =
      imu_judge_reading(&f->judge, triad, now->t_ns, nis, expected, innovation);
  if (verdict == IMU_ANEW) {
    joint_doubt_bias(f, now, triad);
  } else if (verdict == IMU_LEAVE) {
    *reading = (vec3){(double)NAN, (double)NAN, (double)NAN};
    f->counters.imu_rejected++;
    f->imu_refused = true;
  }
  const bool waits = verdict == IMU_LEAVE && !f->judge.triad[triad].convicted;
  return waits ? innovation : VEC3_ZERO;
}

/* How lively the base is shows in what its IMU adds to the prediction, while it is believed. */
static void learn_liveliness(struct joint_filter *f, const struct instant *now,
                             const double nis[IMU_TRIADS]) {
  const double dt = 1e-9 * (double)(now->t_ns - f->imu_judged_ns);
  const bool learns = f->settings.adapt_density && f->imu_judged_ns > 0;
  for (size_t i = 0; i < IMU_TRIADS; i++) {
    if (learns && dt < f->settings.timeout_s && !f->judge.triad[i].convicted) {
      base_liveliness_step(&f->liveliness[i], nis[i], dt);
    }
  }
  f->imu_judged_ns = now->t_ns;
}

/* Whether the base rests, by readings as they came: before any of them is left out. */
static void watch_rest(struct joint_filter *f, struct instant *now) {
  const struct joint_layout *l = &f->layout;
  const mat3 to_imu = mat3_transpose(&f->robot->imu_placement.R);
  const struct base_known known = {
      .gyro_bias = mat3_mul_vec3(&to_imu, vec3_from(now->x + l->gyro_bias)),
      .gyro_bias_sd = joint_process_worst_sd(l, now->P, l->gyro_bias),
      .gyro_bias_start_sd = f->settings.base.gyro_bias,
      .speed = vec3_norm(vec3_from(now->x + l->velocity)),
      .speed_sd = joint_process_worst_sd(l, now->P, l->velocity),
  };
  base_rest_step(&f->rest, now->rate, now->force, f->settings.gyro_noise,
                 f->settings.accelerometer_noise, 1e-9 * (double)(now->t_ns - f->imu_judged_ns));
  f->rest.shaken = f->rest.shaken && !joint_feet_stand(f, now);
  now->rests = base_rest_is(&f->rest, &known);
}

/* Whether it reads that something pulls the base down. An axis that is not given tells nothing. */
static void watch_pull(struct joint_filter *f, const struct instant *now) {
  const mat3 R_WB = mat3_from_quat(base_process_rotation(&f->layout, now->x));
  const vec3 read_B = mat3_mul_vec3(&f->robot->imu_placement.R, now->force);
  const double up = vec3_dot(vec3_from(R_WB.m[2]), read_B);
  if (f->base_started && isfinite(up)) {
    f->pulled_ns = up > PULLED ? 0 : f->pulled_ns > 0 ? f->pulled_ns : now->t_ns;
    imu_judge_end(&f->judge, f->pulled_triads, f->pulled_ns == 0);
  }
}

/* How noisy a triad is: as its noisiest axis. */
static double noise_of(struct sensor_scatter *scatter, vec3 reading, double dt, double told) {
  double v[3], sd = told;
  vec3_to(reading, v);
  for (int i = 0; i < 3; i++) {
    sd = fmax(sd, sensor_scatter_next(&scatter[i], v[i], dt, told, READING_COUNTS));
  }
  return sd;
}

/* What a triad told until its noise was noticed has passed for motion. */
static void notice_noise(struct joint_filter *f, struct instant *now, enum imu_triad triad,
                         double told, double sd, double dt) {
  double *most = &f->most_sd[triad];
  if (sd > *most && f->skin_ready) {
    joint_doubt_noisy(f, now, triad, sd / *most, NOTICED * dt);
  }
  *most = sd > told ? fmax(sd, *most) : told;
  f->imu_sd[triad] = sd;
}

/* The IMU's noise as it is, by readings as they came; those of a slow one follow the motion no more
 * closely than noise. */
static void watch_noise(struct joint_filter *f, struct instant *now) {
  const double dt = 1e-9 * (double)(now->t_ns - f->imu_read_ns);
  const double told[IMU_TRIADS] = {f->settings.gyro_noise, f->settings.accelerometer_noise};
  const vec3 reading[IMU_TRIADS] = {now->rate, now->force};
  f->imu_read_ns = now->t_ns;
  f->imu_follows = dt < FOLLOWS_S;
  if (!f->imu_follows) {
    memset(f->imu_scatter, 0, sizeof(f->imu_scatter));
  }
  for (unsigned t = 0; t < IMU_TRIADS; t++) {
    const double sd = noise_of(f->imu_scatter[t], reading[t], dt, told[t]);
    notice_noise(f, now, (enum imu_triad)t, told[t], sd, dt);
  }
}

void imu_gates_step(struct joint_filter *f, struct instant *now) {
  const struct joint_layout *l = &f->layout;
  double rate_variance[3], force_variance[3];
  f->imu_refused = false;
  aftershock_miss(&f->aftershock, VEC3_ZERO, VEC3_ZERO);
  if (f->base_imu) {
    watch_noise(f, now);
  }
  if (!f->base_imu || !f->skin_ready) {
    return;
  }
  if (!imu_judge_tries(&f->judge, now->t_ns)) {
    f->judge.gyro_bias = vec3_from(now->x + l->gyro_bias);
    f->judge.accelerometer_bias = vec3_from(now->x + l->accelerometer_bias);
    stance_note(&f->stance, l, now->x);
  }
  const double rate_sd = f->imu_sd[IMU_GYRO], force_sd = f->imu_sd[IMU_ACCELEROMETER];
  vec3 rate_expected, force_expected;
  const vec3 rate = gyro_innovation(f, now, &rate_expected, rate_variance),
             force = force_innovation(f, now, &force_expected, force_variance);
  const double nis[IMU_TRIADS] = {[IMU_GYRO] = nis_of(rate, rate_variance, rate_sd),
                                  [IMU_ACCELEROMETER] = nis_of(force, force_variance, force_sd)};
  if (unfelt_turn_next(&f->unfelt_turn, now->t_ns, nis, rate) && joint_feet_soles_stand(f, now) &&
      !f->judge.triad[IMU_GYRO].convicted) {
    imu_judge_refuse_jump(&f->judge, IMU_GYRO, f->unfelt_turn.jump, now->t_ns);
    joint_doubt_turn(f, now, vec3_norm(f->unfelt_turn.jump));
  }
  watch_rest(f, now);
  watch_pull(f, now);
  feel_blow(f, now, rate, force, rate_variance, force_variance);
  learn_liveliness(f, now, nis);
  const vec3 missed_rate =
                 judge_triad(f, now, IMU_GYRO, rate_expected, rate, nis[IMU_GYRO], &now->rate),
             missed_force = judge_triad(f, now, IMU_ACCELEROMETER, force_expected, force,
                                        nis[IMU_ACCELEROMETER], &now->force);
  aftershock_miss(&f->aftershock, missed_rate, missed_force);
  if (vec3_largest(force) > STRIKE && !f->imu_refused) {
    f->struck_ns = now->t_ns;
  }
}

/* A rate that goes on changing unseen for two readings is not what the accelerometer says of its
 * derivative: what that feels of it at its arm was taken for force, or force for that. */
static vec3 mistaken_force(vec3 before, vec3 now, vec3 arm, double dt) {
  const vec3 a = {arm.x * arm.x, arm.y * arm.y, arm.z * arm.z};
  const vec3 rate = {before.x > 0.0 ? now.x : 0.0, before.y > 0.0 ? now.y : 0.0,
                     before.z > 0.0 ? now.z : 0.0};
  const vec3 felt = {rate.y * a.z + rate.z * a.y, rate.z * a.x + rate.x * a.z,
                     rate.x * a.y + rate.y * a.x};
  return vec3_scale(dt > 0.0 ? 1.0 / (dt * dt) : 0.0, felt);
}

void imu_gates_open(const struct joint_filter *f, const struct instant *before, struct instant *now,
                    double dt) {
  double variance[3];
  vec3 expected;
  if (!f->base_imu || !f->skin_ready || !f->settings.adapt_density) {
    return;
  }
  const vec3 rate = gyro_innovation(f, now, &expected, variance);
  now->open_rate = opening(rate, variance, f->imu_sd[IMU_GYRO]);
  const vec3 force = force_innovation(f, now, &expected, variance);
  now->open_force =
      vec3_add(opening(force, variance, f->imu_sd[IMU_ACCELEROMETER]),
               mistaken_force(before->open_rate, now->open_rate, f->robot->imu_placement.p, dt));
}
