#include "centroidal/five_mass.h"

#include "body/centroidal.h"
#include "inertia/inertia.h"
#include "support/five_mass_fixture.h"

static struct five_robot r;

static void take(double t, struct five_mass *five, mat3 *R) {
  *R = five_move(&r, t);
  ck_assert_int_eq(five_mass_step(&r.model, &r.kin, five), STATUS_OK);
}

/* @eq Ficht23 1 */
START_TEST(a_leg_of_two_bars_has_its_mass_where_the_printed_equation_puts_it) {
  five_robot(&r, "humanoid18");
  const struct five_mass_limb *leg = &r.model.limb[0];
  const double a = 0.29, c = 0.29, bend = 0.7;
  for (size_t j = 0; j < r.stock.robot->model.n_joints; j++) {
    r.q[j] = 0.0;
  }
  r.q[model_find_joint(&r.stock.robot->model, "left_knee_joint")] = bend;
  const struct robot_motion motion = {.base = {.X_WB = POSE_IDENTITY}, .q = r.q};
  ck_assert_int_eq(kinematics_update(&r.kin, &motion), STATUS_OK);
  struct five_mass five;
  ck_assert_int_eq(five_mass_step(&r.model, &r.kin, &five), STATUS_OK);
  const vec3 T = vec3_sub(five.m[1], r.kin.X_BL[leg->o.link].p);
  assert_near(T.x, -a * leg->p_l * leg->p_s * sin(bend), 1e-12);
  assert_near(T.y, 0.0, 1e-12);
  assert_near(T.z, -(a * leg->p_l * leg->p_s * cos(bend) + c * leg->p_l), 1e-12);
}
END_TEST

/* @eq Ficht23 2 */
START_TEST(the_jacobian_times_the_joint_velocities_is_the_velocity_of_the_mass) {
  static double J[3 * (6 + MODEL_MAX_JOINTS)];
  five_robot(&r, "humanoid30");
  const size_t n = r.stock.robot->model.n_joints, columns = 6 + n;
  for (int trial = 0; trial < 20; trial++) {
    struct five_mass five;
    mat3 R;
    take(0.17 * trial, &five, &R);
    for (size_t i = 0; i < r.model.n_limbs; i++) {
      ck_assert_int_eq(five_mass_jacobian(&r.model, &r.kin, i, J), STATUS_OK);
      double v[3];
      for (size_t row = 0; row < 3; row++) {
        v[row] = J[row * columns + 2] * r.kin.base.v_B.ang.z;
        for (size_t j = 0; j < n; j++) {
          v[row] += J[row * columns + 6 + j] * r.dq[j];
        }
      }
      must_be_near_vec3(vec3_from(v), five.v[i + 1], 1e-12);
      const vec3 turned = vec3_cross(r.kin.base.v_B.ang, five.m[i + 1]);
      const vec3 relative = five_mass_limb_velocity(&r.model, &r.kin, i, r.dq);
      must_be_near_vec3(vec3_add(relative, turned), five.v[i + 1], 1e-12);
    }
  }
}
END_TEST

START_TEST(velocity_and_acceleration_are_the_derivatives_of_the_position_in_the_world) {
  const double h = 1e-4;
  five_robot(&r, "humanoid30");
  for (int trial = 0; trial < 10; trial++) {
    struct five_mass before, now, after;
    mat3 R0, R1, R2;
    take(0.3 * trial - h, &before, &R0);
    take(0.3 * trial + h, &after, &R2);
    take(0.3 * trial, &now, &R1);
    for (size_t i = 0; i < now.n; i++) {
      const vec3 m0 = mat3_mul_vec3(&R0, before.m[i]), m1 = mat3_mul_vec3(&R1, now.m[i]),
                 m2 = mat3_mul_vec3(&R2, after.m[i]);
      const vec3 v = vec3_scale(0.5 / h, vec3_sub(m2, m0));
      const vec3 a = vec3_scale(1.0 / (h * h), vec3_add(vec3_sub(m2, m1), vec3_sub(m0, m1)));
      must_be_near_vec3(mat3_mul_vec3(&R1, now.v[i]), v, 2e-5);
      must_be_near_vec3(mat3_mul_vec3(&R1, now.a[i]), a, 2e-3);
    }
  }
}
END_TEST

/* @eq Ficht23 3 */
START_TEST(the_common_centre_moves_as_the_weighted_mean) {
  five_robot(&r, "humanoid30");
  struct five_mass five;
  mat3 R;
  take(0.4, &five, &R);
  vec3 moment = VEC3_ZERO, change = VEC3_ZERO;
  for (size_t i = 0; i < five.n; i++) {
    moment = vec3_axpy(moment, five.w[i], vec3_sub(five.m[i], five.com));
    change = vec3_axpy(change, five.w[i], vec3_sub(five.a[i], five.com_acceleration));
  }
  must_be_near_vec3(moment, VEC3_ZERO, 1e-12);
  must_be_near_vec3(change, VEC3_ZERO, 1e-10);
  assert_near(five.total, model_mass(&r.stock.robot->model), 1e-9);
}
END_TEST

/* @eq Ficht23 4 */
START_TEST(the_principal_moments_are_those_of_the_inertia_turned_into_its_axes) {
  five_robot(&r, "humanoid30");
  struct five_mass five;
  mat3 R, R_WI;
  take(0.9, &five, &R);
  ck_assert_int_eq(five_mass_orientation(&r.model, five.m, (vec3){0.0, 1.0, 0.0}, &R_WI),
                   STATUS_OK);
  const vec3 moments = five_mass_moments(&five.inertia, &R_WI);
  const mat3 back = mat3_transpose(&R_WI), half = mat3_mul(&back, &five.inertia),
             I = mat3_mul(&half, &R_WI);
  must_be_near_vec3(moments, ((vec3){I.m[0][0], I.m[1][1], I.m[2][2]}), 1e-12);
  assert_near(moments.x + moments.y + moments.z,
              five.inertia.m[0][0] + five.inertia.m[1][1] + five.inertia.m[2][2], 1e-10);
  ck_assert_double_gt(moments.x,
                      moments.z); /* a standing body turns most easily about its length */
}
END_TEST

static void rotate(const mat3 *R, const vec3 *m, size_t n, vec3 *out) {
  for (size_t i = 0; i < n; i++) {
    out[i] = mat3_mul_vec3(R, m[i]);
  }
}

/* @eq Ficht23 5 */
START_TEST(the_orientation_turns_with_the_robot_and_its_z_goes_from_legs_to_upper_body) {
  five_robot(&r, "humanoid30");
  struct five_mass five;
  mat3 R, R_WI, R_turned;
  take(0.2, &five, &R);
  ck_assert_int_eq(five_mass_orientation(&r.model, five.m, (vec3){0.0, 1.0, 0.0}, &R_WI),
                   STATUS_OK);
  const vec3 lower = vec3_scale(0.5, vec3_add(five.m[1], five.m[2])); /* legs weigh the same */
  const double w = five.w[0] + five.w[3] + five.w[4];
  vec3 upper = vec3_scale(five.w[0] / w, five.m[0]);
  upper = vec3_axpy(upper, five.w[3] / w, five.m[3]);
  upper = vec3_axpy(upper, five.w[4] / w, five.m[4]);
  const vec3 axis = vec3_sub(upper, lower);
  const vec3 z = {R_WI.m[0][2], R_WI.m[1][2], R_WI.m[2][2]};
  must_be_near_vec3(z, vec3_scale(1.0 / vec3_norm(axis), axis), 1e-12);
  for (double yaw = -3.1; yaw < 3.2; yaw += 0.31) {
    const mat3 turn = mat3_from_rpy((vec3){0.0, 0.0, yaw}), expected = mat3_mul(&turn, &R_WI);
    vec3 m[FIVE_MASS_MOST];
    rotate(&turn, five.m, five.n, m);
    ck_assert_int_eq(five_mass_orientation(&r.model, m, VEC3_ZERO, &R_turned), STATUS_OK);
    for (int i = 0; i < 9; i++) {
      must_be_near(R_turned.m[i / 3][i % 3], expected.m[i / 3][i % 3], 1e-12);
    }
  }
}
END_TEST

START_TEST(the_orientation_is_continuous_while_limbs_swing) {
  five_robot(&r, "humanoid30");
  r.amplitude = 0.2; /* legs that cross have no yaw */
  mat3 last = MAT3_IDENTITY;
  for (int step = 0; step < 40000; step++) {
    struct five_mass five;
    mat3 R, R_WI;
    take(1e-4 * step, &five, &R);
    ck_assert_int_eq(five_mass_orientation(&r.model, five.m, (vec3){0.0, 1.0, 0.0}, &R_WI),
                     STATUS_OK);
    for (int i = 0; i < 9 && step > 0; i++) {
      must_be_near(R_WI.m[i / 3][i % 3], last.m[i / 3][i % 3], 0.003);
    }
    last = R_WI;
  }
}
END_TEST

START_TEST(without_arms_the_torso_gives_the_yaw_and_without_legs_there_is_no_orientation) {
  five_robot(&r, "humanoid30");
  struct five_mass five;
  mat3 R, R_WI = MAT3_IDENTITY;
  take(0.2, &five, &R);
  struct five_mass_model no_arms = r.model, no_legs = r.model;
  no_arms.n_limbs = 2;
  no_legs.limb[0] = no_legs.limb[2];
  no_legs.limb[1] = no_legs.limb[3];
  no_legs.n_limbs = 2;
  ck_assert_int_eq(five_mass_orientation(&no_arms, five.m, (vec3){0.0, 1.0, 0.0}, &R_WI),
                   STATUS_OK);
  const vec3 z = {R_WI.m[0][2], R_WI.m[1][2], R_WI.m[2][2]};
  ck_assert_int_eq(five_mass_orientation(&no_arms, five.m, z, &R_WI), STATUS_SINGULAR);
  ck_assert_int_eq(five_mass_orientation(&no_legs, five.m, (vec3){0.0, 1.0, 0.0}, &R_WI),
                   STATUS_SINGULAR);
  ck_assert_int_eq(five_mass_step(&no_arms, &r.kin, &five), STATUS_OK);
  ck_assert_int_eq((int)five.n, 3);
}
END_TEST

START_TEST(a_body_that_turns_as_one_has_the_momentum_of_its_inertia) {
  five_robot(&r, "humanoid30");
  five_move(&r, 0.6);
  const struct robot_motion motion = {
      .base = {.X_WB = POSE_IDENTITY, .v_B = {{0.3, -0.7, 0.4}, VEC3_ZERO}}, .q = r.q};
  struct five_mass five;
  ck_assert_int_eq(kinematics_update(&r.kin, &motion), STATUS_OK);
  ck_assert_int_eq(five_mass_step(&r.model, &r.kin, &five), STATUS_OK);
  const vec3 L = mat3_mul_vec3(&five.inertia, motion.base.v_B.ang);
  must_be_near_vec3(five.momentum, L, 1e-10);
}
END_TEST

SUITE(a_leg_of_two_bars_has_its_mass_where_the_printed_equation_puts_it,
      the_jacobian_times_the_joint_velocities_is_the_velocity_of_the_mass,
      velocity_and_acceleration_are_the_derivatives_of_the_position_in_the_world,
      the_common_centre_moves_as_the_weighted_mean,
      the_principal_moments_are_those_of_the_inertia_turned_into_its_axes,
      the_orientation_turns_with_the_robot_and_its_z_goes_from_legs_to_upper_body,
      the_orientation_is_continuous_while_limbs_swing,
      without_arms_the_torso_gives_the_yaw_and_without_legs_there_is_no_orientation,
      a_body_that_turns_as_one_has_the_momentum_of_its_inertia)
