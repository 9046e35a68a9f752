#include "joints/joint_gates.h"

#include "joints/joint_filter_core.h"
#include "model/motion.h"
#include "numerics/spike_gate.h"

#include <math.h>
#include <string.h>

/* So long after a strike joints may have been knocked to velocities so different, per s. */
static const double STRIKE_SPEED = 10.0;
static const int64_t STRIKE_TIME_NS = 30000000;
/* Deviations beyond which a believed reading tells of a knock. */
static const double KNOCK = 7.0;
/* So many encoders against the prediction at once, without a step: the inertial sensors are in
 * doubt, for so long, s. */
enum { DOUBT_ENCODERS = 2 };
static const int64_t DOUBT_TIME_NS = 300000000;
/* No motor accelerates a joint more, per s^2: so far an acceleration is opened at most. */
static const double LARGEST_ACCELERATION = 500.0;
/* A slip beyond this is not the joint's where its links carry skin, rad or m. */
static const double SEEN_SLIP = 0.16;
/* Variance of dq, ddq and jerk of a joint that starts anew after its encoder slipped. */
static const double SLIP_INFLATION = 4.0;
/* An IMU reading this many deviations off, in any axis, is believed only if the next agrees. */
static const double SPIKE_SD = 6.0;
/* It agrees when it is not so many times larger or smaller. */
static const double AGREE_SIZE = 4.0;

/* -- encoders --------------------------------------------------------------------------------- */

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
    const double gained = fmin(fabs(innovation) / (dt * dt), LARGEST_ACCELERATION);
    now->kick_ddq[j] = gained * gained;
  } else if (encoder_guard_kicked(&f->guard, j, innovation, sd)) {
    const double gained = innovation / (KICK_READINGS * dt);
    now->kick[j] = gained * gained;
  }
}

/* Several encoders against the prediction, none by a step: it is the prediction that is wrong. */
static void watch_encoders(struct joint_filter *f, const struct instant *now, size_t against) {
  if (against >= DOUBT_ENCODERS) {
    f->doubt_ns = now->t_ns;
  }
}

void joint_gates_encoders(struct joint_filter *f, struct instant *now, double dt) {
  const struct joint_layout *l = &f->layout;
  size_t against = 0;
  const bool doubt = f->doubt_ns > 0 && now->t_ns - f->doubt_ns < DOUBT_TIME_NS;
  const bool struck = f->struck_ns > 0 && now->t_ns - f->struck_ns < STRIKE_TIME_NS;
  for (size_t j = 0; j < l->n; j++) {
    const double variance = now->P[(l->q + j) * (l->stride + 1)];
    const double sd = sqrt(variance + f->encoder_sd[j] * f->encoder_sd[j]);
    const struct encoder_expectation expected = {
        .q = now->x[l->q + j],
        .sd = sd,
        .noise = f->encoder_sd[j],
        .doubt = doubt,
        .dt = dt,
        .speed = struck ? STRIKE_SPEED : 0.0,
        .unseen_slip = f->skin.observed[j] ? SEEN_SLIP : HUGE_VAL,
    };
    const enum encoder_verdict verdict = encoder_guard_judge(&f->guard, j, now->q[j], &expected);
    if (verdict == ENCODER_SLIPPED) {
      restart_joint(f, now, j, now->q[j]);
    }
    if (verdict == ENCODER_REZEROED) {
      f->counters.slips++;
    }
    now->q_used[j] = verdict == ENCODER_USE || verdict == ENCODER_SLIPPED;
    against += fabs(now->q[j] - expected.q) > KNOCK * sd && !f->guard.joint[j].stepped;
    if (verdict == ENCODER_USE && f->settings.adapt_density && dt > 0.0) {
      feel_kick(f, now, j, sd, dt);
    }
    f->counters.encoder_rejected +=
        f->guard.health[j] != ENCODER_OK && f->guard.health[j] != ENCODER_SHIFTED;
  }
  watch_encoders(f, now, against);
}

/* -- impacts on the base ---------------------------------------------------------------------- */

static double or_zero(double value) {
  return isfinite(value) ? value : 0.0;
}

/* Reading less expectation, both IMU axes, in base axes; an axis that is not given is as expected.
 */
static vec3 innovation_of(const struct pose *imu, vec3 reading, vec3 expected) {
  const vec3 off = vec3_sub(reading, expected);
  return mat3_mul_vec3(&imu->R, (vec3){or_zero(off.x), or_zero(off.y), or_zero(off.z)});
}

/* Innovations of the base's IMU in base axes. */
static void imu_innovation(const struct joint_filter *f, const struct instant *now, vec3 *force,
                           vec3 *rate) {
  const struct joint_layout *l = &f->layout;
  const struct pose *imu = &f->robot->imu_placement;
  const vec3 w = vec3_from(now->x + l->omega);
  const struct motion a = {vec3_from(now->x + l->omegadot), vec3_from(now->x + l->force)};
  const vec3 felt = point_acceleration(&a, w, imu->p);
  *force = innovation_of(imu, now->force, mat3_tmul_vec3(&imu->R, felt));
  *rate = innovation_of(imu, now->rate,
                        mat3_tmul_vec3(&imu->R, vec3_add(w, vec3_from(now->x + l->gyro_bias))));
}

/* Their variances [6], force first. */
static void imu_variance(const struct joint_filter *f, const struct instant *now,
                         double variance[6]) {
  const struct joint_layout *l = &f->layout;
  const double sd_force = f->settings.accelerometer_noise, sd_rate = f->settings.gyro_noise;
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
  return far && !changes_agree(innovation, refused, AGREE_SIZE);
}

void joint_gates_imu(struct joint_filter *f, struct instant *now) {
  f->imu_refused = false;
  if (f->layout.base == 0 || f->robot->imu_link != 0 || !f->skin_ready) {
    return;
  }
  const vec3 nothing = {(double)NAN, (double)NAN, (double)NAN};
  vec3 force, rate;
  double variance[6];
  imu_innovation(f, now, &force, &rate);
  imu_variance(f, now, variance);
  const bool bad_force = is_spike(force, variance, &f->spike_force),
             bad_rate = is_spike(rate, variance + 3, &f->spike_rate);
  now->force = bad_force ? nothing : now->force;
  now->rate = bad_rate ? nothing : now->rate;
  f->counters.imu_rejected += bad_force + bad_rate;
  f->imu_refused = bad_force || bad_rate;
}

/* Opens a variance for an innovation that it makes all but impossible: joint_jump.h's rule for one
 * number measured directly. Returns how much it gained. */
static double open_for(double *variance, double innovation, double noise) {
  const double expected = *variance + noise * noise, square = innovation * innovation;
  const double gained = square > JUMP_GATE * expected ? square - expected : 0.0;
  *variance += gained;
  return gained;
}

void joint_gates_base(struct joint_filter *f, struct instant *now, double dt) {
  const struct joint_layout *l = &f->layout;
  const bool alone = (now->streams & STREAM_IMU) && !(now->streams & STREAM_SKIN);
  if (!alone || l->base == 0 || f->robot->imu_link != 0 || !f->settings.adapt_density) {
    return;
  }
  vec3 force, rate;
  double df[3], dw[3];
  imu_innovation(f, now, &force, &rate);
  vec3_to(force, df);
  vec3_to(rate, dw);
  for (size_t i = 0; i < l->base; i++) {
    open_for(&now->P[(l->force + i) * (l->stride + 1)], df[i], f->settings.accelerometer_noise);
    f->struck_ns = fabs(df[i]) > STRIKE ? now->t_ns : f->struck_ns;
    const double gained =
        open_for(&now->P[(l->omega + i) * (l->stride + 1)], dw[i], f->settings.gyro_noise);
    now->P[(l->omegadot + i) * (l->stride + 1)] += dt > 0.0 ? gained / (dt * dt) : 0.0;
  }
}
