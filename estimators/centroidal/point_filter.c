#include "centroidal/point_filter.h"

#include <math.h>
#include <string.h>

static const double MAX_STEP_S = 1.0;
static const double START_VELOCITY = 1.0,
                    START_ACCELERATION = 5.0; /* unit/s, unit/s^2: nothing is known yet */

enum status point_filter_init(struct point_filter *filter,
                              const struct point_filter_settings *settings) {
  if (!(settings->jerk > 0.0 && settings->position > 0.0 && settings->acceleration > 0.0)) {
    return STATUS_OUT_OF_RANGE;
  }
  *filter = (struct point_filter){.settings = *settings};
  return STATUS_OK;
}

static void start(struct point_filter *filter, vec3 position, vec3 acceleration) {
  filter->p = position;
  filter->v = VEC3_ZERO;
  filter->a = acceleration;
  memset(filter->P, 0, sizeof(filter->P));
  filter->P[0][0] = filter->settings.position * filter->settings.position;
  filter->P[1][1] = START_VELOCITY * START_VELOCITY;
  filter->P[2][2] = START_ACCELERATION * START_ACCELERATION;
  filter->started = true;
}

/* P = F P F^T + Q of a triple integrator driven by white noise of density q. */
static void predict(struct point_filter *filter, double t) {
  const double F[3][3] = {{1.0, t, 0.5 * t * t}, {0.0, 1.0, t}, {0.0, 0.0, 1.0}};
  const double q = filter->settings.jerk * filter->settings.jerk, t2 = t * t, t3 = t2 * t;
  const double Q[3][3] = {{q * t3 * t2 / 20.0, q * t2 * t2 / 8.0, q * t3 / 6.0},
                          {q * t2 * t2 / 8.0, q * t3 / 3.0, q * t2 / 2.0},
                          {q * t3 / 6.0, q * t2 / 2.0, q * t}};
  double FP[3][3];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      FP[i][j] = F[i][0] * filter->P[0][j] + F[i][1] * filter->P[1][j] + F[i][2] * filter->P[2][j];
    }
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j <= i; j++) {
      filter->P[i][j] = filter->P[j][i] =
          FP[i][0] * F[j][0] + FP[i][1] * F[j][1] + FP[i][2] * F[j][2] + Q[i][j];
    }
  }
  filter->p = vec3_axpy(vec3_axpy(filter->p, t, filter->v), 0.5 * t * t, filter->a);
  filter->v = vec3_axpy(filter->v, t, filter->a);
}

/* Measures state number `k` of each axis. */
static void update(struct point_filter *filter, int k, vec3 innovation, double variance) {
  const double s = filter->P[k][k] + variance;
  const double gain[3] = {filter->P[0][k] / s, filter->P[1][k] / s, filter->P[2][k] / s};
  const double row[3] = {filter->P[k][0], filter->P[k][1], filter->P[k][2]};
  filter->p = vec3_axpy(filter->p, gain[0], innovation);
  filter->v = vec3_axpy(filter->v, gain[1], innovation);
  filter->a = vec3_axpy(filter->a, gain[2], innovation);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j <= i; j++) {
      filter->P[i][j] -= gain[i] * row[j];
      filter->P[j][i] = filter->P[i][j];
    }
  }
}

enum status point_filter_step(struct point_filter *filter, vec3 position, vec3 acceleration,
                              double dt) {
  if (!vec3_is_finite(position) || !vec3_is_finite(acceleration)) {
    return STATUS_NOT_FINITE;
  }
  if (!(dt > 0.0 && dt <= MAX_STEP_S)) {
    return STATUS_OUT_OF_RANGE;
  }
  if (!filter->started) {
    start(filter, position, acceleration);
    return STATUS_OK;
  }
  const struct point_filter_settings *s = &filter->settings;
  predict(filter, dt);
  update(filter, 0, vec3_sub(position, filter->p), s->position * s->position);
  update(filter, 2, vec3_sub(acceleration, filter->a), s->acceleration * s->acceleration);
  return STATUS_OK;
}
