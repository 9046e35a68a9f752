#include "body/centroidal.h"

#include "support/dynamics_fixture.h"

#include <string.h>

enum { JOINTS = 16 };

static struct random rng;
static struct dynamics d;

static void setup(void) {
  rng = random_from(test_seed());
  dynamics_of(&d, random_model(&rng, (struct random_model_options){.n_joints = JOINTS}));
  dynamics_randomize(&d, &rng);
}

static struct centroidal step(void) {
  struct centroidal c;
  ck_assert_int_eq(centroidal_step(&d.kin, d.model->inertia, &c), STATUS_OK);
  return c;
}

/* A world at rest that agrees with the base frame now: the robot a moment later, seen from it.
 * Gravity is off, so that proper accelerations are derivatives of velocities. */
struct moment {
  struct pose X_WB;
  struct centroidal c;
};
static struct moment later(double dt) {
  const struct random_state now = d.state;
  const struct motion v = now.motion.base.v_B, a = now.motion.base.a_B;
  struct moment moment;
  moment.X_WB.p = vec3_axpy(vec3_scale(dt, v.lin), 0.5 * dt * dt, a.lin);
  moment.X_WB.R = mat3_from_quat(
      quat_from_rotation_vector(vec3_axpy(vec3_scale(dt, v.ang), 0.5 * dt * dt, a.ang)));
  for (size_t j = 0; j < JOINTS; j++) {
    d.state.q[j] += dt * now.dq[j] + 0.5 * dt * dt * now.ddq[j];
    d.state.dq[j] += dt * now.ddq[j];
  }
  const vec3 w_W = vec3_axpy(v.ang, dt, a.ang), v_W = vec3_axpy(v.lin, dt, a.lin);
  d.state.motion.base.v_B =
      (struct motion){mat3_tmul_vec3(&moment.X_WB.R, w_W), mat3_tmul_vec3(&moment.X_WB.R, v_W)};
  dynamics_refresh(&d);
  moment.c = step();
  memcpy(d.state.q, now.q, sizeof(now.q));
  memcpy(d.state.dq, now.dq, sizeof(now.dq));
  d.state.motion.base = now.motion.base;
  dynamics_refresh(&d);
  return moment;
}

static vec3 rate_of(double h, vec3 after, vec3 before) {
  return vec3_scale(0.5 / h, vec3_sub(after, before));
}

START_TEST(velocity_acceleration_and_momentum_rate_are_derivatives) {
  setup();
  for (int trial = 0; trial < 10; trial++) {
    dynamics_randomize(&d, &rng);
    const double h = 1e-5;
    const struct centroidal now = step();
    const struct moment after = later(h), before = later(-h);
    const vec3 v =
        rate_of(h, pose_apply(&after.X_WB, after.c.com), pose_apply(&before.X_WB, before.c.com));
    ck_assert_double_le(distance3(v, now.com_velocity), 1e-6);
    const vec3 a = rate_of(h, mat3_mul_vec3(&after.X_WB.R, after.c.com_velocity),
                           mat3_mul_vec3(&before.X_WB.R, before.c.com_velocity));
    ck_assert_double_le(distance3(a, now.com_acceleration), 1e-5);
    const vec3 rate = rate_of(h, mat3_mul_vec3(&after.X_WB.R, after.c.momentum.ang),
                              mat3_mul_vec3(&before.X_WB.R, before.c.momentum.ang));
    ck_assert_double_le(distance3(rate, now.rate.ang), 1e-4);
  }
}
END_TEST

START_TEST(the_rate_of_momentum_is_the_sum_of_external_forces) {
  setup();
  struct force external[JOINTS + 1];
  double tau[JOINTS];
  for (int i = 0; i <= JOINTS; i++) {
    external[i] = (struct force){random_vec3(&rng, 10.0), random_vec3(&rng, 80.0)};
  }
  for (int j = 0; j < JOINTS; j++) {
    tau[j] = random_uniform(&rng, -20.0, 20.0);
  }
  /* let the robot go under these forces, and ask for the momentum's rate of what it does */
  ck_assert_int_eq(aba_step(&d.aba, &d.kin, d.model->inertia, external, WITHOUT_DRIVES,
                            BASE_FLOATING, tau, &d.state.motion.base.a_B, d.state.ddq),
                   STATUS_OK);
  dynamics_refresh(&d);
  const struct centroidal c = step();
  struct force sum = {VEC3_ZERO, VEC3_ZERO};
  for (int i = 0; i <= JOINTS; i++) {
    const struct force f = force_to_base(&d.kin.X_BL[i], &external[i]);
    sum = force_add(&sum, &f);
  }
  sum.ang = vec3_sub(sum.ang, vec3_cross(c.com, sum.lin));
  ck_assert_double_le(distance6(&sum, &c.rate), 1e-9);
}
END_TEST

START_TEST(the_momentum_matrix_times_velocity_is_the_momentum) {
  setup();
  double A[6 * (6 + JOINTS)], nu[6 + JOINTS];
  ck_assert_int_eq(centroidal_matrix(&d.composite, A), STATUS_OK);
  memcpy(nu, &d.state.motion.base.v_B, sizeof(struct motion));
  memcpy(nu + 6, d.state.dq, JOINTS * sizeof(double));
  const struct centroidal c = step();
  for (size_t i = 0; i < 6; i++) {
    double sum = 0.0;
    for (size_t k = 0; k < 6 + JOINTS; k++) {
      sum += A[i * (6 + JOINTS) + k] * nu[k];
    }
    assert_near(sum, force_entry(&c.momentum, i), 1e-12);
  }
}
END_TEST

START_TEST(a_robot_that_turns_as_one_body_has_the_momentum_of_its_composite_inertia) {
  setup();
  memset(d.state.dq, 0, sizeof(d.state.dq));
  dynamics_refresh(&d);
  struct inertia I;
  ck_assert_int_eq(centroidal_inertia(&d.composite, &I), STATUS_OK);
  const struct centroidal c = step();
  const struct motion turning = {d.state.motion.base.v_B.ang, VEC3_ZERO};
  const struct force momentum = inertia_apply(&I, &turning);
  ck_assert_double_le(distance3(momentum.ang, c.momentum.ang), 1e-12);
  assert_near(I.m, model_mass(d.model), 1e-13);
}
END_TEST

START_TEST(the_centre_of_mass_from_positions_is_the_one_of_the_full_pass) {
  setup();
  const struct centroidal c = step();
  vec3 com;
  ck_assert_int_eq(kinematics_update_position(&d.kin, d.state.q), STATUS_OK);
  ck_assert_int_eq(centroidal_com(&d.kin, d.model->inertia, &com), STATUS_OK);
  ck_assert_double_le(distance3(com, c.com), 1e-14);
}
END_TEST

START_TEST(a_robot_without_mass_is_refused) {
  setup();
  struct inertia nothing[JOINTS + 1] = {0};
  struct centroidal c = {.mass = 7.0};
  vec3 com = {7.0, 7.0, 7.0};
  ck_assert_int_eq(centroidal_step(&d.kin, nothing, &c), STATUS_SINGULAR);
  ck_assert_int_eq(centroidal_com(&d.kin, nothing, &com), STATUS_SINGULAR);
  nothing[3].h.y = NAN;
  ck_assert_int_eq(centroidal_step(&d.kin, nothing, &c), STATUS_NOT_FINITE);
  ck_assert_double_eq(c.mass, 7.0);
  ck_assert_double_eq(com.y, 7.0);
}
END_TEST

SUITE(velocity_acceleration_and_momentum_rate_are_derivatives,
      the_rate_of_momentum_is_the_sum_of_external_forces,
      the_momentum_matrix_times_velocity_is_the_momentum,
      a_robot_that_turns_as_one_body_has_the_momentum_of_its_composite_inertia,
      the_centre_of_mass_from_positions_is_the_one_of_the_full_pass,
      a_robot_without_mass_is_refused)
