#include "body/crba.h"

#include "support/dynamics_fixture.h"

#include <string.h>

static struct random rng;
static struct dynamics d;

static void setup(struct random_model_options options) {
  rng = random_from(test_seed());
  dynamics_of(&d, random_model(&rng, options));
  dynamics_randomize(&d, &rng);
}

/* Inverse dynamics at rest with one unit acceleration: a column of the mass matrix. */
static void column_by_rnea(size_t column, enum joint_drives drives, double *out) {
  double e[6] = {0.0}, ddq[MODEL_MAX_JOINTS] = {0.0};
  if (column < 6) {
    e[column] = 1.0;
  } else {
    ddq[column - 6] = 1.0;
  }
  const struct robot_motion motion = {
      .q = d.state.q, .ddq = ddq, .base.a_B = {vec3_from(e), vec3_from(e + 3)}};
  struct force base;
  ck_assert_int_eq(kinematics_update(&d.kin, &motion), STATUS_OK);
  ck_assert_int_eq(rnea_step(&d.rnea, &d.kin, d.model->inertia, NULL, drives, &base, out + 6),
                   STATUS_OK);
  for (size_t k = 0; k < 6; k++) {
    out[k] = force_entry(&base, k);
  }
}

START_TEST(columns_of_the_mass_matrix_are_torques_of_unit_accelerations) {
  for (size_t n = 0; n <= 36; n += 6) {
    setup((struct random_model_options){.n_joints = n, .losses = true});
    for (int drives = WITHOUT_DRIVES; drives <= WITH_DRIVES; drives++) {
      ck_assert_int_eq(crba_step(&d.crba, &d.kin, &d.composite, drives), STATUS_OK);
      for (size_t c = 0; c < n + 6; c++) {
        double column[MODEL_MAX_JOINTS + 6];
        column_by_rnea(c, drives, column);
        for (size_t r = 0; r < n + 6; r++) {
          assert_near(d.crba.M[r * d.crba.n + c], column[r], 1e-11);
        }
      }
    }
  }
}
END_TEST

START_TEST(half_of_velocity_times_mass_matrix_times_velocity_is_kinetic_energy) {
  setup((struct random_model_options){.n_joints = 25});
  double nu[31], energy = 0.0, by_matrix = 0.0;
  const struct motion *v = &d.state.motion.base.v_B;
  memcpy(nu, v, sizeof(*v));
  memcpy(nu + 6, d.state.dq, 25 * sizeof(double));
  for (size_t i = 0; i <= 25; i++) {
    const struct motion v_L = kinematics_v_L(&d.kin, i);
    const struct force momentum = inertia_apply(&d.model->inertia[i], &v_L);
    energy += 0.5 * motion_dot_force(&v_L, &momentum);
  }
  ck_assert_int_eq(crba_step(&d.crba, &d.kin, &d.composite, WITHOUT_DRIVES), STATUS_OK);
  for (size_t i = 0; i < 31; i++) {
    for (size_t k = 0; k < 31; k++) {
      by_matrix += 0.5 * nu[i] * d.crba.M[i * 31 + k] * nu[k];
    }
  }
  assert_near(by_matrix, energy, 1e-11 * energy);
}
END_TEST

/* M [a; ddq] + c = torques: what inverse dynamics says beyond the mass matrix depends on velocities
 * only. */
START_TEST(mass_matrix_and_velocity_torques_make_up_inverse_dynamics) {
  setup((struct random_model_options){.n_joints = 18});
  double tau[24], bias[24], nudot[24];
  struct force base;
  rnea_step(&d.rnea, &d.kin, d.model->inertia, NULL, WITHOUT_DRIVES, &base, tau + 6);
  memcpy(tau, &base, sizeof(base));
  ck_assert_int_eq(crba_step(&d.crba, &d.kin, &d.composite, WITHOUT_DRIVES), STATUS_OK);
  memcpy(nudot, &d.state.motion.base.a_B, sizeof(struct motion));
  memcpy(nudot + 6, d.state.ddq, 18 * sizeof(double));
  struct robot_motion coasting = d.state.motion;
  coasting.ddq = NULL;
  coasting.base.a_B = (struct motion){VEC3_ZERO, VEC3_ZERO};
  ck_assert_int_eq(kinematics_update(&d.kin, &coasting), STATUS_OK);
  rnea_step(&d.rnea, &d.kin, d.model->inertia, NULL, WITHOUT_DRIVES, &base, bias + 6);
  memcpy(bias, &base, sizeof(base));
  for (size_t i = 0; i < 24; i++) {
    double sum = bias[i];
    for (size_t k = 0; k < 24; k++) {
      sum += d.crba.M[i * 24 + k] * nudot[k];
    }
    assert_near(sum, tau[i], 1e-10 * (1.0 + fabs(tau[i])));
  }
}
END_TEST

START_TEST(inertias_seen_from_another_frame_and_back_are_the_same) {
  rng = random_from(test_seed());
  for (int i = 0; i < 100; i++) {
    const struct inertia I = random_inertia_near(&rng, random_vec3(&rng, 0.5));
    const struct pose X = {random_rotation(&rng), random_vec3(&rng, 1.0)};
    const struct pose inverse = pose_inverse(&X);
    const struct inertia there = inertia_transform(&X, &I);
    const struct inertia back = inertia_transform(&inverse, &there);
    const double *a = &I.m, *b = &back.m;
    for (int k = 0; k < 10; k++) {
      assert_near(a[k], b[k], 1e-13);
    }
    /* and give the same kinetic energy to the same motion */
    const struct motion v = {random_vec3(&rng, 2.0), random_vec3(&rng, 2.0)};
    const vec3 w = mat3_mul_vec3(&X.R, v.ang);
    const struct motion v_there = {w, vec3_sub(mat3_mul_vec3(&X.R, v.lin), vec3_cross(w, X.p))};
    const struct force p = inertia_apply(&I, &v), p_there = inertia_apply(&there, &v_there);
    assert_near(motion_dot_force(&v, &p), motion_dot_force(&v_there, &p_there), 1e-12);
  }
}
END_TEST

SUITE(columns_of_the_mass_matrix_are_torques_of_unit_accelerations,
      half_of_velocity_times_mass_matrix_times_velocity_is_kinetic_energy,
      mass_matrix_and_velocity_torques_make_up_inverse_dynamics,
      inertias_seen_from_another_frame_and_back_are_the_same)
