#include "process/joint_silence.h"

#include "process/base_process.h"

#include <math.h>

/* What robots usually do: one deviation, and for how long they go on with it, s. */
struct usual {
  double sd, time;
};
static const struct usual RATE = {3.0, 0.1}, ACCELERATION = {100.0, 0.03}, JERK = {5e3, 0.03};
static const struct usual TURN = {1.0, 0.05}, TURNING = {50.0, 0.03}, TURNING_RATE = {5e3, 0.03};
static const struct usual FORCE = {4.0, 0.03}, FORCE_RATE = {500.0, 0.03};

/* A base tilts no further in any time, rad: what walks stays upright. */
static const double TILTS = 0.1;
/* Motion goes on as it was for so long, s, and for so many of the usual times between samples. */
static const double GOES_ON_S = 5e-3, GOES_ON = 2.5;

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

/* The same of the tilt. */
static double tilted(double t) {
  const double free = wandered(TURN, t), most = TILTS * TILTS;
  return free * most / (free + most);
}

/* Part of a mean that is believed when it is known so badly; of its variance too. */
static double believed(struct usual of, double variance) {
  return of.sd * of.sd / (of.sd * of.sd + variance);
}

double joint_silence_of(double dt, double usual) {
  return fmax(dt - fmax(GOES_ON_S, GOES_ON * usual), 0.0);
}

/* -- mean ------------------------------------------------------------------------------------- */

/* A state of such a variance goes back to where it rests. */
static void go_back(struct usual of, double t, double variance, double rest, double *x) {
  *x = rest + left(of, t) * believed(of, variance) * (*x - rest);
}

static vec3 resting_force(const struct joint_layout *l, const double *x) {
  const mat3 R = mat3_from_quat(base_process_rotation(l, x));
  return mat3_tmul_vec3(&R, (vec3){0.0, 0.0, STANDARD_GRAVITY});
}

/* What skin is off by in one of the states that are sums with it. */
static double bias_of(const struct joint_layout *l, size_t bias, const double *x) {
  return l->biases > 0 ? x[bias] : 0.0;
}

/* v: variances, `apart` from each other. */
static void base_mean(const struct joint_layout *l, double t, const double *v, size_t apart,
                      double *x) {
  double turn[3], rest[3];
  for (size_t i = 0; i < 3; i++) {
    turn[i] = gone(TURN, t) * believed(TURN, v[(l->omega + i) * apart]) * x[l->omega + i];
  }
  const quat turned =
      quat_mul(base_process_rotation(l, x), quat_from_rotation_vector(vec3_from(turn)));
  base_process_set_rotation(l, quat_normalized(turned), x);
  vec3_to(resting_force(l, x), rest);
  for (size_t i = 0; i < 3; i++) {
    const size_t omega = l->omega + i, dot = l->omegadot + i, ddot = l->omegaddot + i,
                 force = l->force + i, forcedot = l->forcedot + i;
    x[l->position + i] += t * x[l->velocity + i];
    go_back(TURN, t, v[omega * apart], 0.0, x + omega);
    go_back(TURNING, t, v[dot * apart], bias_of(l, l->bias_ang + i, x), x + dot);
    go_back(TURNING_RATE, t, v[ddot * apart], 0.0, x + ddot);
    go_back(FORCE, t, v[force * apart], rest[i] + bias_of(l, l->bias_lin + i, x), x + force);
    go_back(FORCE_RATE, t, v[forcedot * apart], 0.0, x + forcedot);
  }
}

static void mean(const struct joint_layout *l, double t, const double *v, size_t apart, double *x) {
  for (size_t j = 0; j < l->n; j++) {
    const size_t dq = l->dq + j, ddq = l->ddq + j, jerk = l->jerk + j;
    x[l->q + j] += gone(RATE, t) * believed(RATE, v[dq * apart]) * x[dq];
    go_back(RATE, t, v[dq * apart], 0.0, x + dq);
    go_back(ACCELERATION, t, v[ddq * apart], bias_of(l, l->bias + j, x), x + ddq);
    go_back(JERK, t, v[jerk * apart], 0.0, x + jerk);
  }
  if (l->base > 0) {
    base_mean(l, t, v, apart, x);
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

static void shrink(const struct joint_layout *l, size_t state, double by, double *P) {
  for (size_t k = 0; k < l->size; k++) {
    *at(l, P, state, k) *= k == state ? by * by : by;
  }
}

/* A state goes back to what is usual; a sum, to its bias. Returns what is left of it. */
static double forget(const struct joint_layout *l, struct usual of, double t, size_t state,
                     bool sum, size_t bias, double *P) {
  const double kept = left(of, t) * sqrt(believed(of, *at(l, P, state, state)));
  shrink(l, state, kept, P);
  if (sum) {
    mix(l, state, 1.0 - kept, bias, P);
  }
  *at(l, P, state, state) += renewed(of, t);
  return kept;
}

/* A rate, after its integral has taken what it was. */
static void forget_rate(const struct joint_layout *l, struct usual of, double t, size_t rate,
                        size_t integral, double *P) {
  mix(l, integral, gone(of, t) * sqrt(believed(of, *at(l, P, rate, rate))), rate, P);
  forget(l, of, t, rate, false, 0, P);
}

/* What has come to joints' rates has also moved them. */
static void move_joints(const struct joint_layout *l, double t, double *P) {
  const double both = RATE.sd * RATE.sd * gone(RATE, t) * (1.0 - left(RATE, t));
  for (size_t j = 0; j < l->n; j++) {
    *at(l, P, l->q + j, l->q + j) += wandered(RATE, t);
    *at(l, P, l->q + j, l->dq + j) += both;
  }
}

/* Any way about the vertical, but not far about the others. */
static void turn_base(const struct joint_layout *l, double t, const double *x, double *P) {
  const mat3 R = mat3_from_quat(base_process_rotation(l, x));
  const double tilt = tilted(t), yaw = wandered(TURN, t);
  for (size_t i = 0; i < 3; i++) {
    for (size_t k = i; k < 3; k++) {
      *at(l, P, l->attitude + i, l->attitude + k) +=
          (i == k ? tilt : 0.0) + (yaw - tilt) * R.m[2][i] * R.m[2][k];
    }
  }
}

/* Where it rests turns with the attitude: R^T g, R Exp(phi) for R. */
static void forget_force(const struct joint_layout *l, double t, const double *x, double *P) {
  const mat3 by_attitude = mat3_skew(resting_force(l, x));
  for (size_t i = 0; i < 3; i++) {
    const double kept = forget(l, FORCE, t, l->force + i, l->biases > 0, l->bias_lin + i, P);
    for (size_t k = 0; k < 3; k++) {
      mix(l, l->force + i, (1.0 - kept) * by_attitude.m[i][k], l->attitude + k, P);
    }
    forget(l, FORCE_RATE, t, l->forcedot + i, false, 0, P);
  }
}

static void base_covariance(const struct joint_layout *l, double t, const double *x, double *P) {
  const double gained = wandered(FORCE, t);
  for (size_t i = 0; i < 3; i++) {
    mix(l, l->position + i, t, l->velocity + i, P);
    *at(l, P, l->velocity + i, l->velocity + i) += gained;
    *at(l, P, l->position + i, l->position + i) += 0.25 * t * t * gained;
    forget_rate(l, TURN, t, l->omega + i, l->attitude + i, P);
    forget(l, TURNING, t, l->omegadot + i, l->biases > 0, l->bias_ang + i, P);
    forget(l, TURNING_RATE, t, l->omegaddot + i, false, 0, P);
  }
  turn_base(l, t, x, P);
  forget_force(l, t, x, P);
}

void joint_silence_step(const struct joint_layout *layout, double t, double *x, double *P) {
  const struct joint_layout *l = layout;
  mean(l, t, P, l->stride + 1, x);
  for (size_t j = 0; j < l->n; j++) {
    forget_rate(l, RATE, t, l->dq + j, l->q + j, P);
    forget(l, ACCELERATION, t, l->ddq + j, l->biases > 0, l->bias + j, P);
    forget(l, JERK, t, l->jerk + j, false, 0, P);
  }
  move_joints(l, t, P);
  if (l->base > 0) {
    base_covariance(l, t, x, P);
  }
}

/* -- outlook ---------------------------------------------------------------------------------- */

static void widen(struct usual of, double t, double *variance) {
  const double d = left(of, t);
  *variance = d * d * believed(of, *variance) * *variance + renewed(of, t);
}

/* Nobody knows how rate and integral are correlated: at worst entirely. */
static void widen_rate(struct usual of, double t, double moved, double *rate, double *integral) {
  const double apart = sqrt(*integral) + gone(of, t) * sqrt(believed(of, *rate) * *rate);
  *integral = apart * apart + moved;
  widen(of, t, rate);
}

void joint_silence_outlook(const struct joint_layout *layout, double t, double *x,
                           double *variance) {
  const struct joint_layout *l = layout;
  const double gained = wandered(FORCE, t);
  double tilt = 0.0;
  mean(l, t, variance, 1, x);
  for (size_t j = 0; j < l->n; j++) {
    widen_rate(RATE, t, wandered(RATE, t), variance + l->dq + j, variance + l->q + j);
    widen(ACCELERATION, t, variance + l->ddq + j);
    widen(JERK, t, variance + l->jerk + j);
  }
  for (size_t i = 0; i < l->base; i++) {
    widen_rate(TURN, t, i < 2 ? tilted(t) : wandered(TURN, t), variance + l->omega + i,
               variance + l->attitude + i);
    widen(TURNING, t, variance + l->omegadot + i);
    widen(TURNING_RATE, t, variance + l->omegaddot + i);
    widen(FORCE_RATE, t, variance + l->forcedot + i);
    tilt += variance[l->attitude + i];
    const double apart = sqrt(variance[l->position + i]) + t * sqrt(variance[l->velocity + i]);
    variance[l->position + i] = apart * apart + 0.25 * t * t * gained;
    variance[l->velocity + i] += gained;
  }
  for (size_t i = 0; i < l->base; i++) { /* where it rests is known as well as the tilt */
    double *force = variance + l->force + i;
    const double by_tilt =
        (1.0 - left(FORCE, t) * sqrt(believed(FORCE, *force))) * STANDARD_GRAVITY * sqrt(tilt);
    widen(FORCE, t, force);
    *force = (sqrt(*force) + by_tilt) * (sqrt(*force) + by_tilt);
  }
}
