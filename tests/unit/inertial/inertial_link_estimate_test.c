#include "inertial/inertial_link_estimate.h"
#include "inertial/inertial_update.h"
#include "support/core_update.h"
#include "support/random_model.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

enum { TEN = INERTIA_PARAMETERS };

static const enum inertial_form FORM[] = {INERTIAL_RUCKER, INERTIAL_FOSTER, INERTIAL_LINEAR};
enum { FORMS = sizeof(FORM) / sizeof(FORM[0]) };

static const mat3 TENSOR = {{{0.5, 0.01, 0.0}, {0.01, 0.4, 0.02}, {0.0, 0.02, 0.3}}};

/* Two links, the second of which is looked at. */
static struct inertial_core new_core(enum inertial_form form) {
  const struct inertial_core_settings settings = {
      .form = form, .iterations = 8, .prior = {1.0, 0.02, 0.1}};
  const struct inertia body[2] = {inertia_of_body(3.0, (vec3){0.1, 0.0, 0.0}, &TENSOR),
                                  inertia_of_body(10.0, (vec3){0.05, -0.02, 0.2}, &TENSOR)};
  struct inertial_core core;
  struct arena arena = test_arena(1 << 20);
  ck_assert_int_eq(inertial_core_init(&core, &settings, body, 2, &arena), STATUS_OK);
  return core;
}

static struct inertial_link_estimate told_of(const struct inertial_core *core) {
  struct inertial_link_estimate told;
  memset(&told, 0xff, sizeof(told));
  inertial_link_tell(core, 1, &told);
  return told;
}

/* One row that measures y pi of the second link to `deviation`. */
static void weigh(struct inertial_core *core, const double y[TEN], double deviation) {
  double Y[2 * TEN] = {0.0}, pi[TEN], z = 0.0;
  const double R = deviation * deviation;
  inertia_to(&core->pi[1], pi);
  for (size_t i = 0; i < TEN; i++) {
    Y[TEN + i] = y[i];
    z += y[i] * pi[i];
  }
  const struct inertial_rows rows = {.n = 1, .Y = Y, .z = &z, .R = &R};
  ck_assert_int_eq(inertial_core_update(core, &rows, 1.0), STATUS_OK);
}

START_TEST(at_the_start_nothing_is_known_and_the_deviations_are_the_priors) {
  for (size_t f = 0; f < FORMS; f++) {
    const struct inertial_core core = new_core(FORM[f]);
    const struct inertial_link_estimate told = told_of(&core);
    ck_assert_uint_eq(told.known, 0);
    assert_near(told.estimate.m, 10.0, 1e-12);
    assert_near(told.mass_sd, 1.0, 1e-9);
    assert_near(told.com_sd.x, 0.02, 1e-9);
    assert_near(told.com_sd.y, 0.02, 1e-9);
    assert_near(told.com_sd.z, 0.02, 1e-9);
  }
}
END_TEST

START_TEST(what_is_measured_is_known_and_nothing_else_in_every_form) {
  for (size_t f = 0; f < FORMS; f++) {
    struct inertial_core core = new_core(FORM[f]);
    weigh(&core, (const double[TEN]){1.0}, 0.6);
    ck_assert_uint_eq(told_of(&core).known, 0); /* 0.51 kg: not yet half of the prior's */
    weigh(&core, (const double[TEN]){1.0}, 0.1);
    ck_assert_uint_eq(told_of(&core).known, INERTIAL_KNOWS_MASS);
    weigh(&core, (const double[TEN]){0.0, 0.0, 1.0}, 0.01);
    ck_assert_uint_eq(told_of(&core).known, INERTIAL_KNOWS_MASS | INERTIAL_KNOWS_COM_Y);
    weigh(&core, (const double[TEN]){0.0, 1.0}, 0.01);
    weigh(&core, (const double[TEN]){0.0, 0.0, 0.0, 1.0}, 0.01);
    ck_assert_uint_eq(told_of(&core).known, INERTIAL_KNOWS_MASS | INERTIAL_KNOWS_COM_X |
                                                INERTIAL_KNOWS_COM_Y | INERTIAL_KNOWS_COM_Z);
    for (size_t i = 4; i < TEN; i++) {
      double y[TEN] = {0.0};
      y[i] = 1.0;
      weigh(&core, y, 1e-3);
    }
    ck_assert_uint_eq(told_of(&core).known, (INERTIAL_KNOWS_SHAPE << 1) - 1);
  }
}
END_TEST

START_TEST(the_covariance_is_that_of_the_parameters_in_every_form) {
  struct inertial_link_estimate told[FORMS];
  for (size_t f = 0; f < FORMS; f++) {
    struct inertial_core core = new_core(FORM[f]);
    weigh(&core, (const double[TEN]){1.0, 0.5, 0.0, -0.3, 0.0, 0.0, 2.0}, 0.01);
    told[f] = told_of(&core);
  }
  for (size_t f = 1; f < FORMS; f++) {
    for (size_t i = 0; i < TEN; i++) {
      for (size_t j = 0; j < TEN; j++) {
        const double scale = sqrt(told[0].covariance[i][i] * told[0].covariance[j][j]);
        assert_near(told[f].covariance[i][j], told[0].covariance[i][j], 1e-6 * scale);
      }
    }
  }
}
END_TEST

/* The linear form knows nothing of bodies. */
START_TEST(of_parameters_that_are_no_body_nothing_is_known) {
  struct inertial_core core = new_core(INERTIAL_LINEAR);
  for (size_t i = 0; i < TEN; i++) {
    double y[TEN] = {0.0};
    y[i] = 1.0;
    weigh(&core, y, 1e-3);
  }
  ck_assert_uint_ne(told_of(&core).known, 0);
  core.x[TEN + 4] = core.pi[1].Ixx = -1.0;
  ck_assert_uint_eq(told_of(&core).known, 0);
}
END_TEST

SUITE(at_the_start_nothing_is_known_and_the_deviations_are_the_priors,
      what_is_measured_is_known_and_nothing_else_in_every_form,
      the_covariance_is_that_of_the_parameters_in_every_form,
      of_parameters_that_are_no_body_nothing_is_known)
