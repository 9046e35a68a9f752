/* Every algorithm over the tree against MuJoCo, on random trees and on our own robots, in random
 * states, to 1e-8. */
#include "body/regressor.h"
#include "support/dynamics_fixture.h"
#include "support/mujoco_robot.h"

#include <stdio.h>
#include <string.h>

static struct random rng;
static struct dynamics d;
static struct mujoco_robot mujoco;

enum { STATES = 8, MODELS = 8 };
#define TOLERANCE 1e-8 /* of a quantity of size 1; larger ones relative to their size */

/* Random trees of growing size, then our robots. */
static struct model *model_number(int i) {
  const char *const robots[] = {"humanoid30", "humanoid18", "tx40", "chain9"};
  if (i >= MODELS) {
    return model_of_robot(robots[i - MODELS]);
  }
  return random_model(&rng, (struct random_model_options){.n_joints = 1 + 5 * (size_t)i,
                                                          .chain = i % 3 == 0,
                                                          .losses = true});
}

static void no_coulomb(struct model *model) { /* MuJoCo treats dry friction as a constraint */
  for (size_t j = 0; j < model->n_joints; j++) {
    model->joint[j].coulomb = 0.0;
  }
}

/* A check of the state that both sides are in. */
typedef void state_check(void);

static void for_every_state(struct model *model, state_check *check) {
  no_coulomb(model);
  dynamics_of(&d, model);
  mujoco_from_model(&mujoco, model, true, true);
  for (int k = 0; k < STATES; k++) {
    dynamics_randomize(&d, &rng);
    mujoco_set(&mujoco, &d.state.motion);
    check();
  }
  mj_deleteData(mujoco.d);
  mj_deleteModel(mujoco.m);
}

static void for_every_model_and_state(state_check *check) {
  rng = random_from(test_seed());
  for (int i = 0; i < MODELS + 4; i++) {
    for_every_state(model_number(i), check);
  }
}

static void assert_same3(vec3 ours, vec3 theirs) {
  ck_assert_double_le(distance3(ours, theirs), TOLERANCE * (1.0 + vec3_norm(theirs)));
}
static void assert_same(double ours, double theirs) {
  assert_near(ours, theirs, TOLERANCE * (1.0 + fabs(theirs)));
}

static void check_kinematics(void) {
  mj_inverse(mujoco.m, mujoco.d);
  mj_rnePostConstraint(mujoco.m, mujoco.d);
  for (size_t i = 0; i <= d.n; i++) {
    const struct pose theirs = mujoco_pose(&mujoco, i);
    const struct pose ours = pose_mul(&d.state.motion.base.X_WB, &d.kin.X_BL[i]);
    const struct motion v = mujoco_velocity(&mujoco, i), a = mujoco_acceleration(&mujoco, i);
    assert_same3(ours.p, theirs.p);
    for (int k = 0; k < 9; k++) {
      assert_same(ours.R.m[k / 3][k % 3], theirs.R.m[k / 3][k % 3]);
    }
    assert_same3(kinematics_v_L(&d.kin, i).ang, v.ang);
    assert_same3(kinematics_v_L(&d.kin, i).lin, v.lin);
    assert_same3(kinematics_a_L(&d.kin, i).ang, a.ang);
    assert_same3(kinematics_a_L(&d.kin, i).lin, a.lin);
  }
}
START_TEST(poses_velocities_and_accelerations_agree_with_mujoco) {
  for_every_model_and_state(check_kinematics);
}
END_TEST

static void check_inverse(void) {
  struct force base, base_theirs;
  double tau[MODEL_MAX_JOINTS], theirs[MODEL_MAX_JOINTS];
  mj_inverse(mujoco.m, mujoco.d);
  mujoco_forces(&mujoco, mujoco.d->qfrc_inverse, &base_theirs, theirs);
  ck_assert_int_eq(rnea_step(&d.rnea, &d.kin, d.model->inertia, NULL, WITH_DRIVES, &base, tau),
                   STATUS_OK);
  assert_same3(base.ang, base_theirs.ang);
  assert_same3(base.lin, base_theirs.lin);
  for (size_t j = 0; j < d.n; j++) {
    assert_same(tau[j], theirs[j]);
  }
}
START_TEST(inverse_dynamics_agrees_with_mujoco) {
  for_every_model_and_state(check_inverse);
}
END_TEST

static void check_forward(void) {
  struct motion a_B;
  double tau[MODEL_MAX_JOINTS], ddq[MODEL_MAX_JOINTS];
  for (size_t j = 0; j < d.n; j++) {
    tau[j] = random_uniform(&rng, -30.0, 30.0);
    mujoco.d->qfrc_applied[mujoco.dof[j]] = tau[j];
  }
  mj_forward(mujoco.m, mujoco.d);
  ck_assert_int_eq(
      aba_step(&d.aba, &d.kin, d.model->inertia, NULL, WITH_DRIVES, BASE_FLOATING, tau, &a_B, ddq),
      STATUS_OK);
  const mat3 *R = &d.state.motion.base.X_WB.R;
  const vec3 g = {0.0, 0.0, -STANDARD_GRAVITY};
  assert_same3(a_B.ang, vec3_from(mujoco.d->qacc + 3));
  assert_same3(vec3_add(mat3_mul_vec3(R, a_B.lin), g), vec3_from(mujoco.d->qacc));
  for (size_t j = 0; j < d.n; j++) {
    assert_same(ddq[j], mujoco.d->qacc[mujoco.dof[j]]);
  }
}
START_TEST(forward_dynamics_agrees_with_mujoco) {
  for_every_model_and_state(check_forward);
}
END_TEST

static void check_mass_matrix(void) {
  const size_t nv = (size_t)mujoco.m->nv, n = 6 + d.n;
  static mjtNum M[(6 + MODEL_MAX_JOINTS) * (6 + MODEL_MAX_JOINTS)];
  mj_inverse(mujoco.m, mujoco.d);
  mj_fullM(mujoco.m, M, mujoco.d->qM);
  ck_assert_int_eq(crba_step(&d.crba, &d.kin, &d.composite, WITH_DRIVES), STATUS_OK);
  for (size_t j = 0; j < d.n; j++) {
    const size_t row = (size_t)mujoco.dof[j];
    for (size_t k = 0; k < d.n; k++) {
      assert_same(d.crba.M[(6 + j) * n + 6 + k], M[row * nv + (size_t)mujoco.dof[k]]);
    }
    /* base columns: theirs are linear in the world frame, then angular in the body frame */
    const vec3 lin = mat3_tmul_vec3(&d.state.motion.base.X_WB.R, vec3_from(M + row * nv));
    assert_same3(vec3_from(d.crba.M + (6 + j) * n), vec3_from(M + row * nv + 3));
    assert_same3(vec3_from(d.crba.M + (6 + j) * n + 3), lin);
  }
}
START_TEST(the_mass_matrix_agrees_with_mujoco) {
  for_every_model_and_state(check_mass_matrix);
}
END_TEST

static void check_centroidal(void) {
  mj_inverse(mujoco.m, mujoco.d);
  mj_subtreeVel(mujoco.m, mujoco.d);
  const struct base_motion *base = &d.state.motion.base;
  struct centroidal c;
  ck_assert_int_eq(centroidal_step(&d.kin, d.model->inertia, &c), STATUS_OK);
  const int root = mujoco.body[0];
  assert_same3(pose_apply(&base->X_WB, c.com), vec3_from(mujoco.d->subtree_com + 3 * root));
  assert_same3(mat3_mul_vec3(&base->X_WB.R, c.com_velocity),
               vec3_from(mujoco.d->subtree_linvel + 3 * root));
  assert_same3(mat3_mul_vec3(&base->X_WB.R, c.momentum.ang),
               vec3_from(mujoco.d->subtree_angmom + 3 * root));
  assert_same(c.mass, mujoco.m->body_subtreemass[root]);
  for (size_t i = 0; i <= d.n; i++) { /* and the centre of mass of every subtree */
    const struct inertia I = composite_subtree(&d.composite, i);
    const vec3 com = pose_apply(&base->X_WB, inertia_com(&I));
    assert_same3(com, vec3_from(mujoco.d->subtree_com + 3 * mujoco.body[i]));
  }
}
START_TEST(centre_of_mass_and_momentum_agree_with_mujoco) {
  for_every_model_and_state(check_centroidal);
}
END_TEST

/* The file itself in both readers: a fixed base, no help from our writer of MJCF. */
START_TEST(our_robots_urdf_read_by_mujoco_has_the_same_dynamics) {
  rng = random_from(test_seed());
  const char *const robots[] = {"humanoid30", "humanoid18", "tx40", "chain9"};
  for (int i = 0; i < 4; i++) {
    char path[200];
    snprintf(path, sizeof(path), "config/robots/%s.urdf", robots[i]);
    struct model *model = model_of_robot(robots[i]);
    dynamics_of(&d, model);
    mujoco_from_urdf(&mujoco, model, path);
    const vec3 up = {0.0, 0.0, STANDARD_GRAVITY};
    for (int k = 0; k < STATES; k++) {
      random_state(&rng, model, &d.state);
      d.state.motion.base = (struct base_motion){.X_WB = POSE_IDENTITY, .a_B.lin = up};
      dynamics_refresh(&d);
      mujoco_set(&mujoco, &d.state.motion);
      mj_inverse(mujoco.m, mujoco.d);
      double tau[MODEL_MAX_JOINTS], theirs[MODEL_MAX_JOINTS];
      mujoco_forces(&mujoco, mujoco.d->qfrc_inverse, NULL, theirs);
      ck_assert_int_eq(rnea_step(&d.rnea, &d.kin, model->inertia, NULL, WITHOUT_DRIVES, NULL, tau),
                       STATUS_OK);
      for (size_t j = 0; j < d.n; j++) {
        assert_same(tau[j], theirs[j]);
        assert_same3(d.kin.X_BL[j + 1].p, mujoco_pose(&mujoco, j + 1).p);
      }
    }
  }
}
END_TEST

/* The regressor against MuJoCo itself. */
static void check_regressor(void) {
  struct regressor r;
  struct arena count = {0};
  regressor_init(&r, d.model, NULL, 0, &count);
  struct arena arena = test_arena(count.used);
  ck_assert_int_eq(regressor_init(&r, d.model, NULL, 0, &arena), STATUS_OK);
  ck_assert_int_eq(regressor_step(&r, &d.kin), STATUS_OK);
  double theirs[MODEL_MAX_JOINTS];
  struct force base;
  mj_inverse(mujoco.m, mujoco.d);
  mujoco_forces(&mujoco, mujoco.d->qfrc_inverse, &base, theirs);
  for (size_t j = 0; j < d.n; j++) {
    double sum = joint_drive_torque(&d.model->joint[j], d.state.dq[j], d.state.ddq[j]);
    for (size_t c = 0; c < r.columns; c++) {
      sum += r.Y[(6 + j) * r.columns + c] * (&d.model->inertia[c / 10].m)[c % 10];
    }
    assert_same(sum, theirs[j]);
  }
}
START_TEST(regressor_times_parameters_agrees_with_mujoco) {
  for_every_model_and_state(check_regressor);
}
END_TEST

START_TEST(other_peoples_robots_agree_with_mujoco) {
  const char *const files[] = {"unitree_g1/g1_29dof.urdf", "icub/iCubGenova04.urdf"};
  const char *data = shared_data("robots in use have the dynamics that MuJoCo computes");
  rng = random_from(test_seed());
  for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
    char path[300];
    snprintf(path, sizeof(path), "%s/models/%s", data, files[i]);
    for_every_state(model_of_file(path), check_kinematics);
    for_every_state(model_of_file(path), check_inverse);
    for_every_state(model_of_file(path), check_forward);
  }
}
END_TEST

SUITE(poses_velocities_and_accelerations_agree_with_mujoco, inverse_dynamics_agrees_with_mujoco,
      forward_dynamics_agrees_with_mujoco, the_mass_matrix_agrees_with_mujoco,
      centre_of_mass_and_momentum_agree_with_mujoco,
      our_robots_urdf_read_by_mujoco_has_the_same_dynamics,
      regressor_times_parameters_agrees_with_mujoco, other_peoples_robots_agree_with_mujoco)
