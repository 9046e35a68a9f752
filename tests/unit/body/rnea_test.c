#include "body/rnea.h"

#include "support/dynamics_fixture.h"

#include <string.h>

static struct random rng;
static struct dynamics d;

static void setup(struct random_model_options options) {
  rng = random_from(test_seed());
  dynamics_of(&d, random_model(&rng, options));
  dynamics_randomize(&d, &rng);
}

static void inverse(enum joint_drives drives, struct force *base, double *tau) {
  ck_assert_int_eq(rnea_step(&d.rnea, &d.kin, d.model->inertia, NULL, drives, base, tau),
                   STATUS_OK);
}

static double kinetic_energy(void) {
  double energy = 0.0;
  for (size_t i = 0; i <= d.n; i++) {
    const struct motion v = kinematics_v_L(&d.kin, i);
    const struct force momentum = inertia_apply(&d.model->inertia[i], &v);
    energy += 0.5 * motion_dot_force(&v, &momentum);
  }
  return energy;
}

/* The state a moment later: joints by their rates, the base turning with its angular acceleration,
 * and seen from where the base is then. */
static void advance(double dt) {
  const struct motion v = d.state.motion.base.v_B, a = d.state.motion.base.a_B;
  for (size_t j = 0; j < d.n; j++) {
    d.state.q[j] += dt * d.state.dq[j] + 0.5 * dt * dt * d.state.ddq[j];
    d.state.dq[j] += dt * d.state.ddq[j];
  }
  /* components in turning coordinates: d/dt v_B = a_B - omega x v_B */
  struct motion *later = &d.state.motion.base.v_B;
  later->ang = vec3_axpy(v.ang, dt, a.ang);
  later->lin = vec3_axpy(v.lin, dt, vec3_sub(a.lin, vec3_cross(v.ang, v.lin)));
  dynamics_refresh(&d);
}

START_TEST(the_power_of_all_forces_is_the_rate_of_kinetic_energy) {
  for (int trial = 0; trial < 10; trial++) {
    setup((struct random_model_options){.n_joints = 12});
    for (int i = 0; i < trial; i++) {
      dynamics_randomize(&d, &rng);
    }
    struct force base;
    double tau[12];
    inverse(WITHOUT_DRIVES, &base, tau);
    double power = motion_dot_force(&d.state.motion.base.v_B, &base);
    for (int j = 0; j < 12; j++) {
      power += tau[j] * d.state.dq[j];
    }
    const double h = 1e-5;
    const struct random_state now = d.state;
    advance(h);
    const double after = kinetic_energy();
    memcpy(d.state.q, now.q, sizeof(now.q));
    memcpy(d.state.dq, now.dq, sizeof(now.dq));
    d.state.motion.base = now.motion.base;
    advance(-h);
    const double before = kinetic_energy();
    assert_near((after - before) / (2.0 * h), power, 1e-6 * (1.0 + fabs(power)) + 1e-4);
  }
}
END_TEST

START_TEST(a_uniform_velocity_of_the_whole_robot_changes_no_torque) {
  setup((struct random_model_options){.n_joints = 20});
  struct force base, base_moving;
  double tau[20], tau_moving[20];
  inverse(WITHOUT_DRIVES, &base, tau);
  d.state.motion.base.v_B.lin = vec3_add(d.state.motion.base.v_B.lin, (vec3){3.0, -7.0, 2.0});
  dynamics_refresh(&d);
  inverse(WITHOUT_DRIVES, &base_moving, tau_moving);
  ck_assert_double_le(distance6(&base, &base_moving), 1e-10);
  for (int j = 0; j < 20; j++) {
    assert_near(tau[j], tau_moving[j], 1e-11);
  }
}
END_TEST

/* The same robot with its base link's frame placed elsewhere: same torques, the same wrench seen
 * from there. */
START_TEST(another_choice_of_base_frame_changes_no_torque) {
  setup((struct random_model_options){.n_joints = 15});
  struct force base, base_moved;
  double tau[15], tau_moved[15];
  inverse(WITHOUT_DRIVES, &base, tau);

  const struct pose X_NB = {random_rotation(&rng),
                            random_vec3(&rng, 0.5)}; /* old base in the new */
  const struct pose X_BN = pose_inverse(&X_NB);
  struct model moved = *d.model;
  struct joint joints[15];
  struct inertia inertias[16];
  memcpy(joints, moved.joint, sizeof(joints));
  memcpy(inertias, moved.inertia, sizeof(inertias));
  for (int j = 0; j < 15; j++) {
    if (moved.parent[j + 1] == 0) {
      joints[j].placement = pose_mul(&X_NB, &joints[j].placement);
    }
  }
  inertias[0] = inertia_transform(&X_NB, &inertias[0]);
  moved.joint = joints;
  moved.inertia = inertias;

  /* the motion of the new base origin, a point of the old base link */
  struct base_motion now = d.state.motion.base;
  const vec3 w = now.v_B.ang, r = X_BN.p;
  const vec3 w_x_r = vec3_cross(w, r);
  const vec3 v = vec3_add(now.v_B.lin, w_x_r);
  const vec3 a = vec3_add(vec3_add(now.a_B.lin, vec3_cross(now.a_B.ang, r)), vec3_cross(w, w_x_r));
  const mat3 R = X_NB.R;
  struct robot_motion motion = d.state.motion;
  motion.base.v_B = (struct motion){mat3_mul_vec3(&R, w), mat3_mul_vec3(&R, v)};
  motion.base.a_B = (struct motion){mat3_mul_vec3(&R, now.a_B.ang), mat3_mul_vec3(&R, a)};

  struct dynamics e;
  dynamics_of(&e, &moved);
  ck_assert_int_eq(kinematics_update(&e.kin, &motion), STATUS_OK);
  ck_assert_int_eq(
      rnea_step(&e.rnea, &e.kin, moved.inertia, NULL, WITHOUT_DRIVES, &base_moved, tau_moved),
      STATUS_OK);
  const struct force seen = force_to_base(&X_NB, &base);
  ck_assert_double_le(distance6(&seen, &base_moved), 1e-9);
  for (int j = 0; j < 15; j++) {
    assert_near(tau[j], tau_moved[j], 1e-10);
  }
}
END_TEST

/* A link's frame turned and moved along its joint's axis describes the same robot. */
static void place_link_frame_elsewhere(struct model *model, size_t link) {
  struct joint *joint = &model->joint[link - 1];
  const struct pose X_LN = {random_rotation(&rng), vec3_scale(0.3, joint->axis)}; /* new in old */
  const struct pose X_NL = pose_inverse(&X_LN);
  joint->placement = pose_mul(&joint->placement, &X_LN);
  joint->axis = mat3_mul_vec3(&X_NL.R, joint->axis);
  model->inertia[link] = inertia_transform(&X_NL, &model->inertia[link]);
  for (size_t i = link + 1; i < model->n_links; i++) {
    if (model->parent[i] == (int)link) {
      model->joint[i - 1].placement = pose_mul(&X_NL, &model->joint[i - 1].placement);
    }
  }
}

START_TEST(another_choice_of_link_frames_or_of_the_world_changes_no_torque) {
  setup((struct random_model_options){.n_joints = 15});
  struct force base, base_moved;
  double tau[15], tau_moved[15];
  inverse(WITHOUT_DRIVES, &base, tau);
  struct model *moved = (struct model *)d.model; /* ours, made in memory */
  for (size_t link = 1; link <= 15; link++) {
    place_link_frame_elsewhere(moved, link);
  }
  struct dynamics e;
  dynamics_of(&e, moved);
  struct robot_motion motion = d.state.motion;
  motion.base.X_WB = (struct pose){random_rotation(&rng), random_vec3(&rng, 5.0)};
  ck_assert_int_eq(kinematics_update(&e.kin, &motion), STATUS_OK);
  ck_assert_int_eq(
      rnea_step(&e.rnea, &e.kin, moved->inertia, NULL, WITHOUT_DRIVES, &base_moved, tau_moved),
      STATUS_OK);
  ck_assert_double_le(distance6(&base, &base_moved), 1e-9);
  for (int j = 0; j < 15; j++) {
    assert_near(tau[j], tau_moved[j], 1e-10);
  }
}
END_TEST

START_TEST(at_rest_the_base_carries_the_weight_and_torques_hold_the_masses) {
  setup((struct random_model_options){.n_joints = 12});
  memset(d.state.dq, 0, sizeof(d.state.dq));
  memset(d.state.ddq, 0, sizeof(d.state.ddq));
  const vec3 up = {0.0, 0.0, STANDARD_GRAVITY};
  d.state.motion.base = (struct base_motion){.X_WB = POSE_IDENTITY, .a_B.lin = up};
  dynamics_refresh(&d);
  struct force base;
  double tau[12];
  inverse(WITHOUT_DRIVES, &base, tau);
  const double mass = model_mass(d.model);
  ck_assert_double_le(distance3(base.lin, vec3_scale(mass, up)), 1e-11);
  vec3 com;
  ck_assert_int_eq(centroidal_com(&d.kin, d.model->inertia, &com), STATUS_OK);
  ck_assert_double_le(distance3(base.ang, vec3_cross(com, vec3_scale(mass, up))), 1e-11);

  /* torque is the slope of potential energy */
  for (int j = 0; j < 12; j++) {
    const double h = 1e-5, q = d.state.q[j];
    vec3 high, low;
    d.state.q[j] = q + h;
    dynamics_refresh(&d);
    centroidal_com(&d.kin, d.model->inertia, &high);
    d.state.q[j] = q - h;
    dynamics_refresh(&d);
    centroidal_com(&d.kin, d.model->inertia, &low);
    d.state.q[j] = q;
    assert_near(tau[j], mass * STANDARD_GRAVITY * (high.z - low.z) / (2.0 * h), 1e-7);
  }
}
END_TEST

START_TEST(an_external_wrench_relieves_the_joints_by_its_power) {
  setup((struct random_model_options){.n_joints = 12});
  struct force external[13] = {0};
  for (int i = 0; i < 13; i++) {
    external[i] = (struct force){random_vec3(&rng, 10.0), random_vec3(&rng, 50.0)};
  }
  struct force base, base_helped;
  double tau[12], tau_helped[12];
  inverse(WITHOUT_DRIVES, &base, tau);
  ck_assert_int_eq(rnea_step(&d.rnea, &d.kin, d.model->inertia, external, WITHOUT_DRIVES,
                             &base_helped, tau_helped),
                   STATUS_OK);
  const struct motion *v_B = &d.state.motion.base.v_B;
  double power = 0.0;
  double relief = motion_dot_force(v_B, &base) - motion_dot_force(v_B, &base_helped);
  for (int i = 0; i < 13; i++) {
    const struct motion v = kinematics_v_L(&d.kin, (size_t)i);
    power += motion_dot_force(&v, &external[i]);
  }
  for (int j = 0; j < 12; j++) {
    relief += (tau[j] - tau_helped[j]) * d.state.dq[j];
  }
  assert_near(relief, power, 1e-10 * (1.0 + fabs(power)));
}
END_TEST

START_TEST(drives_add_rotor_inertia_and_friction) {
  setup((struct random_model_options){.n_joints = 9, .losses = true});
  d.state.dq[3] = 0.25 * COULOMB_RAMP;
  dynamics_refresh(&d);
  double bare[9], driven[9];
  inverse(WITHOUT_DRIVES, NULL, bare);
  inverse(WITH_DRIVES, NULL, driven);
  for (int j = 0; j < 9; j++) {
    const struct joint *joint = &d.model->joint[j];
    const double sign = j == 3 ? 0.25 : d.state.dq[j] > 0.0 ? 1.0 : -1.0;
    assert_near(driven[j] - bare[j],
                joint->rotor_inertia * d.state.ddq[j] + joint->viscous * d.state.dq[j] +
                    joint->coulomb * sign,
                1e-10);
  }
}
END_TEST

START_TEST(bad_input_is_refused_and_torques_are_untouched) {
  setup((struct random_model_options){.n_joints = 7});
  double tau[7] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0};
  struct force base = {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}, external[8] = {0};
  struct inertia inertia[8];
  memcpy(inertia, d.model->inertia, sizeof(inertia));
  inertia[7].Iyz = NAN;
  ck_assert_int_eq(rnea_step(&d.rnea, &d.kin, inertia, NULL, WITHOUT_DRIVES, &base, tau),
                   STATUS_NOT_FINITE);
  inertia[7].Iyz = -1e10;
  ck_assert_int_eq(rnea_step(&d.rnea, &d.kin, inertia, NULL, WITHOUT_DRIVES, &base, tau),
                   STATUS_OUT_OF_RANGE);
  external[7].lin.z = INFINITY;
  ck_assert_int_eq(
      rnea_step(&d.rnea, &d.kin, d.model->inertia, external, WITHOUT_DRIVES, &base, tau),
      STATUS_NOT_FINITE);
  ck_assert_int_eq(kinematics_update_position(&d.kin, d.state.q), STATUS_OK);
  ck_assert_int_eq(rnea_step(&d.rnea, &d.kin, d.model->inertia, NULL, WITHOUT_DRIVES, &base, tau),
                   STATUS_BAD_ARGUMENT);
  for (int j = 0; j < 7; j++) {
    ck_assert_double_eq(tau[j], j + 1.0);
  }
  for (size_t k = 0; k < 6; k++) {
    ck_assert_double_eq(force_entry(&base, k), (double)k + 1.0);
  }
}
END_TEST

SUITE(the_power_of_all_forces_is_the_rate_of_kinetic_energy,
      a_uniform_velocity_of_the_whole_robot_changes_no_torque,
      another_choice_of_base_frame_changes_no_torque,
      another_choice_of_link_frames_or_of_the_world_changes_no_torque,
      at_rest_the_base_carries_the_weight_and_torques_hold_the_masses,
      an_external_wrench_relieves_the_joints_by_its_power, drives_add_rotor_inertia_and_friction,
      bad_input_is_refused_and_torques_are_untouched)
