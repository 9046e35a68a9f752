#include "joints/joint_silence.h"

#include "joints/base_process.h"

#include <math.h>

/* What robots usually do: one deviation, and for how long they go on with it, s. */
struct usual {
  double sd, time;
};
static const struct usual RATE = {3.0, 0.1}, ACCELERATION = {100.0, 0.03}, JERK = {5e3, 0.03};
static const struct usual TURN = {1.0, 0.05}, TURNING = {50.0, 0.03}, TURNING_RATE = {5e3, 0.03};
static const struct usual FORCE = {4.0, 0.03}, FORCE_RATE = {500.0, 0.03};
/* What is left of a deviation after t. */
static double left(struct usual of, double t) {
  return exp(-t / of.time);
}

/* ... and how far it has gone meanwhile, per unit. */
static double gone(struct usual of, double t) {
  return of.time * (1.0 - left(of, t));
}

/* Variance that has come, of itself and of its integral. */
static double renewed(struct usual of, double t) {
  const double d = left(of, t);
  return (1.0 - d * d) * of.sd * of.sd;
}
static double wandered(struct usual of, double t) {
  const double way = gone(of, t);
  return of.sd * of.sd * (2.0 * of.time * (t - way) - way * way);
}

double joint_silence_of(double dt) {
  return fmax(dt - SILENCE_S, 0.0);
}

/* A state that may be a sum with what skin is off by (bias: its place, or no_bias) decays to it. */
static void decay_sum(double d, size_t sum, bool biased, size_t bias, double *x) {
  x[sum] = d * x[sum] + (biased ? (1.0 - d) * x[bias] : 0.0);
}

static vec3 resting_force(const struct joint_layout *l, const double *x) {
  const mat3 R = mat3_from_quat(base_process_rotation(l, x));
  return mat3_tmul_vec3(&R, (vec3){0.0, 0.0, STANDARD_GRAVITY});
}

static void base_mean(const struct joint_layout *l, double t, double *x) {
  const vec3 turn = vec3_scale(gone(TURN, t), vec3_from(x + l->omega));
  const quat turned = quat_mul(base_process_rotation(l, x), quat_from_rotation_vector(turn));
  base_process_set_rotation(l, quat_normalized(turned), x);
  double rest[3];
  vec3_to(resting_force(l, x), rest);
  const double d = left(FORCE, t);
  for (size_t i = 0; i < 3; i++) {
    x[l->position + i] += t * x[l->velocity + i];
    x[l->omega + i] *= left(TURN, t);
    decay_sum(left(TURNING, t), l->omegadot + i, l->biases > 0, l->bias_ang + i, x);
    x[l->omegaddot + i] *= left(TURNING_RATE, t);
    decay_sum(d, l->force + i, l->biases > 0, l->bias_lin + i, x);
    x[l->force + i] += (1.0 - d) * rest[i];
    x[l->forcedot + i] *= left(FORCE_RATE, t);
  }
}

void joint_silence_mean(const struct joint_layout *layout, double t, double *x) {
  const struct joint_layout *l = layout;
  for (size_t j = 0; j < l->n; j++) {
    x[l->q + j] += gone(RATE, t) * x[l->dq + j];
    x[l->dq + j] *= left(RATE, t);
    decay_sum(left(ACCELERATION, t), l->ddq + j, l->biases > 0, l->bias + j, x);
    x[l->jerk + j] *= left(JERK, t);
  }
  if (l->base > 0) {
    base_mean(l, t, x);
  }
}

/* -- covariance ------------------------------------------------------------------------------- */

static double *at(const struct joint_layout *l, double *P, size_t i, size_t k) {
  return i < k ? P + i * l->stride + k : P + k * l->stride + i;
}

/* State `to` takes so much of state `from`. */
static void mix(const struct joint_layout *l, size_t to, double share, size_t from, double *P) {
  *at(l, P, to, to) += 2.0 * share * *at(l, P, to, from) + share * share * *at(l, P, from, from);
  for (size_t k = 0; k < l->size; k++) {
    if (k != to) {
      *at(l, P, to, k) += share * *at(l, P, from, k);
    }
  }
}

static void shrink(const struct joint_layout *l, size_t state, double d, double *P) {
  for (size_t k = 0; k < l->size; k++) {
    *at(l, P, state, k) *= k == state ? d * d : d;
  }
}

/* A state goes back to what is usual; with it its bias, when it is a sum. */
static void forget(const struct joint_layout *l, struct usual of, double t, size_t state,
                   bool biased, size_t bias, double *P) {
  const double d = left(of, t);
  shrink(l, state, d, P);
  if (biased) {
    mix(l, state, 1.0 - d, bias, P);
  }
  *at(l, P, state, state) += renewed(of, t);
}

/* The same of a rate, after its integral has taken what it was. */
static void forget_rate(const struct joint_layout *l, struct usual of, double t, size_t rate,
                        size_t integral, double *P) {
  const double way = gone(of, t);
  mix(l, integral, way, rate, P);
  forget(l, of, t, rate, false, 0, P);
  *at(l, P, integral, integral) += wandered(of, t);
  *at(l, P, integral, rate) += of.sd * of.sd * way * (1.0 - left(of, t));
}

/* What may have happened to a state that stays, one deviation. */
static void open(const struct joint_layout *l, size_t state, double sd, double *P) {
  *at(l, P, state, state) += sd * sd;
}

static void forget_force(const struct joint_layout *l, double t, const double *x, double *P) {
  const mat3 by_attitude = mat3_skew(resting_force(l, x));
  const double other = 1.0 - left(FORCE, t);
  for (size_t i = 0; i < 3; i++) {
    forget(l, FORCE, t, l->force + i, l->biases > 0, l->bias_lin + i, P);
    forget(l, FORCE_RATE, t, l->forcedot + i, false, 0, P);
    for (size_t k = 0; k < 3; k++) {
      mix(l, l->force + i, other * by_attitude.m[i][k], l->attitude + k, P);
    }
  }
}

static void base_covariance(const struct joint_layout *l, double t, const double *x, double *P) {
  const double gained = sqrt(wandered(FORCE, t));
  for (size_t i = 0; i < 3; i++) {
    mix(l, l->position + i, t, l->velocity + i, P);
    forget_rate(l, TURN, t, l->omega + i, l->attitude + i, P);
    forget(l, TURNING, t, l->omegadot + i, l->biases > 0, l->bias_ang + i, P);
    forget(l, TURNING_RATE, t, l->omegaddot + i, false, 0, P);
    open(l, l->velocity + i, gained, P);
    open(l, l->position + i, 0.5 * t * gained, P);
  }
  forget_force(l, t, x, P);
}

void joint_silence_covariance(const struct joint_layout *layout, double t, const double *x,
                              double *P) {
  const struct joint_layout *l = layout;
  for (size_t j = 0; j < l->n; j++) {
    forget_rate(l, RATE, t, l->dq + j, l->q + j, P);
    forget(l, ACCELERATION, t, l->ddq + j, l->biases > 0, l->bias + j, P);
    forget(l, JERK, t, l->jerk + j, false, 0, P);
  }
  if (l->base > 0) {
    base_covariance(l, t, x, P);
  }
}

/* Nobody knows how rate and integral are correlated: at worst entirely. */
static void widen(struct usual of, double t, double *rate, double *integral) {
  const double apart = sqrt(*integral) + gone(of, t) * sqrt(*rate);
  *integral = apart * apart + wandered(of, t);
  *rate += renewed(of, t);
}

void joint_silence_variance(const struct joint_layout *layout, double t, double *variance) {
  const struct joint_layout *l = layout;
  const double gained = wandered(FORCE, t);
  for (size_t j = 0; j < l->n; j++) {
    widen(RATE, t, variance + l->dq + j, variance + l->q + j);
    variance[l->ddq + j] += renewed(ACCELERATION, t);
    variance[l->jerk + j] += renewed(JERK, t);
  }
  for (size_t i = 0; i < l->base; i++) {
    widen(TURN, t, variance + l->omega + i, variance + l->attitude + i);
    variance[l->omegadot + i] += renewed(TURNING, t);
    variance[l->force + i] += renewed(FORCE, t);
    variance[l->position + i] += t * t * (variance[l->velocity + i] + 0.25 * gained);
    variance[l->velocity + i] += gained;
  }
}
