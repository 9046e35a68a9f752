#include "identify/rows/rotor_bodies.h"

#include "identify/fit/robot_fit.h"
#include "inertia/pseudo_inertia.h"
#include "support/random_model.h"
#include "support/robot_text.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 6, SAMPLES = 3000, MOST = 192 };
static const bool all_kinds[DRIVE_KINDS] = {true, true, true, true};
static const vec3 up = {0.0, 0.0, 9.81};
static const double GEAR = 30.0;

static struct model model;

static struct unknowns unknowns_with(double gear) {
  static struct log_map map;
  size_t length;
  const char *text = test_file("config/robots/tx40.urdf", &length);
  model = test_model(text, length);
  map = (struct log_map){.rate_hz = 200.0};
  for (size_t j = 0; j < JOINTS; j++) {
    map.joint[j].gear = gear;
  }
  return unknowns_of(&model, &map, all_kinds);
}

START_TEST(a_description_is_whole_again_when_its_rotors_are_put_back) {
  const struct unknowns u = unknowns_with(GEAR);
  double x[MOST], inertia[JOINTS];
  struct inertia link[JOINTS];
  ck_assert_uint_eq(u.bodies, 2 * JOINTS);
  ck_assert_int_eq(u.at[3][DRIVE_ROTOR], UNKNOWN_NONE);
  unknowns_prior(&u, x);
  for (size_t i = 0; i < u.bodies; i++) {
    const struct inertia body = convex_body(x, i);
    ck_assert_int_eq(inertia_consistency(&body, 0.0, NULL), STATUS_OK);
  }
  rotor_bodies_lump(&u, x, link, inertia);
  for (size_t i = 0; i < JOINTS; i++) {
    double now[INERTIA_PARAMETERS], was[INERTIA_PARAMETERS];
    inertia_to(&link[i], now);
    inertia_to(&model.inertia[i + 1], was);
    for (int k = 0; k < INERTIA_PARAMETERS; k++) {
      assert_near(now[k], was[k], 1e-14 * (1.0 + fabs(was[k])));
    }
    if (model.joint[i].rotor_inertia > 0.0) {
      assert_near(inertia[i], model.joint[i].rotor_inertia, 1e-12);
    }
  }
}
END_TEST

static struct log_motion motion_of(struct random *random) {
  const size_t size = (size_t)SAMPLES * JOINTS * sizeof(double);
  struct log_motion m = {.n_joints = JOINTS, .n = SAMPLES, .dt = 5e-3, .cutoff_hz = 10.0};
  m.q = malloc(size);
  m.dq = malloc(size);
  m.ddq = malloc(size);
  m.tau = calloc(1, size);
  for (size_t j = 0; j < JOINTS; j++) {
    const double w = random_uniform(random, 2.0, 5.0), phase = random_uniform(random, 0.0, 6.0);
    for (size_t k = 0; k < SAMPLES; k++) {
      const double t = m.dt * (double)k;
      m.q[k * JOINTS + j] = 0.9 * sin(w * t + phase);
      m.dq[k * JOINTS + j] = 0.9 * w * cos(w * t + phase);
      m.ddq[k * JOINTS + j] = -0.9 * w * w * sin(w * t + phase);
    }
  }
  return m;
}

static struct row_set rows_of(const struct unknowns *u, const struct log_motion *motion) {
  const struct row_settings settings = row_defaults();
  struct row_set rows;
  ck_assert_int_eq(row_set_make(u, motion, up, &settings, &rows), STATUS_OK);
  return rows;
}

/* What is left on rows that were not fitted, of torques of robots with rotors. */
static double left_of(const struct unknowns *u, const struct log_motion *motion,
                      const struct row_set *torques) {
  struct row_set rows = rows_of(u, motion);
  struct fit_settings settings = fit_defaults();
  struct robot_fit fit;
  double prior[MOST];
  settings.lambda = 1e-3;
  unknowns_prior(u, prior);
  for (size_t j = 0; j < JOINTS; j++) {
    memcpy(rows.channel[j].tau, torques->channel[j].tau, rows.n * sizeof(double));
  }
  ck_assert_int_eq(robot_fit_make(u, &rows, NULL, prior, &settings, &fit), STATUS_OK);
  ck_assert(fit.physical);
  const double left = fit.test.total;
  robot_fit_free(&fit);
  row_set_free(&rows);
  return left;
}

/* Of rotors that turn thirty times as far: their gyroscopic moments. @eq Wensing17 24 25 */
START_TEST(rotors_of_their_own_explain_what_rotor_inertia_cannot) {
  struct random random = random_from(test_seed());
  const struct unknowns with = unknowns_with(GEAR), without = unknowns_with(0.0);
  struct log_motion motion = motion_of(&random);
  struct row_set torques = rows_of(&with, &motion);
  double truth[MOST];
  unknowns_prior(&with, truth);
  for (size_t i = 0; i < with.n; i++) {
    truth[i] *= 1.1 + 0.03 * (double)(i / INERTIA_PARAMETERS);
  }
  for (size_t j = 0; j < JOINTS; j++) {
    for (size_t k = 0; k < torques.n; k++) {
      torques.channel[j].tau[k] = 0.0;
      torques.channel[j].tau[k] = -row_residual(&torques.channel[j], k, truth);
    }
  }
  const double own = left_of(&with, &motion, &torques), none = left_of(&without, &motion, &torques);
  ck_assert_double_le(own, 1e-4);
  ck_assert_double_ge(none, 10.0 * own);
  row_set_free(&torques);
  log_motion_free(&motion);
}
END_TEST

SUITE(a_description_is_whole_again_when_its_rotors_are_put_back,
      rotors_of_their_own_explain_what_rotor_inertia_cannot)
