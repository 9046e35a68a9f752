#include "identify/rows/rotor_regressor.h"

#include "support/dynamics_fixture.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

enum { JOINTS = 5, TEN = INERTIA_PARAMETERS };

/* The model with the rotor as one more link, on the link before joint j. */
static struct model with_rotor(const struct model *model, size_t j, const struct inertia *rotor) {
  static struct joint joint[JOINTS + 1];
  static struct inertia inertia[JOINTS + 2];
  static int parent[JOINTS + 2];
  static char name[JOINTS + 2][MODEL_NAME_SIZE];
  struct model more = *model;
  memcpy(joint, model->joint, JOINTS * sizeof(*joint));
  memcpy(inertia, model->inertia, (JOINTS + 1) * sizeof(*inertia));
  memcpy(parent, model->parent, (JOINTS + 1) * sizeof(*parent));
  memcpy(name, model->link_name, (JOINTS + 1) * sizeof(*name));
  joint[JOINTS] = model->joint[j];
  joint[JOINTS].type = JOINT_CONTINUOUS;
  inertia[JOINTS + 1] = *rotor;
  parent[JOINTS + 1] = model->parent[j + 1];
  more.n_joints = JOINTS + 1;
  more.n_links = JOINTS + 2;
  more.joint = joint;
  more.inertia = inertia;
  more.parent = parent;
  more.link_name = name;
  return more;
}

/* Inverse dynamics without drives. */
static void torques(const struct model *model, const struct robot_motion *motion, double *tau) {
  struct dynamics d;
  dynamics_of(&d, model);
  ck_assert_int_eq(kinematics_update(&d.kin, motion), STATUS_OK);
  ck_assert_int_eq(rnea_step(&d.rnea, &d.kin, model->inertia, NULL, WITHOUT_DRIVES, NULL, tau),
                   STATUS_OK);
}

/* Of a tree in which the rotor is a link that its joint drives N times as far: by virtual work the
 * joint feels N times the rotor's torque. @eq Wensing17 24 25 */
START_TEST(a_rotor_is_felt_as_a_link_that_turns_n_times_as_far) {
  struct random random = random_from(test_seed());
  for (int run = 0; run < 50; run++) {
    const struct model *model =
        random_model(&random, (struct random_model_options){.n_joints = JOINTS});
    const size_t j = (size_t)random_uniform(&random, 0.0, JOINTS - 1e-9);
    const double ratio = random_uniform(&random, -20.0, 20.0);
    const struct inertia rotor = random_inertia_near(&random, VEC3_ZERO);
    const struct model more = with_rotor(model, j, &rotor);
    struct random_state state;
    struct dynamics d;
    double q[JOINTS + 1], dq[JOINTS + 1], ddq[JOINTS + 1], tau[JOINTS], all[JOINTS + 1], pi[TEN];
    double Y[JOINTS][TEN];
    random_state(&random, model, &state);
    memcpy(q, state.q, JOINTS * sizeof(*q));
    memcpy(dq, state.dq, JOINTS * sizeof(*dq));
    memcpy(ddq, state.ddq, JOINTS * sizeof(*ddq));
    q[JOINTS] = ratio * q[j];
    dq[JOINTS] = ratio * dq[j];
    ddq[JOINTS] = ratio * ddq[j];
    const struct robot_motion turning = {.base = state.motion.base, .q = q, .dq = dq, .ddq = ddq};
    torques(model, &turning, tau);
    torques(&more, &turning, all);
    all[j] += ratio * all[JOINTS];
    dynamics_of(&d, model);
    ck_assert_int_eq(kinematics_update(&d.kin, &turning), STATUS_OK);
    rotor_regressor(&d.kin, j, ratio, Y);
    inertia_to(&rotor, pi);
    for (size_t i = 0; i < JOINTS; i++) {
      double felt = 0.0;
      for (int k = 0; k < TEN; k++) {
        felt += Y[i][k] * pi[k];
      }
      assert_near(felt, all[i] - tau[i], 1e-9 * (1.0 + fabs(all[i]) + fabs(tau[i])));
    }
  }
}
END_TEST

/* A cylinder about the joint's axis is felt alike; what no turn leaves is not felt. */
START_TEST(a_balanced_rotor_feels_no_angle) {
  struct random random = random_from(test_seed());
  for (int run = 0; run < 50; run++) {
    const struct model *model =
        random_model(&random, (struct random_model_options){.n_joints = JOINTS});
    const size_t j = (size_t)random_uniform(&random, 0.0, JOINTS - 1e-9);
    const vec3 axis = model->joint[j].axis;
    const double ratio = random_uniform(&random, -20.0, 20.0), across = 0.3, along = 0.1;
    const double a[3] = {axis.x, axis.y, axis.z};
    struct random_state state;
    struct dynamics d;
    double pi[TEN], Y[JOINTS][TEN], balanced[JOINTS][TEN];
    mat3 I;
    for (int i = 0; i < 9; i++) {
      I.m[i / 3][i % 3] = (i % 4 == 0 ? across : 0.0) + (along - across) * a[i / 3] * a[i % 3];
    }
    const struct inertia rotor = inertia_of_body(2.0, vec3_scale(0.1, axis), &I);
    inertia_to(&rotor, pi);
    random_state(&random, model, &state);
    dynamics_of(&d, model);
    ck_assert_int_eq(kinematics_update(&d.kin, &state.motion), STATUS_OK);
    rotor_regressor(&d.kin, j, ratio, Y);
    rotor_regressor_balanced(&d.kin, j, ratio, balanced);
    const vec3 beside = vec3_cross(axis, (vec3){0.3, 0.5, -0.7});
    for (size_t i = 0; i < JOINTS; i++) {
      double felt = 0.0, wanted = 0.0;
      for (int k = 0; k < TEN; k++) {
        felt += balanced[i][k] * pi[k];
        wanted += Y[i][k] * pi[k];
      }
      assert_near(felt, wanted, 1e-9 * (1.0 + fabs(wanted)));
      const double off = balanced[i][1] * beside.x + balanced[i][2] * beside.y +
                         balanced[i][3] * beside.z; /* a centre of mass beside the axis */
      assert_near(off, 0.0, 1e-9);
    }
  }
}
END_TEST

SUITE(a_rotor_is_felt_as_a_link_that_turns_n_times_as_far, a_balanced_rotor_feels_no_angle)
