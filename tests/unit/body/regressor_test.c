#include "body/regressor.h"

#include "support/dynamics_fixture.h"

#include <string.h>

enum { JOINTS = 15, LINKS = JOINTS + 1, ROWS = 6 + JOINTS };

static struct random rng;
static struct dynamics d;

static void setup(void) {
  rng = random_from(test_seed());
  dynamics_of(&d, random_model(&rng, (struct random_model_options){.n_joints = JOINTS}));
  dynamics_randomize(&d, &rng);
}

static struct regressor regressor_of(const size_t *link, size_t n) {
  struct regressor r;
  struct arena count = {0};
  ck_assert_int_eq(regressor_init(&r, d.model, link, n, &count), STATUS_OK);
  struct arena arena = test_arena(count.used);
  ck_assert_int_eq(regressor_init(&r, d.model, link, n, &arena), STATUS_OK);
  return r;
}

/* [wrench on the base; tau] by inverse dynamics. */
static void by_rnea(const struct inertia *inertia, double *out) {
  struct force base;
  ck_assert_int_eq(rnea_step(&d.rnea, &d.kin, inertia, NULL, WITHOUT_DRIVES, &base, out + 6),
                   STATUS_OK);
  memcpy(out, &base, sizeof(base));
}

static double row_times(const struct regressor *r, size_t row, const struct inertia *inertia) {
  double sum = 0.0;
  for (size_t i = 0; i < r->n_chosen; i++) {
    const double *pi = &inertia[r->link[i]].m;
    for (size_t k = 0; k < 10; k++) {
      sum += r->Y[row * r->columns + 10 * i + k] * pi[k];
    }
  }
  return sum;
}

/* @eq Leboutet22 224, @eq Leboutet22 225, @eq Leboutet22 228, @eq Leboutet22 229 */
START_TEST(regressor_times_parameters_is_inverse_dynamics) {
  setup();
  const struct regressor r = regressor_of(NULL, 0);
  struct regressor step = r;
  for (int trial = 0; trial < 20; trial++) {
    dynamics_randomize(&d, &rng);
    double expected[ROWS];
    by_rnea(d.model->inertia, expected);
    ck_assert_int_eq(regressor_step(&step, &d.kin), STATUS_OK);
    for (size_t row = 0; row < ROWS; row++) {
      assert_near(row_times(&step, row, d.model->inertia), expected[row],
                  1e-11 * (1.0 + fabs(expected[row])));
    }
  }
}
END_TEST

START_TEST(each_column_is_inverse_dynamics_of_one_unit_parameter) {
  setup();
  struct regressor r = regressor_of(NULL, 0);
  ck_assert_int_eq(regressor_step(&r, &d.kin), STATUS_OK);
  for (size_t column = 0; column < 10 * LINKS; column++) {
    struct inertia unit[LINKS] = {0};
    (&unit[column / 10].m)[column % 10] = 1.0;
    double expected[ROWS];
    by_rnea(unit, expected);
    for (size_t row = 0; row < ROWS; row++) {
      assert_near(r.Y[row * r.columns + column], expected[row], 1e-10);
    }
  }
}
END_TEST

/* @eq Foster24 6, 7 */
START_TEST(chosen_columns_and_nominal_torque_make_up_inverse_dynamics) {
  setup();
  const size_t chosen[3] = {JOINTS, 0, 7};
  struct regressor r = regressor_of(chosen, 3);
  double expected[ROWS], nominal[ROWS];
  struct force base;
  by_rnea(d.model->inertia, expected);
  ck_assert_int_eq(regressor_step(&r, &d.kin), STATUS_OK);
  ck_assert_int_eq(
      regressor_nominal(&r, &d.kin, d.model->inertia, NULL, WITHOUT_DRIVES, &base, nominal + 6),
      STATUS_OK);
  memcpy(nominal, &base, sizeof(base));
  for (size_t row = 0; row < ROWS; row++) {
    assert_near(row_times(&r, row, d.model->inertia) + nominal[row], expected[row],
                1e-11 * (1.0 + fabs(expected[row])));
  }
  /* the nominal torque does not know the chosen links */
  struct inertia other[LINKS];
  memcpy(other, d.model->inertia, sizeof(other));
  other[7].m += 5.0;
  double again[JOINTS];
  ck_assert_int_eq(regressor_nominal(&r, &d.kin, other, NULL, WITHOUT_DRIVES, NULL, again),
                   STATUS_OK);
  ck_assert_int_eq(memcmp(again, nominal + 6, sizeof(again)), 0);
}
END_TEST

static struct force newton_euler(const struct inertia *I, vec3 w, vec3 wd, vec3 a) {
  const struct force spin = inertia_apply(I, &(struct motion){w, VEC3_ZERO});
  const struct force force = inertia_apply(I, &(struct motion){wd, a});
  return (struct force){vec3_add(force.ang, vec3_cross(w, spin.ang)),
                        vec3_add(force.lin, vec3_cross(w, vec3_cross(w, I->h)))};
}

/* @eq Leboutet22 226, 227 */
START_TEST(one_links_regressor_is_newtons_and_eulers_law) {
  setup();
  for (int trial = 0; trial < 100; trial++) {
    const struct inertia I = random_inertia_near(&rng, random_vec3(&rng, 0.5));
    const vec3 w = random_vec3(&rng, 3.0), wd = random_vec3(&rng, 20.0),
               a = random_vec3(&rng, 15.0);
    double A[6][10];
    link_regressor(w, wd, a, A);
    const struct force f = newton_euler(&I, w, wd, a);
    for (size_t i = 0; i < 6; i++) {
      double sum = 0.0;
      for (size_t k = 0; k < 10; k++) {
        sum += A[i][k] * (&I.m)[k];
      }
      assert_near(sum, force_entry(&f, i), 1e-12);
    }
  }
}
END_TEST

START_TEST(impossible_choices_are_refused) {
  setup();
  struct regressor r;
  struct arena count = {0};
  const size_t outside[1] = {LINKS}, twice[3] = {2, 5, 2};
  ck_assert_int_eq(regressor_init(&r, d.model, outside, 1, &count), STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(regressor_init(&r, d.model, twice, 3, &count), STATUS_BAD_ARGUMENT);
  r = regressor_of(twice, 2);
  r.Y[0] = 7.0;
  ck_assert_int_eq(kinematics_update_position(&d.kin, d.state.q), STATUS_OK);
  ck_assert_int_eq(regressor_step(&r, &d.kin), STATUS_BAD_ARGUMENT);
  ck_assert_double_eq(r.Y[0], 7.0);
}
END_TEST

SUITE(regressor_times_parameters_is_inverse_dynamics,
      each_column_is_inverse_dynamics_of_one_unit_parameter,
      chosen_columns_and_nominal_torque_make_up_inverse_dynamics,
      one_links_regressor_is_newtons_and_eulers_law, impossible_choices_are_refused)
