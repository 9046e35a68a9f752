/* What is opened when an IMU turns out to have been noisier than was believed. */
#include "joints/joint_doubt.h"

#include "joints/joint_filter_core.h"
#include "process/base_process.h"
#include "support/layout_covariance.h"
#include "support/random_model.h"
#include "support/suite.h"

#include <string.h>

enum { JOINTS = 4, STATES = 128 };
static const double TIMES = 3.0, SINCE = 0.01;

/* One instant of which everything is known a little; the IMU is away from the base's origin, and
 * the base is turned. */
struct fixture {
  struct random rng;
  struct joint_filter filter;
  struct robot robot;
  struct instant now;
  double x[STATES], *before;
};

static void draw(struct fixture *f, size_t feet) {
  memset(f, 0, sizeof(*f));
  f->rng = random_from(test_seed());
  f->filter.imu = POSE_IDENTITY;
  f->filter.imu.p = (vec3){0.2, -0.1, 0.3};
  f->filter.robot = &f->robot;
  f->filter.layout = joint_layout_of(JOINTS, false, false, feet);
  const struct joint_layout *l = &f->filter.layout;
  ck_assert_uint_le(l->numbers, STATES);
  f->now = (struct instant){.t_ns = 5000000, .x = f->x, .P = layout_covariance(&f->rng, l)};
  f->before = layout_square(l);
  memcpy(f->before, f->now.P, l->size * l->stride * sizeof(double));
  base_process_set_rotation(l, quat_normalized((quat){0.1, -0.3, 0.2, 0.8}), f->x);
}

/* Covariance that an error of the turning adds: E[a b'] of the errors at states i and k, told by
 * how an accelerometer that reads what it read before goes on: f + domega x r stays. What noise
 * was integrated to before has nothing in common with what it is now. */
static double added_by_turning(const struct fixture *f, size_t i, size_t k) {
  const struct joint_layout *l = &f->filter.layout;
  const mat3 R_WB = mat3_from_quat(base_process_rotation(l, f->x));
  double sum = 0.0;
  for (size_t axis = 0; axis < 3; axis++) {
    const double variance =
        (TIMES * TIMES - 1.0) * f->before[(l->omegadot + axis) * (l->stride + 1)];
    const vec3 domega = {axis == 0, axis == 1, axis == 2},
               force = vec3_neg(vec3_cross(domega, f->filter.imu.p)),
               velocity = mat3_mul_vec3(&R_WB, vec3_scale(SINCE, force));
    double error[STATES] = {0.0}, gained[STATES] = {0.0};
    vec3_to(domega, error + l->omegadot);
    vec3_to(force, error + l->force);
    vec3_to(velocity, gained + l->velocity);
    sum += variance * (error[i] * error[k] + gained[i] * gained[k]);
  }
  const bool rate = i == k && i >= l->omega && i < l->omega + 3;
  return sum + (rate ? (TIMES * TIMES - 1.0) * f->before[i * (l->stride + 1)] : 0.0);
}

/* ... and one of the force. */
static double added_by_force(const struct fixture *f, size_t i, size_t k) {
  const struct joint_layout *l = &f->filter.layout;
  const mat3 R_WB = mat3_from_quat(base_process_rotation(l, f->x));
  double sum = 0.0;
  for (size_t axis = 0; axis < 3; axis++) {
    const vec3 force = {axis == 0, axis == 1, axis == 2};
    double error[STATES] = {0.0}, gained[STATES] = {0.0};
    vec3_to(force, error + l->force);
    vec3_to(mat3_mul_vec3(&R_WB, vec3_scale(SINCE, force)), gained + l->velocity);
    sum += (TIMES * TIMES - 1.0) * f->before[(l->force + axis) * (l->stride + 1)] *
           (error[i] * error[k] + gained[i] * gained[k]);
  }
  return sum;
}

static void assert_opens(enum imu_triad triad,
                         double (*expected)(const struct fixture *, size_t, size_t)) {
  static struct fixture f;
  draw(&f, 0);
  const struct joint_layout *l = &f.filter.layout;
  joint_doubt_noisy(&f.filter, &f.now, triad, TIMES, SINCE);
  for (size_t i = 0; i < l->size; i++) {
    for (size_t k = i; k < l->size; k++) {
      assert_near(f.now.P[i * l->stride + k], f.before[i * l->stride + k] + expected(&f, i, k),
                  1e-9);
    }
  }
  ck_assert_int_eq(f.filter.decided_ns, f.now.t_ns);
}

START_TEST(noise_that_passed_for_turning_has_gone_into_force_and_velocity_by_way_of_the_arm) {
  assert_opens(IMU_GYRO, added_by_turning);
}
END_TEST

START_TEST(noise_that_passed_for_force_has_gone_into_velocity) {
  assert_opens(IMU_ACCELEROMETER, added_by_force);
}
END_TEST

START_TEST(a_triad_that_was_as_noisy_as_believed_opens_nothing) {
  static struct fixture f;
  draw(&f, 0);
  const struct joint_layout *l = &f.filter.layout;
  joint_doubt_noisy(&f.filter, &f.now, IMU_GYRO, 1.0, SINCE);
  joint_doubt_noisy(&f.filter, &f.now, IMU_ACCELEROMETER, 1.0, SINCE);
  ck_assert_mem_eq(f.now.P, f.before, l->size * l->stride * sizeof(double));
}
END_TEST

/* Along each axis the sum of force and bias stays as well known as it was, and either less; the
 * bias is along axes of the IMU's own. */
START_TEST(force_and_bias_are_exchanged_along_the_axes_of_an_imu_on_another_link) {
  static struct fixture f;
  draw(&f, 0);
  const struct joint_layout *l = &f.filter.layout;
  f.robot.imu_link = 1;
  f.filter.imu.R = random_rotation(&f.rng);
  joint_doubt_force(&f.filter, &f.now);
  for (size_t i = 0; i < 3; i++) {
    double sum[STATES] = {0.0}, force[STATES] = {0.0}, more[2] = {0.0, 0.0};
    force[l->force + i] = sum[l->force + i] = 1.0;
    for (size_t k = 0; k < 3; k++) {
      sum[l->accelerometer_bias + k] = f.filter.imu.R.m[i][k];
    }
    for (size_t a = 0; a < l->size; a++) {
      for (size_t b = 0; b < l->size; b++) {
        const size_t at = (a < b ? a : b) * l->stride + (a < b ? b : a);
        more[0] += sum[a] * sum[b] * (f.now.P[at] - f.before[at]);
        more[1] += force[a] * force[b] * (f.now.P[at] - f.before[at]);
      }
    }
    assert_near(more[0], 0.0, 1e-9);
    ck_assert_double_gt(more[1], 1e-3);
  }
}
END_TEST

/* What feet have said of the IMU is answered; where they stand, and since when, stays. */
START_TEST(a_foot_forgets_how_it_strained_and_not_that_it_has_told_of_its_ground) {
  static struct fixture f;
  draw(&f, 1);
  struct foot_memory *foot = &f.filter.foot[0];
  *foot = (struct foot_memory){.strain = 1.0, .usual = 2.0, .mean = {3.0, 4.0, 5.0}, .drag = 6.0};
  foot->pointed = (vec3){0.0, 0.0, 1.0};
  foot->landed_ns = 1000000;
  foot->heard_ns = 2000000;
  foot->sloped_ns = 3000000;
  joint_doubt_turn(&f.filter, &f.now, 0.1);
  ck_assert(foot->strain == 0.0 && foot->usual == 0.0 && foot->drag == 0.0);
  ck_assert(vec3_norm(foot->mean) == 0.0 && foot->pointed.z == 1.0);
  ck_assert_int_eq(foot->landed_ns, 1000000);
  ck_assert_int_eq(foot->heard_ns, 2000000);
  ck_assert_int_eq(foot->sloped_ns, 3000000);
}
END_TEST

SUITE(a_foot_forgets_how_it_strained_and_not_that_it_has_told_of_its_ground,
      force_and_bias_are_exchanged_along_the_axes_of_an_imu_on_another_link,
      noise_that_passed_for_turning_has_gone_into_force_and_velocity_by_way_of_the_arm,
      noise_that_passed_for_force_has_gone_into_velocity,
      a_triad_that_was_as_noisy_as_believed_opens_nothing)
