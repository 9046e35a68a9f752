/* Laws that the base filter keeps whatever its numbers are: what it believes at the start, what one
 * prediction and one update do, each held against a computation of its own. */
#include "base/base_filter.h"

#include "support/suite.h"

#include <string.h>

enum { N = BASE_ERRORS };

static struct random rng;

static vec3 noise(double size) {
  return (vec3){size * random_normal(&rng), size * random_normal(&rng), size * random_normal(&rng)};
}

/* A filter that began upright but tilted, and has moved a little. */
static struct base_filter begun(void) {
  const struct base_filter_settings settings = base_filter_defaults();
  struct base_filter filter;
  const mat3 R = mat3_from_rpy((vec3){0.3, -0.4, 0.0});
  ck_assert_int_eq(base_filter_init(&filter, &settings), STATUS_OK);
  ck_assert_int_eq(base_filter_start(&filter,
                                     mat3_tmul_vec3(&R, (vec3){0.0, 0.0, STANDARD_GRAVITY}),
                                     VEC3_ZERO, 0.8, VEC3_ZERO),
                   STATUS_OK);
  return filter;
}

/* Variance of the rotation error about the world's axis. */
static double turn_variance(const struct base_filter *filter, int axis) {
  const mat3 R = base_filter_rotation(filter);
  double sum = 0.0;
  for (int i = 0; i < 9; i++) {
    sum += R.m[axis][i / 3] * filter->P[BASE_THETA + i / 3][BASE_THETA + i % 3] * R.m[axis][i % 3];
  }
  return sum;
}

START_TEST(at_the_start_yaw_is_known_and_tilt_is_not) {
  const struct base_filter filter = begun();
  assert_near(sqrt(turn_variance(&filter, 0)), 0.05, 1e-9);
  assert_near(sqrt(turn_variance(&filter, 1)), 0.05, 1e-9);
  assert_near(sqrt(turn_variance(&filter, 2)), 1e-3, 1e-9);
}
END_TEST

/* What an error of component `j` has become after a prediction. */
static void carried(const struct base_filter *filter, int j, double h, vec3 f, double dt,
                    double out[N]) {
  struct base_filter plain = *filter, off = *filter;
  double x[N] = {0.0};
  x[j] = h;
  off.q_WB = quat_mul(off.q_WB, quat_from_rotation_vector(vec3_from(x + BASE_THETA)));
  off.v_W = vec3_add(off.v_W, vec3_from(x + BASE_V));
  off.p_W = vec3_add(off.p_W, vec3_from(x + BASE_P));
  off.b_a = vec3_add(off.b_a, vec3_from(x + BASE_BA));
  ck_assert_int_eq(base_filter_predict(&plain, VEC3_ZERO, f, dt), STATUS_OK);
  ck_assert_int_eq(base_filter_predict(&off, VEC3_ZERO, f, dt), STATUS_OK);
  const quat back = {-plain.q_WB.x, -plain.q_WB.y, -plain.q_WB.z, plain.q_WB.w};
  memset(out, 0, N * sizeof(*out));
  vec3_to(quat_to_rotation_vector(quat_mul(back, off.q_WB)), out + BASE_THETA);
  vec3_to(vec3_sub(off.v_W, plain.v_W), out + BASE_V);
  vec3_to(vec3_sub(off.p_W, plain.p_W), out + BASE_P);
  vec3_to(vec3_sub(off.b_a, plain.b_a), out + BASE_BA);
}

/* While nothing turns, the first order in dt is all there is but for the gyro's bias. */
START_TEST(without_turning_the_transition_is_exact) {
  rng = random_from(test_seed());
  const double dt = 0.02, h = 1e-6;
  const struct base_filter filter = begun();
  const vec3 f = {2.0, -3.0, 9.0};
  double F[N][N];
  base_filter_transition(&filter, VEC3_ZERO, f, dt, F);
  for (int j = 0; j < N; j++) {
    double out[N];
    if (j >= BASE_BG && j < BASE_BG + 3) {
      continue;
    }
    carried(&filter, j, h, f, dt, out);
    for (int i = 0; i < N; i++) {
      assert_near(out[i] / h, F[i][j], 2e-6);
    }
  }
}
END_TEST

START_TEST(a_force_that_turns_with_the_body_is_integrated_at_the_middle_of_the_step) {
  const vec3 omega = {0.0, 0.0, 10.0}, f = {3.0, 0.0, 9.0};
  const double dt = 0.01;
  struct base_filter once = begun(), fine = once;
  ck_assert_int_eq(base_filter_predict(&once, omega, f, dt), STATUS_OK);
  for (int k = 0; k < 1000; k++) {
    ck_assert_int_eq(base_filter_predict(&fine, omega, f, dt / 1000.0), STATUS_OK);
  }
  ck_assert_double_le(vec3_norm(vec3_sub(once.v_W, fine.v_W)), 5e-5); /* at its start: 1.5e-3 */
}
END_TEST

START_TEST(a_change_between_two_readings_widens_attitude_and_velocity) {
  struct base_filter filter = begun();
  const struct base_filter before = filter;
  const double dt = 1e-3, share = 0.29;
  base_filter_blur(&filter, (vec3){3.0, 4.0, 0.0}, (vec3){0.0, 60.0, 80.0}, dt);
  for (int i = 0; i < 3; i++) {
    const double turn = filter.P[BASE_THETA + i][BASE_THETA + i] -
                        before.P[BASE_THETA + i][BASE_THETA + i],
                 push = filter.P[BASE_V + i][BASE_V + i] - before.P[BASE_V + i][BASE_V + i];
    assert_near(turn, share * share * dt * dt * 25.0, 1e-12);
    assert_near(push, share * share * dt * dt * 1e4, 1e-9);
  }
}
END_TEST

/* Elimination on [S | A], S 3 x 3 positive definite: A becomes S^-1 A. */
static void solve3(double S[3][3], double A[3][N]) {
  for (int p = 0; p < 3; p++) {
    for (int i = 0; i < 3; i++) {
      const double factor = i == p ? 0.0 : S[i][p] / S[p][p];
      for (int k = 0; k < 3; k++) {
        S[i][k] -= factor * S[p][k];
      }
      for (int k = 0; k < N; k++) {
        A[i][k] -= factor * A[p][k];
      }
    }
  }
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < N; k++) {
      A[i][k] /= S[i][i];
    }
  }
}

START_TEST(three_rows_one_after_the_other_are_the_three_at_once) {
  rng = random_from(test_seed());
  struct base_filter filter = begun();
  filter.settings.huber = 1e9;
  for (int k = 0; k < 50; k++) { /* correlations */
    base_filter_predict(&filter, noise(1.0), vec3_add(noise(2.0), (vec3){0.0, 0.0, 9.81}), 1e-3);
  }
  const struct base_filter before = filter;
  const vec3 omega = noise(0.5), x_B = {0.1, -0.2, -0.8}, dx_B = noise(0.05);
  double H[3][N], HP[3][N], S[3][3];
  vec3 predicted;
  base_filter_foot_rows(&before, omega, x_B, dx_B, &predicted, H);
  const double r = before.settings.foot_velocity * before.settings.foot_velocity;
  for (int a = 0; a < 3; a++) {
    for (int k = 0; k < N; k++) {
      HP[a][k] = 0.0;
      for (int i = 0; i < N; i++) {
        HP[a][k] += H[a][i] * before.P[i][k];
      }
    }
  }
  for (int a = 0; a < 3; a++) {
    for (int b = 0; b < 3; b++) {
      S[a][b] = a == b ? r : 0.0;
      for (int i = 0; i < N; i++) {
        S[a][b] += HP[a][i] * H[b][i];
      }
    }
  }
  double gain[3][N];
  memcpy(gain, HP, sizeof(gain));
  solve3(S, gain);
  base_filter_foot(&filter, omega, x_B, dx_B, 1.0);
  const double e[3] = {-predicted.x, -predicted.y, -predicted.z};
  double x[N] = {0.0};
  for (int i = 0; i < N; i++) {
    double variance = before.P[i][i];
    for (int a = 0; a < 3; a++) {
      x[i] += gain[a][i] * e[a];
      variance -= gain[a][i] * HP[a][i];
    }
    assert_near(filter.P[i][i], variance, 1e-9 * before.P[i][i] + 1e-15);
  }
  ck_assert_double_le(vec3_norm(vec3_sub(vec3_sub(filter.v_W, before.v_W), vec3_from(x + BASE_V))),
                      1e-12);
  ck_assert_double_le(vec3_norm(vec3_sub(vec3_sub(filter.b_a, before.b_a), vec3_from(x + BASE_BA))),
                      1e-12);
}
END_TEST

START_TEST(a_foot_that_carries_little_says_little) {
  double left[2];
  for (int k = 0; k < 2; k++) {
    struct base_filter filter = begun();
    base_filter_predict(&filter, VEC3_ZERO, (vec3){0.0, 0.0, STANDARD_GRAVITY}, 1e-3);
    base_filter_foot(&filter, VEC3_ZERO, (vec3){0.0, 0.0, -0.9}, VEC3_ZERO, k == 0 ? 1.0 : 0.1);
    left[k] = filter.P[BASE_V][BASE_V] + filter.P[BASE_V + 1][BASE_V + 1];
  }
  ck_assert_double_gt(left[1], 1.15 * left[0]);
}
END_TEST

START_TEST(beyond_the_bound_a_slip_moves_the_velocity_by_less_than_half) {
  double worst[2] = {0.0, 0.0};
  for (int bounded = 0; bounded < 2; bounded++) {
    struct base_filter filter = begun();
    filter.settings.huber = bounded ? filter.settings.huber : 1e9;
    const mat3 R = base_filter_rotation(&filter);
    const vec3 f = mat3_tmul_vec3(&R, (vec3){0.0, 0.0, STANDARD_GRAVITY});
    for (int k = 0; k < 3030; k++) {
      const vec3 slip = k >= 3000 ? (vec3){2.0, 0.0, 0.0} : VEC3_ZERO;
      base_filter_predict(&filter, VEC3_ZERO, f, 1e-3);
      base_filter_foot(&filter, VEC3_ZERO, (vec3){0.0, 0.1, -0.9}, slip, 1.0);
    }
    worst[bounded] = vec3_norm(filter.v_W);
  }
  ck_assert_double_lt(worst[1], 0.5 * worst[0]);
}
END_TEST

SUITE(at_the_start_yaw_is_known_and_tilt_is_not, without_turning_the_transition_is_exact,
      a_force_that_turns_with_the_body_is_integrated_at_the_middle_of_the_step,
      a_change_between_two_readings_widens_attitude_and_velocity,
      three_rows_one_after_the_other_are_the_three_at_once, a_foot_that_carries_little_says_little,
      beyond_the_bound_a_slip_moves_the_velocity_by_less_than_half)
