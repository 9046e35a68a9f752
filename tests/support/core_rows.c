#include "support/core_rows.h"

#include "body/regressor.h"
#include "inertia/log_cholesky.h"
#include "inertia/pseudo_inertia.h"
#include "support/suite.h"

#include <stdlib.h>

const struct inertial_core_settings CORE_SETTINGS = {
    .form = INERTIAL_RUCKER,
    .iterations = 8,
    .memory = true,
    .prior = {.mass = 2.0, .com = 0.05, .shape = 0.3},
    .drift = {.mass = 0.02, .com = 1e-3, .shape = 0.01}};

const double CORE_NOISE[ROWS] = {0.05, 0.05, 0.05, 0.5, 0.5, 0.5}; /* N m, N */

struct inertia core_drawn_from_prior(struct random *random, const struct inertia *mean) {
  double theta[TEN];
  log_cholesky_from_inertia(LOG_CHOLESKY_RUCKER, mean, theta);
  const double radius = exp((theta[1] + theta[2] + theta[3]) / 3.0);
  const double sigma[TEN] = {0.5 * CORE_SETTINGS.prior.mass / mean->m,
                             CORE_SETTINGS.prior.shape,
                             CORE_SETTINGS.prior.shape,
                             CORE_SETTINGS.prior.shape,
                             CORE_SETTINGS.prior.shape * radius,
                             CORE_SETTINGS.prior.shape * radius,
                             CORE_SETTINGS.prior.shape * radius,
                             CORE_SETTINGS.prior.com,
                             CORE_SETTINGS.prior.com,
                             CORE_SETTINGS.prior.com};
  for (int i = 0; i < TEN; i++) {
    theta[i] += sigma[i] * random_normal(random);
  }
  return log_cholesky_inertia(LOG_CHOLESKY_RUCKER, theta);
}

struct inertial_core *core_new(const struct inertial_core_settings *settings,
                               const struct inertia *prior) {
  struct inertial_core *core = calloc(1, sizeof(*core));
  struct arena count = {0};
  ck_assert_int_eq(inertial_core_init(core, settings, prior, 1, &count), STATUS_OK);
  struct arena arena = test_arena(count.used);
  ck_assert_int_eq(inertial_core_init(core, settings, prior, 1, &arena), STATUS_OK);
  ck_assert_uint_eq(arena.used, count.used);
  return core;
}

vec3 core_random_vector(struct random *random, double scale) {
  return (vec3){scale * random_normal(random), scale * random_normal(random),
                scale * random_normal(random)};
}

struct inertial_rows core_measure(struct random *random, const struct inertia *truth, double noise,
                                  struct core_sample *sample) {
  const vec3 up = core_random_vector(random, 1.0);
  const vec3 a = vec3_add(vec3_scale(9.81 / vec3_norm(up), up), core_random_vector(random, 1.0));
  link_regressor(core_random_vector(random, 1.5), core_random_vector(random, 5.0), a, sample->Y);
  double pi[TEN];
  inertia_to(truth, pi);
  for (int r = 0; r < ROWS; r++) {
    sample->R[r] = noise * noise * CORE_NOISE[r] * CORE_NOISE[r];
    sample->z[r] = noise * CORE_NOISE[r] * random_normal(random);
    for (int i = 0; i < TEN; i++) {
      sample->z[r] += sample->Y[r][i] * pi[i];
    }
  }
  return (struct inertial_rows){.n = ROWS, .Y = &sample->Y[0][0], .z = sample->z, .R = sample->R};
}

const mat3 CORE_SHAPE = {{{0.06, 0.01, 0.0}, {0.01, 0.08, -0.01}, {0.0, -0.01, 0.05}}};

struct inertia core_nominal(void) {
  return inertia_of_body(8.0, (vec3){0.05, -0.02, 0.1}, &CORE_SHAPE);
}

struct inertial_rows core_with_biases(const struct core_sample *sample,
                                      double Y[ROWS][TEN + ROWS]) {
  for (int r = 0; r < ROWS; r++) {
    for (int i = 0; i < TEN + ROWS; i++) {
      Y[r][i] = i < TEN ? sample->Y[r][i] : i == TEN + r ? 1.0 : 0.0;
    }
  }
  return (struct inertial_rows){.n = ROWS, .Y = &Y[0][0], .z = sample->z, .R = sample->R};
}
