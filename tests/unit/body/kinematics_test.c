#include "body/kinematics.h"

#include "support/random_model.h"

#include <stdlib.h>
#include <string.h>

static struct random rng;

static struct kinematics kinematics_of(const struct model *model) {
  struct kinematics kin;
  struct arena count = {0};
  ck_assert_int_eq(kinematics_init(&kin, model, &count), STATUS_OK);
  struct arena arena = test_arena(count.used);
  ck_assert_int_eq(kinematics_init(&kin, model, &arena), STATUS_OK);
  ck_assert_uint_eq(arena.used, count.used);
  return kin;
}

static struct model *tree(size_t n) {
  return random_model(&rng, (struct random_model_options){.n_joints = n});
}

static double distance(vec3 a, vec3 b) {
  return vec3_norm(vec3_sub(a, b));
}

/* The pose of a link by multiplying poses along the path, an independent route. */
static struct pose pose_by_product(const struct model *model, const double *q, int link) {
  struct pose X = POSE_IDENTITY;
  for (int i = link; i > 0; i = model->parent[i]) {
    const struct joint *joint = &model->joint[i - 1];
    const bool slides = joint->type == JOINT_PRISMATIC;
    const struct pose by_joint = {slides ? MAT3_IDENTITY
                                         : mat3_from_axis_angle(joint->axis, q[i - 1]),
                                  slides ? vec3_scale(q[i - 1], joint->axis) : VEC3_ZERO};
    const struct pose X_PL = pose_mul(&joint->placement, &by_joint);
    X = pose_mul(&X_PL, &X);
  }
  return X;
}

START_TEST(a_links_pose_is_the_product_of_the_joints_on_its_path) {
  rng = random_from(test_seed());
  for (size_t n = 1; n < 40; n += 3) {
    struct model *model = tree(n);
    struct kinematics kin = kinematics_of(model);
    struct random_state state;
    random_state(&rng, model, &state);
    ck_assert_int_eq(kinematics_update_position(&kin, state.q), STATUS_OK);
    for (int i = 0; i <= (int)n; i++) {
      const struct pose X = pose_by_product(model, state.q, i);
      ck_assert_double_le(distance(X.p, kin.X_BL[i].p), 1e-13);
      for (int k = 0; k < 9; k++) {
        assert_near(X.R.m[k / 3][k % 3], kin.X_BL[i].R.m[k / 3][k % 3], 1e-13);
      }
    }
  }
}
END_TEST

/* Moves the whole robot by dt along its motion, third order and up left out: joints exactly, the
 * base by its body-frame twist and its derivative. Returns the base's pose in the frame where it
 * stood. */
static struct pose move(const struct model *model, const struct random_state *state, double dt,
                        double *q) {
  for (size_t j = 0; j < model->n_joints; j++) {
    q[j] = state->q[j] + dt * state->dq[j] + 0.5 * dt * dt * state->ddq[j];
  }
  const struct motion *v = &state->motion.base.v_B, *a = &state->motion.base.a_B;
  struct pose X;
  X.p = vec3_axpy(vec3_scale(dt, v->lin), 0.5 * dt * dt, a->lin);
  /* a rotation whose rate is omega and whose acceleration alpha at t = 0 */
  const mat3 R = mat3_from_quat(
      quat_from_rotation_vector(vec3_axpy(vec3_scale(dt, v->ang), 0.5 * dt * dt, a->ang)));
  X.R = R;
  return X;
}

/* Position of a point fixed to a link and the link's orientation, in the frame where the base stood
 * at dt = 0. */
static struct pose moved_link(struct kinematics *kin, const struct random_state *state, double dt,
                              int link) {
  double q[MODEL_MAX_JOINTS];
  const struct pose X = move(kin->model, state, dt, q);
  ck_assert_int_eq(kinematics_update_position(kin, q), STATUS_OK);
  return pose_mul(&X, &kin->X_BL[link]);
}

/* @eq Leboutet22 141, 142 */
START_TEST(velocity_and_acceleration_are_the_derivatives_of_the_pose) {
  rng = random_from(test_seed());
  const double h = 1e-4;
  for (int trial = 0; trial < 10; trial++) {
    struct model *model = tree(8);
    struct kinematics kin = kinematics_of(model), moved = kinematics_of(model);
    struct random_state state;
    random_state(&rng, model, &state);
    ck_assert_int_eq(kinematics_update(&kin, &state.motion), STATUS_OK);
    for (int i = 0; i <= 8; i++) {
      const struct pose before = moved_link(&moved, &state, -h, i), now = kin.X_BL[i],
                        after = moved_link(&moved, &state, h, i);
      const vec3 v = vec3_scale(0.5 / h, vec3_sub(after.p, before.p));
      const vec3 a =
          vec3_scale(1.0 / (h * h), vec3_add(vec3_sub(after.p, now.p), vec3_sub(before.p, now.p)));
      ck_assert_double_le(distance(v, kinematics_v_B(&kin, i).lin), 1e-4);
      ck_assert_double_le(distance(a, kinematics_a_B(&kin, i).lin), 1e-3);

      /* the rotation vectors to both sides: their difference is the velocity, their sum the
       * acceleration */
      const mat3 Rt = mat3_transpose(&now.R);
      const mat3 forth = mat3_mul(&after.R, &Rt), back = mat3_mul(&before.R, &Rt);
      const vec3 phi = quat_to_rotation_vector(quat_from_mat3(&forth));
      const vec3 psi = quat_to_rotation_vector(quat_from_mat3(&back));
      ck_assert_double_le(
          distance(vec3_scale(0.5 / h, vec3_sub(phi, psi)), kinematics_v_B(&kin, i).ang), 1e-4);
      ck_assert_double_le(
          distance(vec3_scale(1.0 / (h * h), vec3_add(phi, psi)), kinematics_a_B(&kin, i).ang),
          1e-3);
    }
  }
}
END_TEST

START_TEST(link_coordinates_are_base_coordinates_turned_into_the_link) {
  rng = random_from(test_seed());
  struct model *model = tree(20);
  struct kinematics kin = kinematics_of(model);
  struct random_state state;
  random_state(&rng, model, &state);
  ck_assert_int_eq(kinematics_update(&kin, &state.motion), STATUS_OK);
  for (size_t i = 0; i < model->n_links; i++) {
    const mat3 *R = &kin.X_BL[i].R;
    ck_assert_double_le(
        distance(mat3_mul_vec3(R, kinematics_v_L(&kin, i).ang), kinematics_v_B(&kin, i).ang),
        1e-12);
    ck_assert_double_le(
        distance(mat3_mul_vec3(R, kinematics_v_L(&kin, i).lin), kinematics_v_B(&kin, i).lin),
        1e-12);
    ck_assert_double_le(
        distance(mat3_mul_vec3(R, kinematics_a_L(&kin, i).ang), kinematics_a_B(&kin, i).ang),
        1e-11);
    ck_assert_double_le(
        distance(mat3_mul_vec3(R, kinematics_a_L(&kin, i).lin), kinematics_a_B(&kin, i).lin),
        1e-11);
  }
}
END_TEST

START_TEST(a_robot_at_rest_feels_gravity_and_nothing_else) {
  rng = random_from(test_seed());
  struct model *model = tree(12);
  struct kinematics kin = kinematics_of(model);
  struct random_state state;
  random_state(&rng, model, &state);
  const vec3 up = {0.0, 0.0, STANDARD_GRAVITY};
  const struct robot_motion rest = {.q = state.q,
                                    .base = {.X_WB = POSE_IDENTITY, .a_B = {VEC3_ZERO, up}}};
  ck_assert_int_eq(kinematics_update(&kin, &rest), STATUS_OK);
  for (size_t i = 0; i < model->n_links; i++) {
    ck_assert_double_le(distance(kinematics_a_B(&kin, i).lin, up), 1e-14);
    ck_assert_double_le(
        vec3_norm(kinematics_v_B(&kin, i).lin) + vec3_norm(kinematics_a_B(&kin, i).ang), 0.0);
  }
}
END_TEST

START_TEST(bad_motion_is_refused_and_results_are_untouched) {
  rng = random_from(test_seed());
  struct model *model = tree(9);
  struct kinematics kin = kinematics_of(model);
  struct random_state state;
  random_state(&rng, model, &state);
  ck_assert_int_eq(kinematics_update(&kin, &state.motion), STATUS_OK);
  const struct kinematics before = kin;
  static struct link_lanes link[10];
  memcpy(link, kin.link, sizeof(link));
  double *const entries[] = {&state.q[0],
                             &state.q[8],
                             &state.dq[4],
                             &state.ddq[8],
                             &state.motion.base.v_B.ang.y,
                             &state.motion.base.a_B.lin.z,
                             &state.motion.base.X_WB.p.x};
  for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
    const double good = *entries[i];
    *entries[i] = NAN;
    ck_assert_int_eq(kinematics_update(&kin, &state.motion), STATUS_NOT_FINITE);
    *entries[i] = -INFINITY;
    ck_assert_int_eq(kinematics_update(&kin, &state.motion), STATUS_NOT_FINITE);
    *entries[i] = -1e200;
    ck_assert_int_eq(kinematics_update(&kin, &state.motion), STATUS_OUT_OF_RANGE);
    const bool is_position = i < 2 || entries[i] == &state.motion.base.X_WB.p.x;
    *entries[i] = 1.001 * (is_position ? MOTION_LIMIT_Q : MOTION_LIMIT_RATE);
    ck_assert_int_eq(kinematics_update(&kin, &state.motion), STATUS_OUT_OF_RANGE);
    *entries[i] = good;
  }
  state.q[3] = NAN;
  ck_assert_int_eq(kinematics_update_position(&kin, state.q), STATUS_NOT_FINITE);
  ck_assert_int_eq(kinematics_update_position(&kin, NULL), STATUS_BAD_ARGUMENT);
  ck_assert_int_eq(memcmp(&before, &kin, sizeof(kin)), 0);
  ck_assert_int_eq(memcmp(link, kin.link, sizeof(link)), 0);
}
END_TEST

START_TEST(an_arena_one_byte_short_is_refused) {
  rng = random_from(test_seed());
  struct model *model = tree(5);
  struct kinematics kin;
  struct arena count = {0};
  ck_assert_int_eq(kinematics_init(&kin, model, &count), STATUS_OK);
  struct arena arena = test_arena(count.used);
  arena.capacity = count.used - 1;
  ck_assert_int_eq(kinematics_init(&kin, model, &arena), STATUS_NO_MEMORY);
}
END_TEST

SUITE(a_links_pose_is_the_product_of_the_joints_on_its_path,
      velocity_and_acceleration_are_the_derivatives_of_the_pose,
      link_coordinates_are_base_coordinates_turned_into_the_link,
      a_robot_at_rest_feels_gravity_and_nothing_else,
      bad_motion_is_refused_and_results_are_untouched, an_arena_one_byte_short_is_refused)
