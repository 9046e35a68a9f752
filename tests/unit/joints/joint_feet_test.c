#include "joints/joint_feet.h"

#include "joints/joint_filter_core.h"
#include "numerics/dense_matrix.h"
#include "process/base_process.h"
#include "process/considered.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

/* What walking teaches of the IMU's biases, and how soles are held. */

enum { JOINTS = 3, FEET = 4, STATES = 96 };
static const int64_t NOW = 5000000000, LONG_AGO = 3000000000, LATELY = 4800000000;

struct fixture {
  struct joint_filter filter;
  struct robot robot;
  struct robot skinned;
  struct instant now;
  double x[STATES + 12], P[STATES * STATES];
};

/* A robot of so many feet, the first of which stands since `landed`; biases are known to 1. */
static struct fixture *stand(size_t feet, int64_t landed) {
  static struct fixture f;
  memset(&f, 0, sizeof(f));
  f.filter.layout = joint_layout_of(JOINTS, false, false, feet);
  f.filter.robot = &f.robot;
  f.filter.skinned = &f.skinned;
  f.filter.settings.period_s = 1e-3;
  f.filter.settings.gyro_noise = 0.005;
  f.filter.foot[0].landed_ns = landed;
  f.filter.foot[0].stepped = true;
  f.now.t_ns = NOW;
  f.now.x = f.x;
  f.now.contact[0].stands = true;
  for (size_t i = 0; i < f.filter.layout.size; i++) {
    f.P[i * (f.filter.layout.stride + 1)] = 1.0;
  }
  base_process_set_rotation(&f.filter.layout, QUAT_IDENTITY, f.x);
  return &f;
}

static bool teaches(const struct fixture *f, double share[CONSIDERED_IMU]) {
  return joint_feet_teach(&f->filter, &f->now, f->x, f->P, share);
}

static void set_sd(struct fixture *f, size_t bias, double sd) {
  const struct joint_layout *l = &f->filter.layout;
  f->P[(l->gyro_bias + bias) * (l->stride + 1)] = sd * sd;
}

START_TEST(who_walks_on_points_learns_a_share_and_who_stands_all) {
  double share[CONSIDERED_IMU];
  ck_assert(teaches(stand(FEET, LATELY), share));
  for (size_t i = 0; i < CONSIDERED_IMU; i++) {
    ck_assert(share[i] > 0.1 && share[i] < 0.9);
  }
  ck_assert(!teaches(stand(FEET, LONG_AGO), share));
  ck_assert(!teaches(stand(ROBOT_MAX_SOLES, LONG_AGO), share));
}
END_TEST

START_TEST(a_bias_about_the_vertical_is_made_no_surer_than_points_creep) {
  double share[CONSIDERED_IMU];
  struct fixture *f = stand(FEET, LATELY);
  for (size_t i = 0; i < CONSIDERED_IMU; i++) {
    set_sd(f, i, 5e-3);
  }
  ck_assert(teaches(f, share));
  ck_assert(share[0] > 0.1 && share[1] > 0.1);
  for (size_t i = 2; i < 5; i++) { /* about z; and of the accelerometer along the ground */
    ck_assert_double_eq(share[i], 0.0);
  }
}
END_TEST

/* Soles do not creep, but a floor leans under them as well. */
START_TEST(who_walks_on_soles_learns_less_than_legs_bend_and_the_floor_may_lean) {
  double share[CONSIDERED_IMU];
  struct fixture *f = stand(ROBOT_MAX_SOLES, LATELY);
  for (size_t i = 0; i < CONSIDERED_IMU; i++) {
    set_sd(f, i, 0.01);
  }
  ck_assert(teaches(f, share));
  for (size_t i = 0; i < CONSIDERED_IMU; i++) { /* but along the vertical, where it pulls none */
    const bool leans = i == 3 || i == 4;
    ck_assert(i > 2 || (share[i] > 0.1 && share[i] < 0.9)); /* legs bend, and soles roll */
    ck_assert_double_eq_tol(share[i], leans ? 0.0 : i > 2 ? 1.0 : share[0], 1e-9);
  }
  set_sd(f, 3, 0.3);
  ck_assert(teaches(f, share));
  ck_assert_double_gt(share[3], 0.9);
}
END_TEST

/* Its biases are along its own axes: of one whose x is up it is that of x. */
START_TEST(the_vertical_is_that_of_an_imu_on_another_link) {
  double share[CONSIDERED_IMU];
  struct fixture *f = stand(FEET, LATELY);
  f->filter.imu = (struct pose){.R = {{{0, 0, -1}, {0, 1, 0}, {1, 0, 0}}}};
  f->robot.imu_link = 1;
  for (size_t i = 0; i < CONSIDERED_GYRO; i++) {
    set_sd(f, i, 5e-3);
  }
  ck_assert(teaches(f, share));
  ck_assert_double_eq(share[0], 0.0);
  ck_assert(share[1] > 0.1 && share[2] > 0.1);
}
END_TEST

/* Links 1 and 2 are one leg, link 3 is another. */
START_TEST(feet_behind_a_joint_that_is_elsewhere_stand_anew_and_others_do_not) {
  static const int expected[JOINTS][2] = {{1, 0}, {1, 0}, {0, 1}};
  static int parent[] = {-1, 0, 1, 0};
  for (size_t j = 0; j < JOINTS; j++) {
    struct fixture *f = stand(2, LONG_AGO);
    f->robot.model.parent = parent;
    f->robot.foot[0].link = 2;
    f->robot.foot[1].link = 3;
    f->now.contact[0].level = f->now.contact[1].level = true;
    joint_feet_lose(&f->filter, &f->now, j);
    for (size_t i = 0; i < 2; i++) {
      ck_assert_int_eq(f->now.contact[i].landed, expected[j][i]);
      ck_assert_int_eq(f->now.contact[i].level, !expected[j][i]);
    }
  }
}
END_TEST

/* Ground under feet that land at that instant is still to be heard. */
START_TEST(feet_that_stand_anew_have_told_of_their_ground_unless_they_land) {
  struct fixture *f = stand(2, LONG_AGO);
  f->filter.contact[0].stands = f->filter.contact[1].stands = true;
  f->filter.contact[1].landed = true;
  for (int time = 0; time < 2; time++) { /* by two updates of one instant */
    joint_feet_again(&f->filter);
    ck_assert(f->filter.contact[0].landed && f->filter.contact[0].again);
    ck_assert(f->filter.contact[1].landed && !f->filter.contact[1].again);
  }
}
END_TEST

/* A sole that does not stand points anywhere. */
START_TEST(the_normal_is_that_of_the_soles_that_stand) {
  struct fixture *f = stand(2, LATELY);
  const quat tipped = quat_from_rotation_vector((vec3){0.4, 0.0, 0.0}),
             other = quat_from_rotation_vector((vec3){0.2, 0.0, 1.0});
  base_process_set_sole(&f->filter.layout, 0, tipped, f->x);
  base_process_set_sole(&f->filter.layout, 1, QUAT_IDENTITY, f->x);
  vec3 normal = joint_feet_normal(&f->filter, &f->now);
  assert_near(normal.y, -sin(0.4), 1e-12);
  assert_near(normal.z, cos(0.4), 1e-12);
  f->now.contact[1].stands = true;
  normal = joint_feet_normal(&f->filter, &f->now);
  assert_near(normal.y, -sin(0.2), 1e-12);
  assert_near(vec3_norm(normal), 1.0, 1e-12);
  f->now.contact[0].stands = false;
  base_process_set_sole(&f->filter.layout, 1, other, f->x);
  assert_near(joint_feet_normal(&f->filter, &f->now).z, mat3_from_quat(other).m[2][2], 1e-12);
  f->now.contact[1].stands = false;
  ck_assert_double_eq(vec3_norm(joint_feet_normal(&f->filter, &f->now)), 0.0);
}
END_TEST

/* By as much in each foot's load as friction and the patch that touches do. */
START_TEST(a_sole_of_who_walks_turns_the_easier_the_less_it_carries) {
  struct fixture *f = stand(ROBOT_MAX_SOLES, LATELY);
  struct joint_densities densities = {.sole_twist = {3.0, 3.0}};
  f->now.contact[0].share = 0.5;
  f->now.contact[1].share = 0.5; /* and does not stand */
  joint_feet_loosen(&f->filter, &f->now, &densities);
  assert_near(densities.sole_twist[0], 3.0 * 16.0, 1e-12);
  ck_assert_double_eq(densities.sole_twist[1], 3.0);
  f->now.contact[0].share = 1.0;
  densities.sole_twist[0] = 3.0;
  joint_feet_loosen(&f->filter, &f->now, &densities);
  ck_assert_double_eq(densities.sole_twist[0], 3.0);
  f->now.contact[0].share = 0.0;
  joint_feet_loosen(&f->filter, &f->now, &densities);
  ck_assert(isfinite(densities.sole_twist[0]));
  f = stand(ROBOT_MAX_SOLES, LONG_AGO);
  densities.sole_twist[0] = 3.0;
  f->now.contact[0].share = 0.5;
  joint_feet_loosen(&f->filter, &f->now, &densities);
  ck_assert_double_eq(densities.sole_twist[0], 3.0); /* it does not walk */
}
END_TEST

/* By how much the first sole wanders, rad/sqrt(s). */
static double wanders(const struct fixture *f) {
  struct joint_densities densities = {.sole = {1e-6, 1e-6}};
  joint_feet_loosen(&f->filter, &f->now, &densities);
  return sqrt(densities.sole[0] - 1e-6);
}

/* By a hundredth of a rad or two in some tenths of a second, the same whatever they carry. */
START_TEST(soles_roll_in_a_walk_and_rock_where_they_lie) {
  struct fixture *f = stand(ROBOT_MAX_SOLES, NOW - 100000000);
  const double rolls = wanders(f);
  ck_assert(rolls > 0.01 && rolls < 0.05);
  f->now.contact[0].share = 0.1;
  assert_near(wanders(f), rolls, 1e-12);
  f->filter.foot[0].landed_ns = LATELY; /* long enough, and it points where it did */
  const double lies = wanders(f);
  ck_assert(lies > 1e-3 && lies < 0.5 * rolls);
  f->filter.foot[0].turned = 0.02;
  assert_near(wanders(f), rolls, 1e-12);
}
END_TEST

START_TEST(soles_rock_under_who_moves_on_one_foot) {
  struct fixture *f = stand(ROBOT_MAX_SOLES, LONG_AGO);
  ck_assert(wanders(f) > 1e-3);
  f->now.rests = true;
  ck_assert_double_eq(wanders(f), 0.0);
  f->now.rests = false;
  f->now.contact[1].stands = true;
  ck_assert_double_eq(wanders(f), 0.0);
}
END_TEST

START_TEST(soles_that_know_what_the_gyro_does_not_are_held_the_more) {
  struct fixture *f = stand(ROBOT_MAX_SOLES, NOW - 100000000);
  const double rolls = wanders(f);
  f->filter.judge.triad[IMU_GYRO].convicted = true;
  const double refused = wanders(f);
  ck_assert(refused > 0.0 && refused < 0.5 * rolls);
}
END_TEST

/* Where a robot stands as the estimate begins it has not stepped, unless that leg moves. */
START_TEST(who_stands_as_the_estimate_begins_does_not_walk_unless_a_leg_swings) {
  static int parent[] = {-1, 0, 1, 0};
  double share[CONSIDERED_IMU];
  struct fixture *f = stand(ROBOT_MAX_SOLES, LATELY);
  f->robot.model.parent = parent;
  f->robot.foot[0].link = 2;
  f->robot.foot[1].link = 3;
  f->filter.foot[0].stepped = false;
  ck_assert(!teaches(f, share));
  f->x[f->filter.layout.dq + 2] = 1.0; /* of the other leg */
  ck_assert(!teaches(f, share));
  f->x[f->filter.layout.dq + 1] = 1.0;
  ck_assert(teaches(f, share));
}
END_TEST

/* Judges rows of what the ground under the first foot is off by, in deviations; two of its slope,
 * or one of its height. Writes whether they are heard. */
static struct joint_filter *judge(double off, bool slope, bool fresh, bool *heard) {
  struct fixture *f = stand(ROBOT_MAX_SOLES, LATELY);
  const size_t stride = matrix_stride(2);
  static double nu[2], noise[2], Pyy[2 * MATRIX_LANES] __attribute__((aligned(64)));
  struct foot_rows feet[ROBOT_MAX_FEET] = {{{0, 0}, {0, 0}, {0, 0}, {0, 0}}};
  const size_t count = slope ? 2 : 1;
  *(slope ? &feet[0].slope : &feet[0].height) = (struct row_group){0, count};
  for (size_t i = 0; i < 2; i++) {
    nu[i] = off;
    noise[i] = Pyy[i * (stride + 1)] = 1.0;
  }
  f->filter.rows = (struct row_update){
      .rows_max = 2, .rows = count, .taken = count, .nu = nu, .noise = noise, .Pyy = Pyy};
  f->filter.settings.base.foot_height = 1e-3;
  joint_feet_judge(&f->filter, &f->now, fresh, 1e-3, feet);
  *heard = noise[0] == 1.0;
  return &f->filter;
}

START_TEST(a_slope_is_judged_where_no_height_is_heard) {
  bool heard;
  judge(1.0, true, true, &heard);
  ck_assert(heard);
  judge(10.0, true, true, &heard);
  ck_assert(!heard);
}
END_TEST

/* By what is new of it, half at a time, and not by ground that is another. */
START_TEST(ground_that_was_off_its_height_is_uneven_until_it_is_not) {
  bool heard;
  assert_near(judge(2.0, false, true, &heard)->ground.uneven, 0.5 * 4e-6, 1e-12);
  ck_assert(heard);
  assert_near(judge(0.0, false, true, &heard)->ground.uneven, 0.0, 1e-12);
  assert_near(judge(2.0, false, false, &heard)->ground.uneven, 0.0, 1e-12);
  assert_near(judge(10.0, false, true, &heard)->ground.uneven, 0.0, 1e-12);
  ck_assert(!heard);
}
END_TEST

SUITE(the_normal_is_that_of_the_soles_that_stand,
      feet_that_stand_anew_have_told_of_their_ground_unless_they_land,
      soles_roll_in_a_walk_and_rock_where_they_lie, soles_rock_under_who_moves_on_one_foot,
      soles_that_know_what_the_gyro_does_not_are_held_the_more,
      who_stands_as_the_estimate_begins_does_not_walk_unless_a_leg_swings,
      feet_behind_a_joint_that_is_elsewhere_stand_anew_and_others_do_not,
      who_walks_on_points_learns_a_share_and_who_stands_all,
      a_bias_about_the_vertical_is_made_no_surer_than_points_creep,
      who_walks_on_soles_learns_less_than_legs_bend_and_the_floor_may_lean,
      the_vertical_is_that_of_an_imu_on_another_link,
      a_sole_of_who_walks_turns_the_easier_the_less_it_carries,
      a_slope_is_judged_where_no_height_is_heard,
      ground_that_was_off_its_height_is_uneven_until_it_is_not)
