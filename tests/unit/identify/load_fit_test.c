#include "identify/fit/load_fit.h"

#include "inertia/pseudo_inertia.h"
#include "support/dynamics_fixture.h"
#include "support/robot_text.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 3000, JOINTS = 6, SEEDS = 10 };
static const bool all_kinds[DRIVE_KINDS] = {true, true, true, true};
static const vec3 up = {0.0, 0.0, 9.81};

/* N m: about a hundredth of what each joint has to give. */
static const double sensor_noise[JOINTS] = {0.3, 0.3, 0.2, 0.05, 0.05, 0.03};

static struct model model;
static struct unknowns u;
static struct inertia load;
static double prior[128];

static void setup(void) {
  static const struct log_map map = {.rate_hz = 100.0};
  const mat3 I = {{{4e-3, 0.0, 0.0}, {0.0, 5e-3, 0.0}, {0.0, 0.0, 3e-3}}};
  size_t length;
  const char *text = test_file("config/robots/tx40.urdf", &length);
  model = test_model(text, length);
  u = unknowns_of(&model, &map, all_kinds);
  unknowns_prior(&u, prior);
  load = inertia_of_body(2.0, (vec3){0.03, -0.02, 0.12}, &I);
}

/* A motion of all joints and the torques that sensors with these gains would say. */
static struct row_set measure(struct random random, const struct inertia *carried,
                              const double *gain, struct random *noise) {
  const size_t size = (size_t)SAMPLES * JOINTS * sizeof(double);
  struct log_motion m = {.n_joints = JOINTS, .n = SAMPLES, .dt = 1e-2, .cutoff_hz = 10.0};
  struct inertia inertia[JOINTS + 1];
  struct dynamics d;
  struct row_set rows;
  const struct row_settings settings = row_defaults();
  m.q = malloc(size);
  m.dq = malloc(size);
  m.ddq = malloc(size);
  m.tau = malloc(size);
  memcpy(inertia, model.inertia, sizeof(inertia));
  inertia[JOINTS] = inertia_add(&inertia[JOINTS], carried);
  dynamics_of(&d, &model);
  for (size_t j = 0; j < JOINTS; j++) {
    const double w = random_uniform(&random, 1.0, 4.0), phase = random_uniform(&random, 0.0, 6.0);
    for (size_t k = 0; k < SAMPLES; k++) {
      const double t = m.dt * (double)k;
      m.q[k * JOINTS + j] = 0.9 * sin(w * t + phase);
      m.dq[k * JOINTS + j] = 0.9 * w * cos(w * t + phase);
      m.ddq[k * JOINTS + j] = -0.9 * w * w * sin(w * t + phase);
    }
  }
  for (size_t k = 0; k < SAMPLES; k++) {
    const struct robot_motion at = {.base = {.X_WB = POSE_IDENTITY, .a_B = {.lin = up}},
                                    .q = m.q + k * JOINTS,
                                    .dq = m.dq + k * JOINTS,
                                    .ddq = m.ddq + k * JOINTS};
    double *tau = m.tau + k * JOINTS;
    ck_assert_int_eq(kinematics_update(&d.kin, &at), STATUS_OK);
    ck_assert_int_eq(rnea_step(&d.rnea, &d.kin, inertia, NULL, WITH_DRIVES, NULL, tau), STATUS_OK);
    for (size_t j = 0; j < JOINTS; j++) {
      tau[j] = gain[j] * tau[j] + sensor_noise[j] * random_normal(noise);
    }
  }
  ck_assert_int_eq(row_set_make(&u, &m, up, &settings, &rows), STATUS_OK);
  log_motion_free(&m);
  return rows;
}

static struct load_fit fit_of(struct random *random, double gain_error,
                              const struct load_settings *settings, double *gain) {
  const struct inertia nothing = {0};
  struct load_fit fit;
  for (size_t j = 0; j < JOINTS; j++) {
    gain[j] = 1.0 + gain_error * random_normal(random);
  }
  struct random motion = random_from((unsigned long)random_uniform(random, 0.0, 1e6));
  struct row_set without = measure(motion, &nothing, gain, random);
  struct row_set with = measure(motion, &load, gain, random);
  ck_assert_int_eq(load_fit_make(&u, &without, &with, prior, settings, &fit), STATUS_OK);
  row_set_free(&without);
  row_set_free(&with);
  return fit;
}

static double com_error(const struct load_fit *fit) {
  const vec3 c = inertia_com(&load);
  return distance3(fit->com, c);
}

START_TEST(two_kilograms_are_found_in_spite_of_gains_that_are_wrong) {
  setup();
  struct random random = random_from(test_seed());
  struct load_settings settings = {.link = JOINTS, .gain_sd = 0.01};
  const mat3 sphere = {{{1e-3, 0.0, 0.0}, {0.0, 1e-3, 0.0}, {0.0, 0.0, 1e-3}}};
  settings.load = inertia_of_body(1.0, (vec3){0.0, 0.0, 0.05}, &sphere);
  for (int seed = 0; seed < SEEDS; seed++) {
    double gain[JOINTS];
    const struct load_fit fit = fit_of(&random, 0.01, &settings, gain);
    const vec3 c = inertia_com(&load);
    ck_assert_int_eq(inertia_consistency(&fit.load, 0.0, NULL), STATUS_OK);
    assert_near(fit.load.m, 2.0, 0.04);
    ck_assert_double_le(com_error(&fit), 5e-3);
    ck_assert_double_le(fabs(fit.load.m - 2.0), 3.0 * fit.mass_sd);
    ck_assert_double_le(fabs(fit.com.x - c.x), 3.0 * fit.com_sd.x);
    ck_assert_double_le(fabs(fit.com.y - c.y), 3.0 * fit.com_sd.y);
    ck_assert_double_le(fabs(fit.com.z - c.z), 3.0 * fit.com_sd.z);
    ck_assert_double_lt(fit.mass_sd, 0.04);
  }
}
END_TEST

START_TEST(gains_that_are_a_tenth_wrong_are_found_to_a_hundredth) {
  setup();
  struct random random = random_from(test_seed());
  const struct load_settings settings = {
      .link = JOINTS, .gain_sd = 0.3, .known = true, .load = load};
  for (int seed = 0; seed < SEEDS; seed++) {
    double gain[JOINTS];
    const struct load_fit fit = fit_of(&random, 0.1, &settings, gain);
    for (size_t j = 0; j < JOINTS; j++) {
      const double corrected = gain[j] / (1.0 + fit.gain[j]);
      ck_assert_double_le(fabs(corrected - 1.0), 4.0 * fit.gain_sd[j] / gain[j]); /* of 60 */
      if (j >= 1 && j <= 4) { /* gravity of the load is felt there */
        assert_near(corrected, 1.0, 0.01);
      }
    }
  }
}
END_TEST

START_TEST(a_link_that_is_not_there_is_refused) {
  setup();
  struct load_fit fit = {.error = 77.0};
  const struct row_set none = {0};
  const struct load_settings base = {.link = 0}, beyond = {.link = 7};
  ck_assert_int_eq(load_fit_make(&u, &none, &none, prior, &base, &fit), STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(load_fit_make(&u, &none, &none, prior, &beyond, &fit), STATUS_BAD_ARGUMENT);
  ck_assert_double_eq(fit.error, 77.0);
}
END_TEST

SUITE(two_kilograms_are_found_in_spite_of_gains_that_are_wrong,
      gains_that_are_a_tenth_wrong_are_found_to_a_hundredth, a_link_that_is_not_there_is_refused)
