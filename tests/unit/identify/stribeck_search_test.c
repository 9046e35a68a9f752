#include "identify/fit/stribeck_search.h"

#include "identify/fit/robot_fit.h"
#include "model/joint_drive.h"
#include "support/robot_text.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 12000, UNKNOWNS = 16 };
static const vec3 up = {0.0, 0.0, 9.81};
static const double MOMENT = 0.52, WEIGHT = 9.81, VISCOUS = 0.3, COULOMB = 0.4; /* SI */
static const double MORE = 0.25, BELOW = 0.15, BOTH = 0.1; /* Stribeck, its speed, asymmetry */

static const char pendulum[] =
    "<robot name='p'><link name='base'/><link name='rod'><inertial><origin xyz='0 0 -0.5'/>"
    "<mass value='1.6'/><inertia ixx='0.02' iyy='0.02' izz='0.01' ixy='0' ixz='0' iyz='0'/>"
    "</inertial></link><joint name='swing' type='revolute'><parent link='base'/><child "
    "link='rod'/><axis xyz='0 1 0'/><limit lower='-2' upper='2' effort='50' velocity='8'/></joint>"
    "</robot>";

/* A pendulum whose friction falls as it sets off and is greater forwards. */
static struct log_motion swing(struct random *random) {
  const size_t size = SAMPLES * sizeof(double);
  struct log_motion m = {.n_joints = 1, .n = SAMPLES, .dt = 5e-3, .cutoff_hz = 20.0};
  m.q = malloc(size);
  m.dq = malloc(size);
  m.ddq = malloc(size);
  m.tau = malloc(size);
  for (size_t k = 0; k < SAMPLES; k++) {
    const double t = m.dt * (double)k;
    m.q[k] = 0.5 * sin(0.9 * t) + 0.3 * sin(2.3 * t + 1.0);
    const double v = 0.45 * cos(0.9 * t) + 0.69 * cos(2.3 * t + 1.0);
    m.dq[k] = v;
    m.ddq[k] = -0.405 * sin(0.9 * t) - 1.587 * sin(2.3 * t + 1.0);
    m.tau[k] = MOMENT * m.ddq[k] + WEIGHT * sin(m.q[k]) + VISCOUS * v + BOTH * fabs(v) +
               coulomb_share(v) * (COULOMB + MORE * exp(-v * v / (BELOW * BELOW))) +
               0.01 * random_normal(random);
  }
  return m;
}

static struct robot_fit fit_with(const struct model *model, const struct log_motion *motion,
                                 const bool kinds[DRIVE_KINDS], struct unknowns *u) {
  static const struct log_map map = {.rate_hz = 200.0};
  const struct row_settings settings = row_defaults();
  struct fit_settings fitting = fit_defaults();
  struct base_parameters base;
  struct row_set rows;
  struct robot_fit fit;
  double prior[UNKNOWNS];
  *u = unknowns_of(model, &map, kinds);
  ck_assert_uint_le(u->n, UNKNOWNS);
  unknowns_prior(u, prior);
  ck_assert_int_eq(row_set_make(u, motion, up, &settings, &rows), STATUS_OK);
  if (kinds[DRIVE_STRIBECK]) {
    ck_assert_int_eq(stribeck_search(u, motion, up, &settings, 0.7, &rows), STATUS_OK);
  }
  ck_assert_int_eq(base_parameters_find(u, up, &base), STATUS_OK);
  fitting.lambda = 1e-3;
  ck_assert_int_eq(robot_fit_make(u, &rows, &base, prior, &fitting, &fit), STATUS_OK);
  base_parameters_free(&base);
  row_set_free(&rows);
  return fit;
}

START_TEST(friction_that_falls_and_differs_by_direction_is_found) {
  static const bool all[DRIVE_KINDS] = {true, true, true, true, true, true};
  static const bool plain[DRIVE_KINDS] = {true, true, true, true};
  struct random random = random_from(test_seed());
  const struct model model = test_model(pendulum, sizeof(pendulum) - 1);
  struct log_motion motion = swing(&random);
  struct unknowns u, without;
  struct robot_fit fit = fit_with(&model, &motion, all, &u);
  struct robot_fit less = fit_with(&model, &motion, plain, &without);
  const double of_speed = u.stribeck[0] / BELOW;
  ck_assert_double_gt(of_speed, 0.6);
  ck_assert_double_lt(of_speed, 1.7); /* what is tried has steps of that size */
  assert_near(fit.x[u.at[0][DRIVE_STRIBECK]], MORE, 0.08);
  assert_near(fit.x[u.at[0][DRIVE_COULOMB]], COULOMB, 0.04);
  assert_near(fit.x[u.at[0][DRIVE_VISCOUS]], VISCOUS, 0.03);
  assert_near(fit.x[u.at[0][DRIVE_ASYMMETRY]], BOTH, 0.02);
  ck_assert_double_lt(fit.test.total, 0.3 * less.test.total);
  robot_fit_free(&fit);
  robot_fit_free(&less);
  log_motion_free(&motion);
}
END_TEST

/* Friction drives neither way, however the rows would have it. */
START_TEST(friction_never_drives_whichever_way_the_joint_goes) {
  static const bool kinds[DRIVE_KINDS] = {true, true, true, true, true, false};
  struct random random = random_from(test_seed());
  const struct model model = test_model(pendulum, sizeof(pendulum) - 1);
  struct log_motion motion = swing(&random);
  struct unknowns u;
  for (size_t k = 0; k < SAMPLES; k++) { /* backwards it is driven */
    motion.tau[k] += 2.0 * fabs(motion.dq[k]);
  }
  struct robot_fit fit = fit_with(&model, &motion, kinds, &u);
  const double viscous = fit.x[u.at[0][DRIVE_VISCOUS]], both = fit.x[u.at[0][DRIVE_ASYMMETRY]];
  ck_assert_double_gt(both, 0.3);
  ck_assert_double_gt(viscous, both);
  robot_fit_free(&fit);
  log_motion_free(&motion);
}
END_TEST

SUITE(friction_that_falls_and_differs_by_direction_is_found,
      friction_never_drives_whichever_way_the_joint_goes)
