#include "body/aba.h"

#include "support/dynamics_fixture.h"

#include <string.h>

static struct random rng;
static struct dynamics d;

static const struct random_model_options bodies[] = {
    {.n_joints = 0},
    {.n_joints = 1},
    {.n_joints = 6, .chain = true},
    {.n_joints = 12, .losses = true},
    {.n_joints = 30, .axis_only = true, .no_slides = true, .losses = true},
    {.n_joints = 60, .losses = true},
};
enum { BODIES = sizeof(bodies) / sizeof(bodies[0]) };

static void forces_on_links(struct force *external, size_t n_links) {
  for (size_t i = 0; i < n_links; i++) {
    external[i] = (struct force){random_vec3(&rng, 10.0), random_vec3(&rng, 50.0)};
  }
}

static double size_of(const double *x, size_t n) {
  double size = 1.0;
  for (size_t j = 0; j < n; j++) {
    size = fmax(size, fabs(x[j]));
  }
  return size;
}

START_TEST(forward_dynamics_of_a_floating_robot_inverts_inverse_dynamics) {
  rng = random_from(test_seed());
  for (int b = 0; b < BODIES; b++) {
    dynamics_of(&d, random_model(&rng, bodies[b]));
    for (int trial = 0; trial < 10; trial++) {
      dynamics_randomize(&d, &rng);
      struct force base, external[MODEL_MAX_JOINTS + 1];
      double tau[MODEL_MAX_JOINTS], ddq[MODEL_MAX_JOINTS];
      struct motion a_B;
      forces_on_links(external, d.n + 1);
      ck_assert_int_eq(
          rnea_step(&d.rnea, &d.kin, d.model->inertia, external, WITH_DRIVES, &base, tau),
          STATUS_OK);
      external[0] = force_add(&external[0], &base); /* the base link's frame is the base frame */
      ck_assert_int_eq(aba_step(&d.aba, &d.kin, d.model->inertia, external, WITH_DRIVES,
                                BASE_FLOATING, tau, &a_B, ddq),
                       STATUS_OK);
      const double tolerance = 1e-11 * size_of(tau, d.n);
      const struct motion *truth = &d.state.motion.base.a_B;
      ck_assert_double_le(distance3(a_B.ang, truth->ang) + distance3(a_B.lin, truth->lin),
                          tolerance);
      for (size_t j = 0; j < d.n; j++) {
        assert_near(ddq[j], d.state.ddq[j], tolerance);
      }
    }
  }
}
END_TEST

START_TEST(forward_dynamics_on_a_given_base_motion_inverts_inverse_dynamics) {
  rng = random_from(test_seed());
  for (int b = 0; b < BODIES; b++) {
    dynamics_of(&d, random_model(&rng, bodies[b]));
    dynamics_randomize(&d, &rng);
    double tau[MODEL_MAX_JOINTS], ddq[MODEL_MAX_JOINTS];
    ck_assert_int_eq(rnea_step(&d.rnea, &d.kin, d.model->inertia, NULL, WITH_DRIVES, NULL, tau),
                     STATUS_OK);
    ck_assert_int_eq(
        aba_step(&d.aba, &d.kin, d.model->inertia, NULL, WITH_DRIVES, BASE_FIXED, tau, NULL, ddq),
        STATUS_OK);
    for (size_t j = 0; j < d.n; j++) {
      assert_near(ddq[j], d.state.ddq[j], 1e-11 * size_of(tau, d.n));
    }
  }
}
END_TEST

START_TEST(a_base_of_immense_mass_is_a_fixed_base) {
  rng = random_from(test_seed());
  dynamics_of(&d, random_model(&rng, (struct random_model_options){.n_joints = 8}));
  dynamics_randomize(&d, &rng);
  d.state.motion.base.v_B.ang = VEC3_ZERO;
  d.state.motion.base.a_B =
      (struct motion){VEC3_ZERO, VEC3_ZERO}; /* falls freely, and so does its robot */
  dynamics_refresh(&d);
  double tau[8], fixed[8], floating[8];
  for (int j = 0; j < 8; j++) {
    tau[j] = random_uniform(&rng, -5.0, 5.0);
  }
  struct motion a_B;
  ck_assert_int_eq(aba_step(&d.aba, &d.kin, d.model->inertia, NULL, WITHOUT_DRIVES, BASE_FIXED, tau,
                            &a_B, fixed),
                   STATUS_OK);
  d.model->inertia[0] = (struct inertia){.m = 1e9, .Ixx = 1e9, .Iyy = 1e9, .Izz = 1e9};
  dynamics_refresh(&d);
  ck_assert_int_eq(aba_step(&d.aba, &d.kin, d.model->inertia, NULL, WITHOUT_DRIVES, BASE_FLOATING,
                            tau, &a_B, floating),
                   STATUS_OK);
  ck_assert_double_le(vec3_norm(a_B.ang) + vec3_norm(a_B.lin), 1e-5);
  for (int j = 0; j < 8; j++) {
    assert_near(fixed[j], floating[j], 1e-5 * (1.0 + fabs(fixed[j])));
  }
}
END_TEST

START_TEST(a_joint_that_nothing_resists_is_named_singular_and_outputs_are_untouched) {
  rng = random_from(test_seed());
  dynamics_of(&d, random_model(&rng, (struct random_model_options){.n_joints = 4, .chain = true}));
  d.model->inertia[4] = (struct inertia){0};
  dynamics_randomize(&d, &rng);
  double tau[4] = {0.0}, ddq[4] = {7.0, 7.0, 7.0, 7.0};
  struct motion a_B = {{7.0, 7.0, 7.0}, {7.0, 7.0, 7.0}};
  ck_assert_int_eq(aba_step(&d.aba, &d.kin, d.model->inertia, NULL, WITHOUT_DRIVES, BASE_FLOATING,
                            tau, &a_B, ddq),
                   STATUS_SINGULAR);
  ck_assert_int_eq(
      aba_step(&d.aba, &d.kin, d.model->inertia, NULL, WITHOUT_DRIVES, BASE_FIXED, tau, &a_B, ddq),
      STATUS_SINGULAR);
  tau[2] = NAN;
  ck_assert_int_eq(aba_step(&d.aba, &d.kin, d.model->inertia, NULL, WITHOUT_DRIVES, BASE_FLOATING,
                            tau, &a_B, ddq),
                   STATUS_NOT_FINITE);
  for (int j = 0; j < 4; j++) {
    ck_assert_double_eq(ddq[j], 7.0);
  }
  ck_assert_double_eq(a_B.ang.x + a_B.lin.z, 14.0);
}
END_TEST

START_TEST(a_floating_body_without_mass_is_named_singular) {
  rng = random_from(test_seed());
  dynamics_of(&d, random_model(&rng, (struct random_model_options){.n_joints = 0}));
  d.model->inertia[0] = (struct inertia){0};
  dynamics_randomize(&d, &rng);
  struct motion a_B = {{7.0, 7.0, 7.0}, {7.0, 7.0, 7.0}};
  double tau[1] = {0.0}, ddq[1];
  ck_assert_int_eq(aba_step(&d.aba, &d.kin, d.model->inertia, NULL, WITHOUT_DRIVES, BASE_FLOATING,
                            tau, &a_B, ddq),
                   STATUS_SINGULAR);
  ck_assert_double_eq(a_B.ang.x + a_B.lin.z, 14.0);
}
END_TEST

SUITE(a_floating_body_without_mass_is_named_singular,
      forward_dynamics_of_a_floating_robot_inverts_inverse_dynamics,
      forward_dynamics_on_a_given_base_motion_inverts_inverse_dynamics,
      a_base_of_immense_mass_is_a_fixed_base,
      a_joint_that_nothing_resists_is_named_singular_and_outputs_are_untouched)
