/* Skin that has misled the base, and what is forgotten of it. */
#include "joints/skin_misleads.h"

#include "joints/joint_filter_core.h"
#include "support/layout_covariance.h"
#include "support/suite.h"

#include <string.h>

enum { JOINTS = 4, STATES = 128 };
static const double COMMON = 0.3, BIAS = 0.5;

/* A filter with skin and an IMU, and one instant, of which everything is known a little. */
struct fixture {
  struct random rng;
  struct joint_filter filter;
  struct instant now, *at[1];
  struct robot robot;
  double x[STATES];
};

static void draw(struct fixture *f) {
  memset(f, 0, sizeof(*f));
  f->rng = random_from(test_seed());
  f->filter.layout = joint_layout_of(JOINTS, false, true, 0);
  const struct joint_layout *l = &f->filter.layout;
  ck_assert_uint_le(l->numbers, STATES);
  f->filter.robot = &f->robot;
  f->filter.base_imu = true;
  f->filter.settings.cell_common = COMMON;
  f->filter.settings.base.accelerometer_bias = BIAS;
  f->filter.instants = (struct instants){.count = 1, .capacity = 1, .at = f->at};
  f->at[0] = &f->now;
  f->now = (struct instant){.x = f->x, .P = layout_covariance(&f->rng, l)};
  for (size_t i = 0; i < l->size * l->stride; i++) {
    f->now.P[i] *= 1e-6;
  }
  for (size_t k = 0; k < 3; k++) {
    f->filter.bias_lin_prior[k] = COMMON * COMMON;
  }
}

START_TEST(skin_misleads_who_does_not_hear_the_imu_and_has_it_off_by_more_than_any_skin_is) {
  static struct fixture f;
  draw(&f);
  double *common = f.x + f.filter.layout.bias_lin;
  bool *refused = &f.filter.judge.triad[IMU_ACCELEROMETER].convicted;
  for (int k = 0; k < 3; k++) {
    common[k] = -10.0 * COMMON;
    *refused = false;
    ck_assert(!skin_misleads(&f.filter, &f.now));
    *refused = true;
    ck_assert(skin_misleads(&f.filter, &f.now));
    common[k] = -5.0 * COMMON;
    ck_assert(!skin_misleads(&f.filter, &f.now));
  }
}
END_TEST

START_TEST(what_is_forgotten_leaves_a_covariance_and_what_the_imu_was_off_by) {
  static struct fixture f;
  draw(&f);
  const struct joint_layout *l = &f.filter.layout;
  const vec3 before = {0.1, -0.2, 0.05};
  f.filter.judge.accelerometer_bias = before;
  f.filter.judge.triad[IMU_ACCELEROMETER].convicted = true;
  f.x[l->bias_lin] = 20.0;
  f.x[l->accelerometer_bias] = 2.0;
  f.now.revision = 7;
  f.filter.preparation.of = &f.now;
  skin_misled_forget(&f.filter);
  ck_assert_ptr_null(f.filter.preparation.of); /* it was made of what is forgotten */
  ck_assert_uint_eq(f.now.revision, 0);
  ck_assert(!f.filter.judge.triad[IMU_ACCELEROMETER].convicted);
  for (size_t k = 0; k < 3; k++) {
    const size_t common = l->bias_lin + k, bias = l->accelerometer_bias + k;
    const double *P = f.now.P;
    assert_near(f.x[common], 0.0, 1e-12);
    assert_near(P[common * (l->stride + 1)], COMMON * COMMON, 1e-12);
    assert_near(P[bias * (l->stride + 1)], BIAS * BIAS, 1e-12);
    ck_assert_double_ge(P[(l->attitude + k) * (l->stride + 1)], 0.06 * 0.06);
    ck_assert_double_ge(P[(l->velocity + k) * (l->stride + 1)], 0.25);
    for (size_t i = 0; i < l->size; i++) {
      assert_near(i == common ? 0.0 : P[common * l->stride + i], 0.0, 1e-12);
      assert_near(i == bias ? 0.0 : P[i * l->stride + bias], 0.0, 1e-12);
    }
  }
  assert_near(f.x[l->accelerometer_bias], before.x, 1e-12);
  assert_near(f.x[l->accelerometer_bias + 1], before.y, 1e-12);
}
END_TEST

SUITE(skin_misleads_who_does_not_hear_the_imu_and_has_it_off_by_more_than_any_skin_is,
      what_is_forgotten_leaves_a_covariance_and_what_the_imu_was_off_by)
