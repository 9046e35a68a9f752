#include "base/base_filter.h"

#include "support/suite.h"

#include <string.h>

enum { RATE = 1000 };

static struct random rng;

/* A base that sways and accelerates over a foot that stands at the origin: position and roll,
 * pitch, yaw are sums of sines. */
struct truth {
  mat3 R;
  vec3 p, v, a, omega_B;
};

static vec3 position(double t) {
  return (vec3){0.15 * sin(3.0 * t) + 0.05 * sin(7.0 * t), 0.10 * sin(4.0 * t + 1.0),
                0.8 + 0.04 * sin(6.0 * t)};
}
static mat3 attitude(double t) {
  return mat3_from_rpy((vec3){0.15 * sin(2.0 * t), 0.2 * sin(2.6 * t + 0.5), 0.4 * sin(1.1 * t)});
}

static struct truth truth_at(double t) {
  const double h = 1e-4;
  struct truth truth = {.R = attitude(t), .p = position(t)};
  truth.v = vec3_scale(0.5 / h, vec3_sub(position(t + h), position(t - h)));
  truth.a = vec3_scale(1.0 / (h * h), vec3_sub(vec3_add(position(t + h), position(t - h)),
                                               vec3_scale(2.0, truth.p)));
  const mat3 before = attitude(t - h), after = attitude(t + h), back = mat3_transpose(&before);
  const mat3 turned = mat3_mul(&back, &after);
  truth.omega_B = vec3_scale(0.5 / h, quat_to_rotation_vector(quat_from_mat3(&turned)));
  return truth;
}

static vec3 noise(double size) {
  return (vec3){size * random_normal(&rng), size * random_normal(&rng), size * random_normal(&rng)};
}

/* What a foot that stands at the world's origin looks like from the base. */
static void foot_at(const struct truth *truth, vec3 *x_B, vec3 *dx_B) {
  *x_B = mat3_tmul_vec3(&truth->R, vec3_neg(truth->p));
  *dx_B = vec3_neg(vec3_add(vec3_cross(truth->omega_B, *x_B), mat3_tmul_vec3(&truth->R, truth->v)));
}

static vec3 specific_force(const struct truth *truth) {
  return mat3_tmul_vec3(&truth->R, vec3_sub(truth->a, (vec3){0.0, 0.0, -STANDARD_GRAVITY}));
}

static double tilt_error(const struct base_filter *filter, const mat3 *R) {
  const mat3 found = base_filter_rotation(filter);
  return vec3_norm(vec3_cross(vec3_from(found.m[2]), vec3_from(R->m[2])));
}

/* The error that leads from the filter's state to another one. */
static void error_between(const struct base_filter *from, const struct base_filter *to,
                          double x[BASE_ERRORS]) {
  const quat back = {-from->q_WB.x, -from->q_WB.y, -from->q_WB.z, from->q_WB.w};
  vec3_to(quat_to_rotation_vector(quat_mul(back, to->q_WB)), x + BASE_THETA);
  vec3_to(vec3_sub(to->v_W, from->v_W), x + BASE_V);
  vec3_to(vec3_sub(to->p_W, from->p_W), x + BASE_P);
  vec3_to(vec3_sub(to->b_g, from->b_g), x + BASE_BG);
  vec3_to(vec3_sub(to->b_a, from->b_a), x + BASE_BA);
}

static struct base_filter disturbed(const struct base_filter *filter, int i, double h) {
  struct base_filter out = *filter;
  double x[BASE_ERRORS] = {0.0};
  x[i] = h;
  out.q_WB = quat_mul(out.q_WB, quat_from_rotation_vector(vec3_from(x + BASE_THETA)));
  out.v_W = vec3_add(out.v_W, vec3_from(x + BASE_V));
  out.p_W = vec3_add(out.p_W, vec3_from(x + BASE_P));
  out.b_g = vec3_add(out.b_g, vec3_from(x + BASE_BG));
  out.b_a = vec3_add(out.b_a, vec3_from(x + BASE_BA));
  return out;
}

static struct base_filter random_state(void) {
  const struct base_filter_settings settings = base_filter_defaults();
  struct base_filter filter;
  ck_assert_int_eq(base_filter_init(&filter, &settings), STATUS_OK);
  filter.q_WB = quat_from_rotation_vector(noise(0.7));
  filter.v_W = noise(0.5);
  filter.p_W = noise(1.0);
  filter.b_g = noise(0.01);
  filter.b_a = noise(0.2);
  return filter;
}

START_TEST(every_block_of_the_transition_is_that_of_finite_differences) {
  rng = random_from(test_seed());
  for (int trial = 0; trial < 20; trial++) {
    const struct base_filter filter = random_state();
    const vec3 omega = noise(2.0), f = vec3_add(noise(3.0), (vec3){0.0, 0.0, 9.81});
    const double dt = 1e-3, h = 1e-5;
    double F[BASE_ERRORS][BASE_ERRORS];
    base_filter_transition(&filter, omega, f, dt, F);
    for (int j = 0; j < BASE_ERRORS; j++) {
      struct base_filter above = disturbed(&filter, j, h), below = disturbed(&filter, j, -h);
      double difference[BASE_ERRORS];
      ck_assert_int_eq(base_filter_predict(&above, omega, f, dt), STATUS_OK);
      ck_assert_int_eq(base_filter_predict(&below, omega, f, dt), STATUS_OK);
      error_between(&below, &above, difference);
      for (int i = 0; i < BASE_ERRORS; i++) {
        /* F is of first order in dt: what is left is of the second, dt^2 |omega| |f| */
        assert_near(difference[i] / (2.0 * h), F[i][j], 5e-5);
      }
    }
  }
}
END_TEST

START_TEST(every_block_of_the_foot_rows_is_that_of_finite_differences_the_bias_blocks_above_all) {
  rng = random_from(test_seed());
  for (int trial = 0; trial < 20; trial++) {
    const struct base_filter filter = random_state();
    const vec3 omega = noise(1.0), x = noise(0.8), dx = noise(0.5);
    double H[3][BASE_ERRORS], unused[3][BASE_ERRORS];
    vec3 at;
    base_filter_foot_rows(&filter, omega, x, dx, &at, H);
    for (int j = 0; j < BASE_ERRORS; j++) {
      const double h = 1e-6;
      const struct base_filter above = disturbed(&filter, j, h), below = disturbed(&filter, j, -h);
      vec3 high, low;
      base_filter_foot_rows(&above, omega, x, dx, &high, unused);
      base_filter_foot_rows(&below, omega, x, dx, &low, unused);
      double difference[3];
      vec3_to(vec3_scale(0.5 / h, vec3_sub(high, low)), difference);
      for (int i = 0; i < 3; i++) {
        assert_near(difference[i], H[i][j], 1e-8);
      }
    }
  }
}
END_TEST

/* Runs the filter for `seconds` on the swaying base; sensor noise and biases as a humanoid has
 * them. */
static struct base_filter sway(double seconds, vec3 b_g, vec3 b_a, double *mean_tilt,
                               double *worst_tilt, double *nees) {
  const struct base_filter_settings settings = base_filter_defaults();
  struct base_filter filter;
  ck_assert_int_eq(base_filter_init(&filter, &settings), STATUS_OK);
  const struct truth first = truth_at(0.0);
  const vec3 up = mat3_tmul_vec3(&first.R, (vec3){0.0, 0.0, STANDARD_GRAVITY});
  ck_assert_int_eq(base_filter_start(&filter, vec3_add(up, b_a), vec3_add(b_g, noise(5e-4)),
                                     mat3_to_rpy(&first.R).z, first.p),
                   STATUS_OK);
  filter.v_W = first.v;
  *mean_tilt = *worst_tilt = *nees = 0.0;
  const int steps = (int)(seconds * RATE);
  int counted = 0;
  for (int k = 0; k < steps; k++) {
    /* readings are those of the interval's middle, what an integrating sensor gives */
    const struct truth middle = truth_at((k + 0.5) / RATE), end = truth_at((k + 1.0) / RATE);
    const vec3 omega =
        vec3_add(vec3_add(middle.omega_B, b_g), noise(settings.gyro_noise * sqrt(RATE)));
    const vec3 f = vec3_add(vec3_add(specific_force(&middle), b_a),
                            noise(settings.accelerometer_noise * sqrt(RATE)));
    ck_assert_int_eq(base_filter_predict(&filter, omega, f, 1.0 / RATE), STATUS_OK);
    vec3 x_B, dx_B;
    foot_at(&end, &x_B, &dx_B);
    base_filter_foot(&filter, vec3_add(end.omega_B, b_g), x_B,
                     vec3_add(dx_B, noise(settings.foot_velocity)), 1.0);
    base_filter_height(&filter, x_B, noise(settings.foot_height).x);
    if (k > steps / 2) {
      const double tilt = tilt_error(&filter, &end.R);
      *mean_tilt += tilt;
      *worst_tilt = fmax(*worst_tilt, tilt);
      *nees += 0.5 * tilt * tilt / (base_filter_tilt_sd(&filter) * base_filter_tilt_sd(&filter));
      counted++;
    }
  }
  *mean_tilt /= counted;
  *nees /= counted;
  return filter;
}

START_TEST(tilt_stays_within_a_tenth_of_a_degree_while_the_body_accelerates) {
  rng = random_from(test_seed());
  double mean, worst, nees;
  const struct base_filter filter =
      sway(20.0, (vec3){0.01, -0.02, 0.005}, (vec3){0.03, -0.02, 0.04}, &mean, &worst, &nees);
  ck_assert_double_le(mean, 0.1 * M_PI / 180.0);
  ck_assert_double_le(worst, 0.3 * M_PI / 180.0);
  ck_assert_uint_eq(filter.repairs, 0);
}
END_TEST

START_TEST(the_tilt_error_agrees_with_its_own_covariance) {
  double sum = 0.0;
  for (unsigned long seed = 0; seed < 20; seed++) {
    rng = random_from(test_seed() + seed);
    double mean, worst, nees;
    sway(6.0, noise(1e-3), noise(0.05), &mean, &worst, &nees);
    sum += nees / 20.0;
  }
  /* slow errors: each run is worth a few independent samples */
  ck_assert_double_ge(sum, 0.3);
  ck_assert_double_le(sum, 2.5);
}
END_TEST

START_TEST(a_gyro_bias_that_comes_after_the_start_is_learned) {
  rng = random_from(test_seed());
  const struct base_filter_settings settings = base_filter_defaults();
  struct base_filter filter;
  ck_assert_int_eq(base_filter_init(&filter, &settings), STATUS_OK);
  ck_assert_int_eq(
      base_filter_start(&filter, (vec3){0.0, 0.0, STANDARD_GRAVITY}, VEC3_ZERO, 0.0, VEC3_ZERO),
      STATUS_OK);
  const vec3 bias = {3e-3, -3e-3, 0.0};
  for (int k = 0; k < 60 * RATE; k++) {
    const vec3 omega = vec3_add(bias, noise(settings.gyro_noise * sqrt(RATE)));
    base_filter_predict(&filter, omega, vec3_add((vec3){0.0, 0.0, STANDARD_GRAVITY}, noise(0.06)),
                        1.0 / RATE);
    base_filter_foot(&filter, omega, (vec3){0.0, 0.1, -0.9}, noise(0.1), 1.0);
  }
  assert_near(filter.b_g.x, bias.x, 6e-4);
  assert_near(filter.b_g.y, bias.y, 6e-4);
}
END_TEST

START_TEST(a_foot_that_slips_for_a_moment_moves_the_velocity_by_less_than_a_tenth_of_the_slip) {
  rng = random_from(test_seed());
  const struct base_filter_settings settings = base_filter_defaults();
  struct base_filter filter;
  ck_assert_int_eq(base_filter_init(&filter, &settings), STATUS_OK);
  ck_assert_int_eq(
      base_filter_start(&filter, (vec3){0.0, 0.0, STANDARD_GRAVITY}, VEC3_ZERO, 0.0, VEC3_ZERO),
      STATUS_OK);
  double worst = 0.0;
  for (int k = 0; k < 4000; k++) {
    const vec3 slip = k >= 3000 && k < 3030 ? (vec3){2.0, 0.0, 0.0} : VEC3_ZERO;
    base_filter_predict(&filter, noise(0.005),
                        vec3_add((vec3){0.0, 0.0, STANDARD_GRAVITY}, noise(0.06)), 1.0 / RATE);
    base_filter_foot(&filter, VEC3_ZERO, (vec3){0.0, 0.1, -0.9}, slip, 1.0);
    worst = k > 2000 ? fmax(worst, vec3_norm(filter.v_W)) : 0.0;
  }
  ck_assert_double_le(worst, 0.2);
  ck_assert_uint_ge(filter.downweighted, 30);
}
END_TEST

START_TEST(a_base_without_feet_keeps_its_tilt_by_staying_where_it_is) {
  rng = random_from(test_seed());
  const struct base_filter_settings settings = base_filter_defaults();
  struct base_filter filter;
  ck_assert_int_eq(base_filter_init(&filter, &settings), STATUS_OK);
  const mat3 R = mat3_from_rpy((vec3){0.3, -0.2, 0.0});
  const vec3 f = mat3_tmul_vec3(&R, (vec3){0.0, 0.0, STANDARD_GRAVITY});
  ck_assert_int_eq(
      base_filter_start(&filter, vec3_add(f, (vec3){0.3, 0.0, 0.0}), VEC3_ZERO, 0.0, VEC3_ZERO),
      STATUS_OK);
  const double start = tilt_error(&filter, &R);
  for (int k = 0; k < 30 * RATE; k++) {
    base_filter_predict(&filter, noise(0.006), vec3_add(f, noise(0.06)), 1.0 / RATE);
    base_filter_stay(&filter);
  }
  ck_assert_double_ge(start, 0.02);
  ck_assert_double_le(tilt_error(&filter, &R), 0.005);
}
END_TEST

START_TEST(an_imu_that_gives_its_orientation_sets_yaw_too) {
  rng = random_from(test_seed());
  struct base_filter filter = random_state();
  ck_assert_int_eq(
      base_filter_start(&filter, (vec3){0.0, 0.0, STANDARD_GRAVITY}, VEC3_ZERO, 0.0, VEC3_ZERO),
      STATUS_OK);
  const quat q = quat_from_rotation_vector((vec3){0.02, -0.01, 0.03});
  for (int k = 0; k < 5000; k++) {
    base_filter_predict(&filter, VEC3_ZERO, (vec3){0.0, 0.0, STANDARD_GRAVITY}, 1e-3);
    base_filter_orientation(&filter, q);
  }
  const mat3 R = base_filter_rotation(&filter), wanted = mat3_from_quat(q);
  assert_near(mat3_to_rpy(&R).z, mat3_to_rpy(&wanted).z, 2e-3);
}
END_TEST

START_TEST(readings_that_are_no_numbers_and_steps_that_are_no_time_move_nothing) {
  rng = random_from(test_seed());
  struct base_filter filter = random_state();
  const struct base_filter before = filter;
  ck_assert_int_eq(base_filter_predict(&filter, (vec3){(double)NAN, 0.0, 0.0}, VEC3_ZERO, 1e-3),
                   STATUS_NOT_FINITE);
  ck_assert_int_eq(base_filter_predict(&filter, VEC3_ZERO, VEC3_ZERO, 0.0), STATUS_OUT_OF_RANGE);
  ck_assert_int_eq(base_filter_predict(&filter, VEC3_ZERO, VEC3_ZERO, -1e-3), STATUS_OUT_OF_RANGE);
  ck_assert_int_eq(base_filter_start(&filter, (vec3){0.0, 0.0, 5.0}, VEC3_ZERO, 0.0, VEC3_ZERO),
                   STATUS_OUT_OF_RANGE);
  ck_assert_mem_eq(&filter, &before, sizeof(filter));
}
END_TEST

SUITE(every_block_of_the_transition_is_that_of_finite_differences,
      every_block_of_the_foot_rows_is_that_of_finite_differences_the_bias_blocks_above_all,
      tilt_stays_within_a_tenth_of_a_degree_while_the_body_accelerates,
      the_tilt_error_agrees_with_its_own_covariance,
      a_gyro_bias_that_comes_after_the_start_is_learned,
      a_foot_that_slips_for_a_moment_moves_the_velocity_by_less_than_a_tenth_of_the_slip,
      a_base_without_feet_keeps_its_tilt_by_staying_where_it_is,
      an_imu_that_gives_its_orientation_sets_yaw_too,
      readings_that_are_no_numbers_and_steps_that_are_no_time_move_nothing)
