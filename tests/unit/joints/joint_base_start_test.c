/* How a base begins: its attitude is what a force tells, known as well as that force, and not
 * before what the first readings leave open has settled. */
#include "joints/joint_base_start.h"

#include "joints/joint_filter_core.h"
#include "process/base_process.h"
#include "support/layout_covariance.h"
#include "support/suite.h"

#include <string.h>

enum { JOINTS = 4, STATES = 128 };
static const int64_t MS = 1000000;
static const double START_TILT = 0.02, START_YAW = 1e-3;

/* A filter without feet and one instant, of which everything is known a little: its base has not
 * begun. */
struct fixture {
  struct random rng;
  struct joint_filter filter;
  struct instant now, *at[1];
  struct robot robot;
  double x[STATES], *before;
  vec3 force;
};

static void draw(struct fixture *f) {
  memset(f, 0, sizeof(*f));
  f->rng = random_from(test_seed());
  f->filter.layout = joint_layout_of(JOINTS, false, false, 0);
  const struct joint_layout *l = &f->filter.layout;
  ck_assert_uint_le(l->numbers, STATES);
  f->filter.robot = &f->robot;
  f->filter.instants = (struct instants){.count = 1, .capacity = 1, .at = f->at};
  f->filter.started_ns = MS;
  f->at[0] = &f->now;
  f->now = (struct instant){.t_ns = 31 * MS, .x = f->x, .P = layout_covariance(&f->rng, l)};
  for (size_t i = 0; i < l->size * l->stride; i++) {
    f->now.P[i] *= 1e-3;
  }
  f->before = layout_square(l);
  memcpy(f->before, f->now.P, l->size * l->stride * sizeof(double));
  f->force = (vec3){1.5, -2.0, 9.2};
  vec3_to(f->force, f->x + l->force);
}

/* d theta / d force, by differences: how the attitude that a force tells turns, base axes, but
 * about the vertical. */
static mat3 slope(vec3 force) {
  const double step = 1e-6;
  const mat3 R = attitude_of(force), back = mat3_transpose(&R);
  const vec3 up = {R.m[2][0], R.m[2][1], R.m[2][2]};
  mat3 A;
  for (int k = 0; k < 3; k++) {
    double moved[3];
    vec3_to(force, moved);
    moved[k] += step;
    const mat3 other = attitude_of(vec3_from(moved)), turn = mat3_mul(&back, &other);
    vec3 theta = vec3_scale(1.0 / step, quat_to_rotation_vector(quat_from_mat3(&turn)));
    theta = vec3_axpy(theta, -vec3_dot(theta, up), up);
    double column[3];
    vec3_to(theta, column);
    for (int i = 0; i < 3; i++) {
      A.m[i][k] = column[i];
    }
  }
  return A;
}

START_TEST(an_attitude_errs_with_the_force_that_has_told_it_and_with_all_that_this_errs_with) {
  static struct fixture f;
  draw(&f);
  const struct joint_layout *l = &f.filter.layout;
  joint_base_start(&f.filter);
  ck_assert(f.filter.base_started);
  const mat3 A = slope(f.force), R = attitude_of(f.force);
  for (size_t i = 0; i < 3; i++) {
    for (size_t k = 0; k < l->size; k++) {
      const bool other = (k < l->attitude || k >= l->attitude + 3) &&
                         (k < l->velocity || k >= l->velocity + 3) &&
                         (k < l->position || k >= l->position + 3);
      double told = 0.0;
      for (size_t j = 0; j < 3; j++) {
        told += A.m[i][j] * f.before[(l->force + j) * l->stride + k];
      }
      if (other) {
        assert_near(f.now.P[(l->attitude + i) * l->stride + k], told, 1e-8);
        assert_near(f.now.P[k * l->stride + l->attitude + i], told, 1e-8);
      }
    }
    for (size_t k = 0; k < 3; k++) {
      const double up = R.m[2][i] * R.m[2][k];
      double told = START_TILT * START_TILT * ((i == k) - up) + START_YAW * START_YAW * up;
      for (size_t a = 0; a < 9; a++) {
        told += A.m[i][a / 3] * A.m[k][a % 3] *
                f.before[(l->force + a / 3) * l->stride + l->force + a % 3];
      }
      assert_near(f.now.P[(l->attitude + i) * l->stride + l->attitude + k], told, 1e-8);
    }
  }
}
END_TEST

START_TEST(it_begins_when_the_first_readings_have_settled_and_the_force_is_known) {
  static struct fixture f;
  draw(&f);
  const struct joint_layout *l = &f.filter.layout;
  f.now.t_ns = 11 * MS;
  f.filter.ground.other = true; /* of a base that was before */
  joint_base_start(&f.filter);
  ck_assert(!f.filter.base_started && f.filter.ground.other);
  f.now.t_ns = 31 * MS;
  f.now.P[l->force * (l->stride + 1)] = 4.0;
  joint_base_start(&f.filter);
  ck_assert(!f.filter.base_started);
  double up[3]; /* a joint between the base and its IMU may move along the force, by 4 m/s^2 */
  vec3_to(vec3_scale(4.0 / vec3_norm(f.force), f.force), up);
  for (size_t i = 0; i < 3; i++) {
    for (size_t k = 0; k < 3; k++) {
      f.now.P[(l->force + i) * l->stride + l->force + k] = 0.1 * (i == k) + up[i] * up[k];
    }
  }
  joint_base_start(&f.filter);
  ck_assert(f.filter.base_started && !f.filter.ground.other);
}
END_TEST

static double tilt_sd(size_t state, double rate) {
  static struct fixture f;
  draw(&f);
  const struct joint_layout *l = &f.filter.layout;
  f.x[state] = rate;
  joint_base_start(&f.filter);
  ck_assert(f.filter.base_started);
  return sqrt(
      fmax(f.now.P[l->attitude * (l->stride + 1)], f.now.P[(l->attitude + 1) * (l->stride + 1)]));
}

/* What moves it is taken for gravity: it was believed to two degrees. */
START_TEST(a_body_that_moves_does_not_know_how_it_is_turned) {
  const struct joint_layout l = joint_layout_of(JOINTS, false, false, 0);
  ck_assert_double_lt(tilt_sd(l.dq, 0.0), 0.1);
  ck_assert_double_lt(tilt_sd(l.dq, 0.05), 0.1);
  ck_assert_double_gt(tilt_sd(l.dq + 1, 1.0), 0.2);
  ck_assert_double_gt(tilt_sd(l.omega + 2, -1.0), 0.2);
}
END_TEST

/* One that begins again has not stepped where its feet stand. */
START_TEST(feet_of_a_base_that_begins_again_have_not_landed) {
  static struct fixture f;
  draw(&f);
  f.filter.layout.n_feet = 1;
  f.filter.foot[0] = (struct foot_memory){.landed_ns = MS, .stepped = true};
  f.filter.base_started = true;
  joint_base_start_again(&f.filter);
  ck_assert(!f.filter.base_started && !f.filter.foot[0].stepped);
  ck_assert_int_eq(f.filter.foot[0].landed_ns, 0);
}
END_TEST

/* A base that has begun, at rest, turned so. */
static void stand(struct fixture *f, mat3 R) {
  draw(f);
  const struct joint_layout *l = &f->filter.layout;
  f->filter.base_started = f->filter.base_imu = true;
  f->filter.rate_ns = f->now.t_ns;
  for (size_t i = 0; i < l->size * l->stride; i++) {
    f->now.P[i] *= 1e-3; /* it is sure of that */
  }
  f->filter.felt = (struct felt_force){.mean = {0.0, 0.0, STANDARD_GRAVITY}, .t_ns = f->now.t_ns};
  f->filter.imu.R = f->robot.imu_placement.R = (mat3)MAT3_IDENTITY;
  vec3_to(f->filter.felt.mean, f->x + l->force);
  base_process_set_rotation(l, quat_from_mat3(&R), f->x);
}

static double leaning(const struct fixture *f) {
  const mat3 R = mat3_from_quat(base_process_rotation(&f->filter.layout, f->x));
  return acos(fmin(R.m[2][2], 1.0));
}

START_TEST(a_base_that_leans_is_put_upright_and_begins_again) {
  static struct fixture f;
  const mat3 R = mat3_from_rpy((vec3){0.5, -0.2, 1.0});
  stand(&f, R);
  joint_base_start(&f.filter);
  ck_assert_uint_eq(f.filter.counters.resets, 0);
  f.filter.base_lean.leans = true;
  f.filter.base_lean.up = mat3_mul_vec3(&R, (vec3){0.0, 0.0, STANDARD_GRAVITY});
  joint_base_start(&f.filter);
  ck_assert(f.filter.base_started && !f.filter.base_lean.leans);
  ck_assert_uint_eq(f.filter.counters.resets, 1);
  ck_assert_double_lt(leaning(&f), 1e-6);
}
END_TEST

/* Gravity along a tilt of 40 degrees had a base that hung, as it seemed, fly off for seconds. */
START_TEST(what_hangs_swings_no_faster_than_it_can) {
  for (int hangs = 0; hangs < 2; hangs++) {
    for (int refused = 0; refused < 2; refused++) {
      static struct fixture f;
      stand(&f, mat3_from_rpy((vec3){0.7, 0.0, 0.0}));
      f.filter.hanging.hangs = hangs;
      f.filter.judge.triad[IMU_ACCELEROMETER].convicted = refused;
      f.x[f.filter.layout.velocity] = 3.0;
      joint_base_start(&f.filter);
      ck_assert_uint_eq(f.filter.counters.resets, hangs && !refused);
      if (hangs && !refused) {
        ck_assert_double_lt(leaning(&f), 1e-6);
      }
    }
  }
}
END_TEST

/* Its gyro has told of every turn, and an accelerometer that is off tells of none. */
START_TEST(what_an_accelerometer_that_is_off_throws_keeps_its_attitude_though_it_hangs) {
  static struct fixture f;
  const mat3 R = mat3_from_rpy((vec3){0.7, 0.0, 0.0});
  stand(&f, R);
  f.filter.hanging.hangs = true;
  f.filter.felt.mean = (vec3){20.0, 0.0, STANDARD_GRAVITY};
  f.x[f.filter.layout.velocity] = 11.0;
  joint_base_start(&f.filter);
  ck_assert_uint_eq(f.filter.counters.resets, 1);
  assert_near(leaning(&f), 0.7, 1e-6);
}
END_TEST

SUITE(what_an_accelerometer_that_is_off_throws_keeps_its_attitude_though_it_hangs,
      a_base_that_leans_is_put_upright_and_begins_again, what_hangs_swings_no_faster_than_it_can,
      feet_of_a_base_that_begins_again_have_not_landed,
      an_attitude_errs_with_the_force_that_has_told_it_and_with_all_that_this_errs_with,
      it_begins_when_the_first_readings_have_settled_and_the_force_is_known,
      a_body_that_moves_does_not_know_how_it_is_turned)
