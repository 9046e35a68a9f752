#include "body/kinematics_batch.h"

#include "body/kinematics.h"
#include "support/random_model.h"

#include <stdlib.h>
#include <string.h>

enum { JOINTS = 30, LINKS = JOINTS + 1, COUNT = 61, STRIDE = 64 };

static struct random rng;

/* Samples with everything random, and room for the result. */
struct fixture {
  struct model *model;
  struct kinematics_batch batch;
  struct kinematics kin;
  double q[JOINTS * STRIDE], dq[JOINTS * STRIDE], ddq[JOINTS * STRIDE];
  double omega0[3 * STRIDE], omegadot0[3 * STRIDE], vdot0[3 * STRIDE];
  double y[LINKS * BATCH_ROWS * STRIDE];
  struct batch_samples samples;
};
static struct fixture f;

static void fill(double *x, size_t n, double scale) {
  for (size_t i = 0; i < n; i++) {
    x[i] = random_uniform(&rng, -scale, scale);
  }
}

static void setup(const bool *wanted) {
  rng = random_from(test_seed());
  f.model = random_model(&rng, (struct random_model_options){.n_joints = JOINTS});
  struct arena count = {0};
  ck_assert_int_eq(kinematics_batch_init(&f.batch, f.model, wanted, COUNT, &count), STATUS_OK);
  ck_assert_int_eq(kinematics_init(&f.kin, f.model, &count), STATUS_OK);
  struct arena arena = test_arena(count.used);
  ck_assert_int_eq(kinematics_batch_init(&f.batch, f.model, wanted, COUNT, &arena), STATUS_OK);
  ck_assert_int_eq(kinematics_init(&f.kin, f.model, &arena), STATUS_OK);
  fill(f.q, JOINTS * STRIDE, 3.0);
  fill(f.dq, JOINTS * STRIDE, 3.0);
  fill(f.ddq, JOINTS * STRIDE, 20.0);
  fill(f.omega0, 3 * STRIDE, 2.0);
  fill(f.omegadot0, 3 * STRIDE, 10.0);
  fill(f.vdot0, 3 * STRIDE, 15.0);
  for (size_t i = 0; i < sizeof(f.y) / sizeof(f.y[0]); i++) {
    f.y[i] = NAN;
  }
  f.samples =
      (struct batch_samples){COUNT, STRIDE, f.q, f.dq, f.ddq, f.omega0, f.omegadot0, f.vdot0};
}

static void column(const double *rows, size_t n, size_t k, double *out) {
  for (size_t j = 0; j < n; j++) {
    out[j] = rows[j * STRIDE + k];
  }
}
static vec3 vec3_column(const double *rows, size_t k) {
  return (vec3){rows[k], rows[STRIDE + k], rows[2 * STRIDE + k]};
}

/* The scalar form's answer to sample k, at configuration q [JOINTS] or the sample's own. */
static void scalar_step(size_t k, const double *q_shared, double rates) {
  double q[JOINTS], dq[JOINTS], ddq[JOINTS];
  column(f.q, JOINTS, k, q);
  column(f.dq, JOINTS, k, dq);
  column(f.ddq, JOINTS, k, ddq);
  for (int j = 0; j < JOINTS; j++) {
    dq[j] *= rates;
  }
  const struct robot_motion motion = {
      .q = q_shared != NULL ? q_shared : q,
      .dq = dq,
      .ddq = ddq,
      .base = {.v_B.ang = vec3_scale(rates, vec3_column(f.omega0, k)),
               .a_B = {vec3_column(f.omegadot0, k), vec3_column(f.vdot0, k)}}};
  ck_assert_int_eq(kinematics_update(&f.kin, &motion), STATUS_OK);
}

/* Differences relative to the size that accelerations reach along the tree. */
static void assert_same(vec3 scalar, const double *rows, size_t k) {
  const double size = 1.0 + vec3_norm(scalar);
  ck_assert_double_le(vec3_norm(vec3_sub(scalar, vec3_column(rows, k))), 1e-13 * size);
}
static void compare_links(size_t k, bool with_omega) {
  for (size_t i = 0; i < LINKS; i++) {
    const double *rows = f.y + i * BATCH_ROWS * STRIDE;
    if (with_omega) {
      assert_same(kinematics_v_L(&f.kin, i).ang, rows + BATCH_OMEGA * STRIDE, k);
    }
    assert_same(kinematics_a_L(&f.kin, i).ang, rows + BATCH_OMEGADOT * STRIDE, k);
    assert_same(kinematics_a_L(&f.kin, i).lin, rows + BATCH_VDOT * STRIDE, k);
  }
}

/* @eq Leboutet22 141, 142 */
START_TEST(many_samples_at_once_give_what_one_at_a_time_gives) {
  setup(NULL);
  ck_assert_int_eq(kinematics_batch_step(&f.batch, &f.samples, f.y), STATUS_OK);
  for (size_t k = 0; k < COUNT; k++) {
    scalar_step(k, NULL, 1.0);
    compare_links(k, true);
  }
}
END_TEST

START_TEST(samples_at_one_configuration_give_what_one_at_a_time_gives) {
  setup(NULL);
  double q[JOINTS];
  fill(q, JOINTS, 3.0);
  ck_assert_int_eq(kinematics_batch_step_at(&f.batch, q, &f.samples, f.y), STATUS_OK);
  for (size_t k = 0; k < COUNT; k++) {
    scalar_step(k, q, 1.0);
    compare_links(k, true);
  }
}
END_TEST

START_TEST(the_linear_part_is_the_motion_without_velocities) {
  setup(NULL);
  double q[JOINTS];
  fill(q, JOINTS, 3.0);
  ck_assert_int_eq(kinematics_batch_linear(&f.batch, q, &f.samples, f.y), STATUS_OK);
  for (size_t k = 0; k < COUNT; k++) {
    scalar_step(k, q, 0.0);
    compare_links(k, false);
  }
}
END_TEST

START_TEST(given_q_and_velocities_the_motion_is_affine_in_the_accelerations) {
  setup(NULL);
  static double with[LINKS * BATCH_ROWS * STRIDE], without[LINKS * BATCH_ROWS * STRIDE];
  double q[JOINTS];
  fill(q, JOINTS, 3.0);
  struct batch_samples still = f.samples;
  still.ddq = still.omegadot0 = still.vdot0 = NULL;
  ck_assert_int_eq(kinematics_batch_step_at(&f.batch, q, &f.samples, with), STATUS_OK);
  ck_assert_int_eq(kinematics_batch_step_at(&f.batch, q, &still, without), STATUS_OK);
  ck_assert_int_eq(kinematics_batch_linear(&f.batch, q, &f.samples, f.y), STATUS_OK);
  for (size_t row = 0; row < LINKS * BATCH_ROWS; row++) {
    for (size_t k = 0; row % BATCH_ROWS >= BATCH_OMEGADOT && k < COUNT; k++) {
      const size_t at = row * STRIDE + k;
      assert_near(with[at] - without[at], f.y[at], 1e-13 * (1.0 + fabs(with[at]) + fabs(f.y[at])));
    }
  }
}
END_TEST

START_TEST(links_that_lead_to_no_wanted_one_are_left_alone) {
  bool wanted[LINKS] = {false};
  wanted[LINKS - 1] = true;
  setup(wanted);
  ck_assert_int_eq(kinematics_batch_step(&f.batch, &f.samples, f.y), STATUS_OK);
  bool on_path[LINKS] = {[0] = true};
  for (int i = LINKS - 1; i > 0; i = f.model->parent[i]) {
    on_path[i] = true;
  }
  scalar_step(7, NULL, 1.0);
  for (size_t i = 0; i < LINKS; i++) {
    const double *rows = f.y + i * BATCH_ROWS * STRIDE;
    ck_assert_int_eq(isnan(rows[7]), !on_path[i]);
    if (on_path[i]) {
      assert_same(kinematics_a_L(&f.kin, i).lin, rows + BATCH_VDOT * STRIDE, 7);
    }
  }
}
END_TEST

START_TEST(bad_samples_are_refused_and_results_are_untouched) {
  setup(NULL);
  double *const arrays[] = {f.q, f.dq, f.ddq, f.omega0, f.omegadot0, f.vdot0};
  for (size_t i = 0; i < 6; i++) {
    const double good = arrays[i][STRIDE + 3];
    arrays[i][STRIDE + 3] = NAN;
    ck_assert_int_eq(kinematics_batch_step(&f.batch, &f.samples, f.y), STATUS_NOT_FINITE);
    arrays[i][STRIDE + 3] = 1e13;
    ck_assert_int_eq(kinematics_batch_step(&f.batch, &f.samples, f.y), STATUS_OUT_OF_RANGE);
    arrays[i][STRIDE + 3] = good;
  }
  struct batch_samples wide = f.samples;
  wide.stride = STRIDE + BATCH_WIDTH;
  ck_assert_int_eq(kinematics_batch_step(&f.batch, &wide, f.y), STATUS_BAD_ARGUMENT);
  wide.stride = STRIDE - 1;
  ck_assert_int_eq(kinematics_batch_step(&f.batch, &wide, f.y), STATUS_BAD_ARGUMENT);
  const double q[JOINTS] = {[4] = INFINITY};
  ck_assert_int_eq(kinematics_batch_step_at(&f.batch, q, &f.samples, f.y), STATUS_NOT_FINITE);
  ck_assert_int_eq(kinematics_batch_linear(&f.batch, NULL, &f.samples, f.y), STATUS_BAD_ARGUMENT);
  for (size_t i = 0; i < sizeof(f.y) / sizeof(f.y[0]); i++) {
    ck_assert(isnan(f.y[i]));
  }
}
END_TEST

SUITE(many_samples_at_once_give_what_one_at_a_time_gives,
      samples_at_one_configuration_give_what_one_at_a_time_gives,
      the_linear_part_is_the_motion_without_velocities,
      given_q_and_velocities_the_motion_is_affine_in_the_accelerations,
      links_that_lead_to_no_wanted_one_are_left_alone,
      bad_samples_are_refused_and_results_are_untouched)
