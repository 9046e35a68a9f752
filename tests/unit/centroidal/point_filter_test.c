#include "centroidal/point_filter.h"

#include "support/suite.h"

static const struct point_filter_settings SETTINGS = {
    .jerk = 5.0, .position = 0.003, .acceleration = 0.2};
static struct random rng;

static vec3 noise(double size) {
  return (vec3){size * random_normal(&rng), size * random_normal(&rng), size * random_normal(&rng)};
}

START_TEST(errors_lie_within_the_filters_own_covariance_on_motion_drawn_from_its_model) {
  rng = random_from(test_seed());
  const double dt = 0.002;
  double nees = 0.0;
  int n = 0;
  for (int run = 0; run < 40; run++) {
    struct point_filter filter;
    ck_assert_int_eq(point_filter_init(&filter, &SETTINGS), STATUS_OK);
    vec3 p = noise(0.1), v = noise(0.2), a = noise(1.0);
    for (int k = 0; k < 2000; k++) {
      /* a piecewise constant jerk of the same density */
      const vec3 jerk = noise(SETTINGS.jerk / sqrt(dt));
      p = vec3_axpy(vec3_axpy(vec3_axpy(p, dt, v), 0.5 * dt * dt, a), dt * dt * dt / 6.0, jerk);
      v = vec3_axpy(vec3_axpy(v, dt, a), 0.5 * dt * dt, jerk);
      a = vec3_axpy(a, dt, jerk);
      ck_assert_int_eq(point_filter_step(&filter, vec3_add(p, noise(SETTINGS.position)),
                                         vec3_add(a, noise(SETTINGS.acceleration)), dt),
                       STATUS_OK);
      if (k > 1000 && k % 50 == 0) {
        const vec3 e = vec3_sub(filter.v, v);
        nees += vec3_dot(e, e) / (3.0 * filter.P[1][1]);
        n++;
      }
    }
  }
  assert_near(nees / n, 1.0, 0.15);
}
END_TEST

START_TEST(velocity_follows_a_sine_without_lag) {
  struct point_filter filter;
  ck_assert_int_eq(point_filter_init(&filter, &SETTINGS), STATUS_OK);
  double worst = 0.0;
  for (int k = 0; k < 5000; k++) {
    const double t = 1e-3 * k, w = 2.0 * M_PI;
    const vec3 p = {0.1 * sin(w * t), 0.0, 0.0}, a = {-0.1 * w * w * sin(w * t), 0.0, 0.0};
    ck_assert_int_eq(point_filter_step(&filter, p, a, 1e-3), STATUS_OK);
    worst = k > 2000 ? fmax(worst, fabs(filter.v.x - 0.1 * w * cos(w * t))) : 0.0;
  }
  ck_assert_double_le(worst, 0.1 * 2.0 * M_PI * 0.01);
}
END_TEST

START_TEST(measurements_that_are_no_numbers_change_nothing) {
  struct point_filter filter;
  ck_assert_int_eq(point_filter_init(&filter, &SETTINGS), STATUS_OK);
  point_filter_step(&filter, VEC3_ZERO, VEC3_ZERO, 1e-3);
  const struct point_filter before = filter;
  ck_assert_int_eq(point_filter_step(&filter, (vec3){(double)NAN, 0.0, 0.0}, VEC3_ZERO, 1e-3),
                   STATUS_NOT_FINITE);
  ck_assert_int_eq(point_filter_step(&filter, VEC3_ZERO, VEC3_ZERO, -1e-3), STATUS_OUT_OF_RANGE);
  ck_assert_mem_eq(&filter, &before, sizeof(filter));
}
END_TEST

/* P = integral of g g^T jerk^2 over the step, with g = [t^2/2 t 1] what a unit jerk leaves after
 * t. */
START_TEST(from_certainty_the_covariance_grows_by_that_of_integrated_white_jerk) {
  enum { PARTS = 2000 };
  const double dt = 0.3, blind = 1e9;
  const struct point_filter_settings settings = {
      .jerk = 5.0, .position = blind, .acceleration = blind};
  struct point_filter filter;
  ck_assert_int_eq(point_filter_init(&filter, &settings), STATUS_OK);
  filter.started = true;
  double Q[3][3] = {{0.0}};
  for (int part = 0; part < PARTS; part++) {
    const double t = dt * (part + 0.5) / PARTS, g[3] = {0.5 * t * t, t, 1.0};
    for (int i = 0; i < 9; i++) {
      Q[i / 3][i % 3] += 25.0 * g[i / 3] * g[i % 3] * dt / PARTS;
    }
  }
  ck_assert_int_eq(point_filter_step(&filter, VEC3_ZERO, VEC3_ZERO, dt), STATUS_OK);
  for (int i = 0; i < 9; i++) {
    assert_near(filter.P[i / 3][i % 3], Q[i / 3][i % 3], 1e-5 * Q[i / 3][i % 3]);
  }
}
END_TEST

SUITE(from_certainty_the_covariance_grows_by_that_of_integrated_white_jerk,
      errors_lie_within_the_filters_own_covariance_on_motion_drawn_from_its_model,
      velocity_follows_a_sine_without_lag, measurements_that_are_no_numbers_change_nothing)
