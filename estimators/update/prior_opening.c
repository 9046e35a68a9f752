#include "update/prior_opening.h"

#include "process/base_process.h"

#include <math.h>

/* So long what pushes a base lasts, s: a foot that lands. */
static const double FORCE_LASTS = 0.014;
/* A force so far from what was foreseen, m/s^2, may be a pulse that has come and gone between two
 * readings: what it has done to the velocity neither tells. It lasts so long at most, s. */
static const double PULSE = 8.0, PULSE_LASTS = 2e-3;

/* A rate and its integral open together, by A diag(variance) A^T: when in the last dt s the rate
 * changed is not known, half of them before now on average, and a third of their square. */
static void open_with_integral(const struct joint_layout *l, size_t rate, size_t integral,
                               const mat3 *A, vec3 variance, double dt, double *P) {
  double v[3];
  vec3_to(variance, v);
  for (size_t i = 0; i < 3; i++) {
    P[(rate + i) * (l->stride + 1)] += v[i];
    for (size_t k = 0; k < 3; k++) {
      const size_t a = integral + k, b = rate + i;
      P[(a < b ? a : b) * l->stride + (a < b ? b : a)] += 0.5 * dt * A->m[k][i] * v[i];
      for (size_t m = k; m < 3; m++) {
        P[a * l->stride + integral + m] += dt * dt / 3.0 * A->m[k][i] * A->m[m][i] * v[i];
      }
    }
  }
}

/* Beside the twelfth of dt^2 that is left of a step once its size is read. */
static void open_by_pulse(const struct joint_layout *l, const mat3 *R_WB, vec3 square, double dt,
                          double *P) {
  const double lasts = fmin(dt, PULSE_LASTS), more = lasts * lasts - dt * dt / 12.0;
  double s[3];
  vec3_to(square, s);
  if (more <= 0.0 || s[0] + s[1] + s[2] < PULSE * PULSE) {
    return;
  }
  for (size_t i = 0; i < 3; i++) {
    for (size_t k = i; k < 3; k++) {
      for (size_t m = 0; m < 3; m++) {
        P[(l->velocity + i) * l->stride + l->velocity + k] +=
            more * R_WB->m[i][m] * R_WB->m[k][m] * s[m];
      }
    }
  }
}

/* Velocities that changed unseen; again with each replay. */
static void apply_kicks(const struct joint_layout *l, const struct instant *now, double dt,
                        const double *x, double *P) {
  for (size_t j = 0; j < l->n; j++) {
    P[(l->q + j) * (l->stride + 1)] += now->kick_q[j];
    P[(l->dq + j) * (l->stride + 1)] += now->kick[j];
    P[(l->ddq + j) * (l->stride + 1)] += now->kick_ddq[j];
  }
  if (l->base > 0) {
    const mat3 one = MAT3_IDENTITY, R_WB = mat3_from_quat(base_process_rotation(l, x));
    double rate[3];
    vec3_to(now->open_rate, rate);
    for (size_t i = 0; i < l->base; i++) {
      P[(l->omegadot + i) * (l->stride + 1)] += dt > 0.0 ? rate[i] / (dt * dt) : 0.0;
    }
    open_with_integral(l, l->omega, l->attitude, &one, now->open_rate, dt, P);
    open_with_integral(l, l->force, l->velocity, &R_WB, now->open_force, dt, P);
    open_by_pulse(l, &R_WB, now->open_pulse, dt, P);
  }
}

/* Three states of the base go with all others by no more than a share of what they did. */
static void loosen(const struct joint_layout *l, size_t first, double share, double *P) {
  for (size_t i = first; i < first + 3; i++) {
    for (size_t k = 0; k < l->size; k++) {
      const bool own = k >= first && k < first + 3;
      P[(i < k ? i : k) * l->stride + (i < k ? k : i)] *= own ? 1.0 : share;
    }
  }
}

/* By how much, s, velocity goes with force: the most of any axis. */
static double lasting(const struct joint_layout *l, const double *P) {
  double longest = 0.0;
  for (size_t i = 0; i < 3; i++) {
    for (size_t k = 0; k < 3; k++) {
      const double with = joint_process_upper(l, P, l->velocity + k, l->force + i);
      longest = fmax(longest, fabs(with) / P[(l->force + i) * (l->stride + 1)]);
    }
  }
  return longest;
}

/* A force that nobody has felt for long has been another since: what it is when it is told again
 * says what it has done to the velocity only as far as it lasts. */
static void forget_course(const struct joint_layout *l, const struct instant *before,
                          const struct instant *now, double *P) {
  const double silent = 1e-9 * (double)(now->t_ns - before->felt_ns);
  if (before->felt_ns > 0 && now->felt_ns == now->t_ns && silent > 2.0 * FORCE_LASTS) {
    const double share = fmin(FORCE_LASTS / lasting(l, P), 1.0);
    loosen(l, l->force, share, P);
    loosen(l, l->forcedot, share, P);
  }
}

bool prior_is_kicked(const struct joint_layout *l, const struct instant *now) {
  bool kicked = false;
  for (size_t j = 0; j < l->n; j++) {
    kicked = kicked || now->kick_q[j] > 0.0 || now->kick[j] > 0.0 || now->kick_ddq[j] > 0.0;
  }
  return kicked;
}

void prior_open(const struct joint_layout *l, const struct instant *before,
                const struct instant *now, double dt, const double *x, double *P) {
  apply_kicks(l, now, dt, x, P);
  if (l->base > 0) {
    forget_course(l, before, now, P);
  }
}
