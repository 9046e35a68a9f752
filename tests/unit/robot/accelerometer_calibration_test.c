#include "robot/accelerometer_calibration.h"

#include "support/suite.h"

enum { POSES = 24 };

static struct random rng;

static vec3 random_direction(void) {
  const vec3 v = {random_normal(&rng), random_normal(&rng), random_normal(&rng)};
  return vec3_scale(1.0 / vec3_norm(v), v);
}

/* An accelerometer with bias, scale, skewed axes and a turned mounting. */
static struct accelerometer_calibration random_sensor(double rotation) {
  struct accelerometer_calibration sensor;
  const mat3 R = mat3_from_axis_angle(random_direction(), rotation);
  mat3 shape = MAT3_IDENTITY;
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      shape.m[r][c] += random_uniform(&rng, -0.05, 0.05);
    }
  }
  sensor.M = mat3_mul(&R, &shape);
  sensor.b = vec3_scale(random_uniform(&rng, 0.0, 1.0), random_direction());
  return sensor;
}

/* Raw reading of the sensor at specific force f: the inverse of its calibration, by fixed point. */
static vec3 raw_of(const struct accelerometer_calibration *sensor, vec3 f, double noise) {
  const mat3 *M = &sensor->M;
  const vec3 c0 = {M->m[0][0], M->m[1][0], M->m[2][0]}, c1 = {M->m[0][1], M->m[1][1], M->m[2][1]},
             c2 = {M->m[0][2], M->m[1][2], M->m[2][2]};
  const double det = vec3_dot(c0, vec3_cross(c1, c2));
  const vec3 x = {vec3_dot(f, vec3_cross(c1, c2)) / det, vec3_dot(c0, vec3_cross(f, c2)) / det,
                  vec3_dot(c0, vec3_cross(c1, f)) / det};
  const vec3 n = {noise * random_normal(&rng), noise * random_normal(&rng),
                  noise * random_normal(&rng)};
  return vec3_add(vec3_add(x, sensor->b), n);
}

static double matrix_error(const mat3 *A, const mat3 *B) {
  double worst = 0.0;
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      worst = fmax(worst, fabs(A->m[r][c] - B->m[r][c]));
    }
  }
  return worst;
}

/* @eq Leboutet22 151 152 153 */
START_TEST(a_sensor_is_found_exactly_from_clean_readings_however_it_is_mounted) {
  rng = random_from(test_seed());
  for (int trial = 0; trial < 50; trial++) {
    const struct accelerometer_calibration sensor = random_sensor(random_uniform(&rng, 0.0, 3.0));
    vec3 raw[POSES], expected[POSES];
    for (int i = 0; i < POSES; i++) {
      expected[i] = vec3_scale(STANDARD_GRAVITY, random_direction());
      raw[i] = raw_of(&sensor, expected[i], 0.0);
    }
    struct accelerometer_calibration fit;
    struct calibration_quality quality;
    ck_assert_int_eq(accelerometer_fit_ellipsoid(raw, expected, POSES, &fit, &quality), STATUS_OK);
    ck_assert_double_le(matrix_error(&fit.M, &sensor.M), 1e-7);
    ck_assert_double_le(vec3_norm(vec3_sub(fit.b, sensor.b)), 1e-6);
    ck_assert_double_le(quality.residual_after, 1e-6);
    ck_assert_double_ge(quality.residual_before, quality.residual_after);
  }
}
END_TEST

START_TEST(noise_of_a_reading_leaves_a_residual_of_its_own_size) {
  rng = random_from(test_seed());
  const double noise = 0.02;
  double sum = 0.0;
  for (int trial = 0; trial < 100; trial++) {
    const struct accelerometer_calibration sensor = random_sensor(0.05);
    vec3 raw[POSES], expected[POSES];
    for (int i = 0; i < POSES; i++) {
      expected[i] = vec3_scale(STANDARD_GRAVITY, random_direction());
      raw[i] = raw_of(&sensor, expected[i], noise);
    }
    struct accelerometer_calibration fit;
    struct calibration_quality quality;
    ck_assert_int_eq(accelerometer_fit_ellipsoid(raw, expected, POSES, &fit, &quality), STATUS_OK);
    sum += quality.residual_after * quality.residual_after;
  }
  /* 12 parameters take up to 12 of the 72 noise components with them */
  const double rms = sqrt(sum / 100.0);
  ck_assert_double_ge(rms, noise * sqrt(3.0 * 60.0 / 72.0) * 0.9);
  ck_assert_double_le(rms, noise * sqrt(3.0) * 1.25);
}
END_TEST

START_TEST(eight_poses_are_too_few_and_the_output_is_untouched) {
  vec3 raw[8], expected[8];
  rng = random_from(test_seed());
  for (int i = 0; i < 8; i++) {
    raw[i] = expected[i] = vec3_scale(STANDARD_GRAVITY, random_direction());
  }
  struct accelerometer_calibration fit = {.b = {7.0, 8.0, 9.0}};
  struct calibration_quality quality;
  ck_assert_int_eq(accelerometer_fit_ellipsoid(raw, expected, 8, &fit, &quality), STATUS_TOO_FEW);
  ck_assert_double_eq(fit.b.x, 7.0);
}
END_TEST

START_TEST(poses_in_a_plane_are_too_alike_for_an_ellipsoid_and_say_so_by_their_spread) {
  vec3 raw[POSES], expected[POSES];
  for (int i = 0; i < POSES; i++) {
    const double angle = 0.2 * i;
    raw[i] = expected[i] =
        (vec3){STANDARD_GRAVITY * cos(angle), STANDARD_GRAVITY * sin(angle), 0.0};
  }
  struct accelerometer_calibration fit;
  struct calibration_quality quality;
  ck_assert_int_eq(accelerometer_fit_ellipsoid(raw, expected, POSES, &fit, &quality),
                   STATUS_SINGULAR);
  ck_assert_double_le(quality.spread, 1e-12);
}
END_TEST

START_TEST(a_reading_that_is_not_finite_is_refused) {
  vec3 raw[POSES], expected[POSES];
  rng = random_from(test_seed());
  for (int i = 0; i < POSES; i++) {
    raw[i] = expected[i] = vec3_scale(STANDARD_GRAVITY, random_direction());
  }
  raw[5].y = (double)NAN;
  struct accelerometer_calibration fit;
  struct calibration_quality quality;
  ck_assert_int_eq(accelerometer_fit_ellipsoid(raw, expected, POSES, &fit, &quality),
                   STATUS_NOT_FINITE);
}
END_TEST

START_TEST(with_a_prior_poses_in_a_plane_mend_the_plane_and_leave_the_rest_nominal) {
  rng = random_from(test_seed());
  const struct calibration_prior prior = {.bias = 0.5, .matrix = 0.05, .noise = 0.02};
  struct accelerometer_calibration sensor = CALIBRATION_IDENTITY;
  sensor.M.m[0][0] = 1.04;
  sensor.M.m[1][0] = 0.03;
  vec3 raw[POSES], expected[POSES];
  for (int i = 0; i < POSES; i++) {
    const double angle = 0.25 * i;
    expected[i] = (vec3){STANDARD_GRAVITY * cos(angle), STANDARD_GRAVITY * sin(angle), 0.0};
    raw[i] = raw_of(&sensor, expected[i], prior.noise);
  }
  struct accelerometer_calibration fit;
  struct calibration_quality quality;
  ck_assert_int_eq(accelerometer_fit_with_prior(raw, expected, POSES, &prior, &fit, &quality),
                   STATUS_OK);
  assert_near(fit.M.m[0][0], 1.04, 0.003);
  assert_near(fit.M.m[1][0], 0.03, 0.003);
  /* the z readings are noise alone: sqrt(24) of it against a prior of 1/0.05^2, three sigma */
  assert_near(fit.M.m[0][2], 0.0, 3.0 * sqrt(POSES) / (POSES + 400.0));
  /* what noise there is looks like gain: sum z^2 / noise^2, at most 24 + 3 sqrt(48), against 400 */
  assert_near(fit.M.m[2][2], 1.0, 45.0 / 445.0);
  ck_assert_double_le(quality.residual_after, 0.05);
  ck_assert_double_ge(quality.residual_before, 0.2);
}
END_TEST

SUITE(a_sensor_is_found_exactly_from_clean_readings_however_it_is_mounted,
      noise_of_a_reading_leaves_a_residual_of_its_own_size,
      eight_poses_are_too_few_and_the_output_is_untouched,
      poses_in_a_plane_are_too_alike_for_an_ellipsoid_and_say_so_by_their_spread,
      a_reading_that_is_not_finite_is_refused,
      with_a_prior_poses_in_a_plane_mend_the_plane_and_leave_the_rest_nominal)
