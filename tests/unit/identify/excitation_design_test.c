#include "identify/fit/excitation_design.h"

#include "support/dynamics_fixture.h"
#include "support/robot_text.h"
#include "support/suite.h"

#include <math.h>

static const bool all_kinds[DRIVE_KINDS] = {true, true, true, true};
static const vec3 up = {0.0, 0.0, 9.81};
static const struct log_map map = {.rate_hz = 1e3};

static struct model model;
static struct unknowns u;
static struct base_parameters base;
static struct design_settings settings;
static double sd[128];

/* A clock that goes on by a second each time it is asked: seconds are tries. */
static double ticks;
static double tick(void) {
  return ticks += 1.0;
}

static struct excitation_design design_of(const char *urdf, double tries) {
  struct excitation_design design;
  size_t length;
  const char *text = test_file(urdf, &length);
  model = test_model(text, length);
  u = unknowns_of(&model, &map, all_kinds);
  settings = design_defaults();
  settings.seconds = tries;
  ticks = 0.0;
  ck_assert_int_eq(base_parameters_find(&u, up, &base), STATUS_OK);
  ck_assert_int_eq(excitation_design_find(&u, &base, up, &settings, tick, &design, sd), STATUS_OK);
  return design;
}

START_TEST(every_limit_holds_at_every_millisecond) {
  const struct excitation_design design = design_of("config/robots/tx40.urdf", 300.0);
  struct dynamics d;
  dynamics_of(&d, &model);
  double most = 0.0;
  for (int k = 0; k <= 10000; k++) {
    double q[6], dq[6], ddq[6], tau[6];
    for (size_t j = 0; j < 6; j++) {
      const struct joint *joint = &model.joint[j];
      excitation_design_at(&design, j, 1e-3 * k, &q[j], &dq[j], &ddq[j]);
      ck_assert_double_ge(q[j], joint->q_min);
      ck_assert_double_le(q[j], joint->q_max);
      ck_assert_double_le(fabs(dq[j]), joint->dq_max);
      ck_assert_double_le(fabs(ddq[j]), settings.acceleration);
      if (k == 0 || k == 10000) { /* from rest to rest */
        assert_near(dq[j], 0.0, 1e-9);
        assert_near(ddq[j], 0.0, 1e-9);
      }
    }
    const struct robot_motion at = {
        .base = {.X_WB = POSE_IDENTITY, .a_B = {.lin = up}}, .q = q, .dq = dq, .ddq = ddq};
    ck_assert_int_eq(kinematics_update(&d.kin, &at), STATUS_OK);
    ck_assert_int_eq(rnea_step(&d.rnea, &d.kin, model.inertia, NULL, WITH_DRIVES, NULL, tau),
                     STATUS_OK);
    for (size_t j = 0; j < 6; j++) {
      ck_assert_double_le(fabs(tau[j]), model.joint[j].tau_max);
      most = fmax(most, fabs(tau[j]) / model.joint[j].tau_max);
    }
  }
  ck_assert_double_gt(most, 0.3); /* they are made use of */
}
END_TEST

START_TEST(it_tells_thirty_nats_more_than_the_best_random_motion) {
  const struct excitation_design design = design_of("config/robots/tx40.urdf", 1500.0);
  ck_assert_double_ge(design.information - design.of_random, 30.0);
  ck_assert_uint_eq(base.n_base, 58);
}
END_TEST

START_TEST(the_same_seed_designs_the_same_motion) {
  const struct excitation_design a = design_of("config/robots/panda.urdf", 50.0),
                                 b = design_of("config/robots/panda.urdf", 50.0);
  for (size_t j = 0; j < a.n_joints; j++) {
    for (int h = 0; h < DESIGN_HARMONICS; h++) {
      ck_assert_double_eq(a.a[j][h], b.a[j][h]);
    }
  }
  ck_assert_double_eq(a.information, b.information);
}
END_TEST

/* Predicted deviations are those of least squares on such rows: their inverse information. */
START_TEST(half_the_noise_halves_every_predicted_deviation) {
  design_of("config/robots/tx40.urdf", 30.0);
  double before = 0.0, after = 0.0;
  for (size_t i = 0; i < base.n_base; i++) {
    before += log(sd[i]);
  }
  struct excitation_design design;
  settings.torque_noise *= 0.5;
  ticks = 0.0;
  ck_assert_int_eq(excitation_design_find(&u, &base, up, &settings, tick, &design, sd), STATUS_OK);
  for (size_t i = 0; i < base.n_base; i++) {
    after += log(sd[i]);
  }
  assert_near(after - before, log(0.5) * (double)base.n_base, 1e-6);
}
END_TEST

SUITE(every_limit_holds_at_every_millisecond, it_tells_thirty_nats_more_than_the_best_random_motion,
      the_same_seed_designs_the_same_motion, half_the_noise_halves_every_predicted_deviation)
