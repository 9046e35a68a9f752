/* The simulation's truth obeys mechanics, by laws that its own sums do not use. */
#include "body/rnea.h"
#include "sim_sensors.h"
#include "support/sim_fixture.h"
#include "truth_taker.h"

#include <stdlib.h>
#include <string.h>

static const vec3 gravity_W = {0.0, 0.0, -STANDARD_GRAVITY};

static void assert_vec_near(vec3 a, vec3 b, double tolerance) {
  must_be_near(a.x, b.x, tolerance);
  must_be_near(a.y, b.y, tolerance);
  must_be_near(a.z, b.z, tolerance);
}

/* Our own algorithms over a robot's model. */
struct own {
  struct kinematics kin;
  struct rnea rnea;
  void *memory;
};

static struct own own_algorithms(const struct model *model) {
  struct own own;
  struct arena arena = {0};
  for (int round = 0; round < 2; round++) {
    ck_assert_int_eq(kinematics_init(&own.kin, model, &arena), STATUS_OK);
    ck_assert_int_eq(rnea_init(&own.rnea, model, &arena), STATUS_OK);
    if (round == 0) {
      own.memory = aligned_alloc(ARENA_ALIGN, arena.used);
      arena = arena_over(own.memory, arena.used);
    }
  }
  return own;
}

/* Runs each lively scenario for a few seconds and checks every frame. */
static void check_busy_scenarios(const char *name, void (*check)(const struct sim_truth *truth)) {
  static const char *const busy[] = {"walk", "push", "arm-swing", "payload"};
  const struct stock_robot stock = test_robot(name);
  for (size_t i = 0; i < sizeof(busy) / sizeof(busy[0]); i++) {
    struct sim_options options = test_options(&stock, busy[i]);
    options.stream[PROPRIOD_SHM_SKIN].rate_hz = 0.0; /* saves half of the time */
    options.rest_s = 0.2;
    options.duration_s = 3.5;
    options.ground.ramp = 0.02; /* in a world whose z is up it is the ground that leans */
    struct sim *sim = test_sim(&options);
    while (sim_step(sim) == STATUS_OK) {
      check(sim_truth(sim));
    }
    sim_destroy(sim);
  }
}

static void forces_balance(const struct sim_truth *t) {
  const vec3 pushed = vec3_add(t->ground_W.lin, t->push_force_W);
  const vec3 a = vec3_axpy(gravity_W, 1.0 / t->mass, pushed);
  assert_vec_near(t->com_acceleration_W, a, 1e-9);
}

START_TEST(the_centre_of_mass_accelerates_as_gravity_contacts_and_push_make_it) {
  check_busy_scenarios("humanoid30", forces_balance);
}
END_TEST

static void moments_balance(const struct sim_truth *t) {
  const vec3 ground = vec3_sub(t->ground_W.ang, vec3_cross(t->com_W, t->ground_W.lin));
  const vec3 push = vec3_cross(vec3_sub(t->push_point_W, t->com_W), t->push_force_W);
  assert_vec_near(t->angular_momentum_rate_W, vec3_add(ground, push), 1e-8);
}

START_TEST(angular_momentum_changes_by_the_moments_of_contacts_and_push) {
  check_busy_scenarios("humanoid18", moments_balance);
}
END_TEST

/* Euler's integrator with frames at its own step: velocities advance by the accelerations
 * exactly. */
START_TEST(accelerations_are_those_that_are_realised) {
  const struct stock_robot stock = test_robot("humanoid30");
  struct sim_options options = test_options(&stock, "push");
  options.stream[PROPRIOD_SHM_SKIN].rate_hz = 0.0;
  options.integration_step_s = 1e-3;
  options.duration_s = 3.0;
  struct sim *sim = test_sim(&options);
  double dq[MODEL_MAX_JOINTS] = {0.0}, ddq[MODEL_MAX_JOINTS] = {0.0};
  vec3 v_W = VEC3_ZERO, a_W = VEC3_ZERO, omega = VEC3_ZERO, alpha = VEC3_ZERO;
  double moved = 0.0;
  for (int k = 0; sim_step(sim) == STATUS_OK; k++) {
    const struct sim_truth *t = sim_truth(sim);
    for (size_t j = 0; k > 0 && j < t->n_joints; j++) {
      must_be_near(t->dq[j], dq[j] + 1e-3 * ddq[j], 1e-12);
      moved = fmax(moved, fabs(ddq[j]));
    }
    if (k > 0) {
      assert_vec_near(t->base_velocity_W, vec3_axpy(v_W, 1e-3, a_W), 1e-12);
      assert_vec_near(t->base.v_B.ang, vec3_axpy(omega, 1e-3, alpha), 1e-12);
    }
    memcpy(dq, t->dq, t->n_joints * sizeof(double));
    memcpy(ddq, t->ddq, t->n_joints * sizeof(double));
    v_W = t->base_velocity_W;
    a_W = t->base_acceleration_W;
    omega = t->base.v_B.ang;
    alpha = t->base.a_B.ang;
  }
  ck_assert_double_gt(moved, 0.1); /* the push was felt */
  sim_destroy(sim);
}
END_TEST

/* The truth fits our own model: its inverse dynamics reproduce the drive torques, and nothing is
 * left over at the base. */
static void torques_agree(struct own *own, const struct robot *robot, const struct sim_truth *t) {
  struct force external[MODEL_MAX_JOINTS + 1] = {{VEC3_ZERO, VEC3_ZERO}}, base;
  const struct robot_motion motion = {t->base, t->q, t->dq, t->ddq};
  double tau[MODEL_MAX_JOINTS];
  for (size_t k = 0; k < robot->n_feet; k++) {
    external[robot->foot[k].link] = force_to_base(&robot->foot[k].placement, &t->foot_wrench[k]);
  }
  must(kinematics_update(&own->kin, &motion) == STATUS_OK);
  ck_assert_int_eq(rnea_step(&own->rnea, &own->kin, t->inertia, external, WITH_DRIVES, &base, tau),
                   STATUS_OK);
  for (size_t j = 0; j < t->n_joints; j++) {
    must_be_near(tau[j], t->tau[j], 1e-7);
  }
  if (!robot->fixed_base) {
    assert_vec_near(base.lin, VEC3_ZERO, 1e-7);
    assert_vec_near(base.ang, VEC3_ZERO, 1e-7);
  }
}

START_TEST(torques_are_those_of_our_own_inverse_dynamics) {
  static const struct {
    const char *name;
    const char *scenario;
  } cases[] = {
      {"humanoid30", "walk"}, {"humanoid18", "payload"}, {"tx40", "fast"}, {"chain9", "stops"}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    const struct stock_robot stock = test_robot(cases[i].name);
    struct sim_options options = test_options(&stock, cases[i].scenario);
    options.stream[PROPRIOD_SHM_SKIN].rate_hz = 0.0;
    options.duration_s = 4.0;
    options.payload.attach_s = 2.0;
    struct sim *sim = test_sim(&options);
    struct own own = own_algorithms(&stock.robot->model);
    while (sim_step(sim) == STATUS_OK) {
      torques_agree(&own, stock.robot, sim_truth(sim));
    }
    free(own.memory);
    sim_destroy(sim);
  }
}
END_TEST

/* The last three places of a point, oldest first. */
struct places {
  vec3 p[3];
};

static vec3 second_difference(struct places *places, vec3 p, double h) {
  places->p[0] = places->p[1];
  places->p[1] = places->p[2];
  places->p[2] = p;
  const vec3 sum = vec3_axpy(vec3_add(places->p[0], p), -2.0, places->p[1]);
  return vec3_scale(1.0 / (h * h), sum);
}

/* While walking: within the tenth of a second after a strike differences over 1 ms smear what they
 * span, so the mean is asked for. */
START_TEST(an_ideal_imu_reads_the_second_difference_of_its_place) {
  const struct stock_robot stock = test_robot("humanoid30");
  struct sim_options options = test_options(&stock, "walk");
  options.stream[PROPRIOD_SHM_SKIN].rate_hz = 0.0;
  options.integration_step_s = 0.25e-3;
  options.duration_s = 3.0;
  options.rest_s = 0.2;
  struct sim *sim = test_sim(&options);
  const struct pose *X_BS = &stock.robot->imu_placement;
  struct places places = {0};
  vec3 f_W = VEC3_ZERO; /* of the frame before */
  double error = 0.0, motion = 0.0;
  for (int k = 0; sim_step(sim) == STATUS_OK; k++) {
    const struct sim_truth *t = sim_truth(sim);
    const struct imu_reading *imu = &sim_frame(sim)->imu;
    const vec3 a = second_difference(&places, pose_apply(&t->base.X_WB, X_BS->p), 1e-3);
    if (k >= 2) {
      error += vec3_norm(vec3_sub(vec3_add(f_W, gravity_W), a));
      motion += vec3_norm(a);
    }
    const vec3 f_B = mat3_mul_vec3(&X_BS->R, imu->specific_force);
    f_W = mat3_mul_vec3(&t->base.X_WB.R, f_B);
    assert_vec_near(mat3_mul_vec3(&X_BS->R, imu->angular_rate), t->base.v_B.ang, 1e-12);
  }
  ck_assert_double_lt(error, 0.05 * motion);
  sim_destroy(sim);
}
END_TEST

/* @eq Leboutet22 133 134 */
START_TEST(an_ideal_cell_reads_the_second_difference_of_its_place) {
  const struct stock_robot stock = test_robot("chain9");
  const struct robot *robot = stock.robot;
  struct sim_options options = test_options(&stock, "medium");
  options.stream[PROPRIOD_SHM_SKIN].rate_hz = 1000.0;
  options.duration_s = 3.0;
  struct sim *sim = test_sim(&options);
  struct own own = own_algorithms(&robot->model);
  struct places *places = calloc(robot->n_cells, sizeof(*places));
  vec3 *f_W = calloc(robot->n_cells, sizeof(*f_W)); /* of the frame before */
  double swing = 0.0;
  for (int k = 0; sim_step(sim) == STATUS_OK; k++) {
    must(kinematics_update_position(&own.kin, sim_truth(sim)->q) == STATUS_OK);
    for (size_t i = 0; i < robot->n_cells; i++) {
      const struct pose X = pose_mul(&own.kin.X_BL[robot->cell[i].link], &robot->cell[i].placement);
      const vec3 a = second_difference(&places[i], X.p, 1e-3);
      if (k >= 2) {
        assert_vec_near(vec3_add(f_W[i], gravity_W), a, 5e-3); /* the fade's jerk times 1 ms */
        swing = fmax(swing, vec3_norm(a));
      }
      const float *y = &sim_frame(sim)->skin.acceleration[3 * i];
      f_W[i] = mat3_mul_vec3(&X.R, (vec3){(double)y[0], (double)y[1], (double)y[2]});
    }
  }
  ck_assert_double_gt(swing, 2.0); /* m/s^2: it did move */
  free(places);
  free(f_W);
  free(own.memory);
  sim_destroy(sim);
}
END_TEST

START_TEST(momentum_is_that_of_mujocos_own_sums_at_random_states) {
  const struct stock_robot stock = test_robot("humanoid30");
  const struct mjcf_options options = {.step_s = 1e-3,
                                       .contact_time_s = 0.02,
                                       .friction = 1.0,
                                       .rebound = 1.0,
                                       .gravity = {0.0, 0.0, -STANDARD_GRAVITY}};
  struct physics physics;
  struct truth_taker taker;
  struct message error;
  ck_assert_int_eq(physics_init(&physics, stock.robot, &options, &error), STATUS_OK);
  ck_assert_int_eq(truth_taker_init(&taker, &physics), STATUS_OK);
  struct random random = random_from(test_seed());
  for (int trial = 0; trial < 20; trial++) {
    double q[MODEL_MAX_JOINTS], tau[MODEL_MAX_JOINTS];
    const struct pose X = {mat3_from_rpy((vec3){random_normal(&random), random_normal(&random),
                                                random_normal(&random)}),
                           {0.3, -0.2, 2.5}};
    for (size_t j = 0; j < stock.robot->model.n_joints; j++) {
      q[j] = random_normal(&random);
      tau[j] = 10.0 * random_normal(&random);
    }
    physics_place(&physics, &X, q);
    for (int i = 0; i < physics.m->nv; i++) {
      physics.d->qvel[i] = random_normal(&random);
    }
    physics_look(&physics);
    physics_forward(&physics, tau);
    truth_take_links(&taker, &physics);
    truth_take(&taker, &physics, 0);
    mj_subtreeVel(physics.m, physics.d);
    const struct sim_truth *t = &taker.truth;
    assert_near(t->mass, mj_getTotalmass(physics.m), 1e-12);
    assert_vec_near(t->com_W, vec3_from(physics.d->subtree_com), 1e-12);
    assert_vec_near(t->com_velocity_W, vec3_from(physics.d->subtree_linvel), 1e-12);
    assert_vec_near(t->angular_momentum_W, vec3_from(physics.d->subtree_angmom), 1e-10);
    assert_vec_near(t->com_acceleration_W, gravity_W, 1e-9); /* in the air */
    assert_vec_near(t->angular_momentum_rate_W, VEC3_ZERO, 1e-8);
  }
  truth_taker_free(&taker);
  physics_free(&physics);
}
END_TEST

START_TEST(a_drive_that_looks_ahead_acts_with_the_torque_that_it_tells) {
  const struct stock_robot stock = test_robot("humanoid18");
  const size_t n = stock.robot->model.n_joints;
  const struct mjcf_options options = {.step_s = 1e-3,
                                       .contact_time_s = 0.02,
                                       .friction = 1.0,
                                       .rebound = 1.0,
                                       .gravity = {0.0, 0.0, -STANDARD_GRAVITY}};
  static struct physics ahead, plain;
  struct message error;
  ck_assert_int_eq(physics_init(&ahead, stock.robot, &options, &error), STATUS_OK);
  ck_assert_int_eq(physics_init(&plain, stock.robot, &options, &error), STATUS_OK);
  struct random random = random_from(test_seed());
  const struct pose X = {MAT3_IDENTITY, {0.0, 0.0, 2.0}};
  double q[MODEL_MAX_JOINTS], tau[MODEL_MAX_JOINTS];
  for (size_t j = 0; j < n; j++) {
    q[j] = 0.3 * random_normal(&random);
    tau[j] = 10.0 * random_normal(&random);
    physics_look_ahead(&ahead, j, 0.05 * (double)(j % 3));
  }
  physics_place(&ahead, &X, q);
  physics_place(&plain, &X, q);
  physics_look(&ahead);
  physics_look(&plain);
  physics_forward(&ahead, tau);
  physics_forward(&plain, ahead.tau);
  for (size_t j = 0; j < n; j++) {
    assert_near(physics_ddq(&ahead, j), physics_ddq(&plain, j), 1e-8);
    assert_near(ahead.tau[j], tau[j] - 0.05 * (double)(j % 3) * physics_ddq(&ahead, j), 1e-12);
  }
  physics_free(&ahead);
  physics_free(&plain);
}
END_TEST

START_TEST(velocities_of_the_centre_of_mass_and_momentum_integrate_their_rates) {
  const struct stock_robot stock = test_robot("humanoid30");
  struct sim_options options = test_options(&stock, "multisine");
  options.stream[PROPRIOD_SHM_SKIN].rate_hz = 0.0;
  options.duration_s = 4.0;
  struct sim *sim = test_sim(&options);
  vec3 before_c = VEC3_ZERO, before_v = VEC3_ZERO, before_a = VEC3_ZERO, before_L = VEC3_ZERO,
       before_dL = VEC3_ZERO;
  for (int k = 0; sim_step(sim) == STATUS_OK; k++) {
    const struct sim_truth *t = sim_truth(sim);
    if (k > 0) { /* trapezoids over 1 ms */
      assert_vec_near(vec3_sub(t->com_W, before_c),
                      vec3_scale(0.5e-3, vec3_add(t->com_velocity_W, before_v)), 2e-6);
      assert_vec_near(vec3_sub(t->com_velocity_W, before_v),
                      vec3_scale(0.5e-3, vec3_add(t->com_acceleration_W, before_a)), 2e-4);
      assert_vec_near(vec3_sub(t->angular_momentum_W, before_L),
                      vec3_scale(0.5e-3, vec3_add(t->angular_momentum_rate_W, before_dL)), 5e-3);
    }
    before_c = t->com_W;
    before_v = t->com_velocity_W;
    before_a = t->com_acceleration_W;
    before_L = t->angular_momentum_W;
    before_dL = t->angular_momentum_rate_W;
  }
  sim_destroy(sim);
}
END_TEST

SUITE(the_centre_of_mass_accelerates_as_gravity_contacts_and_push_make_it,
      angular_momentum_changes_by_the_moments_of_contacts_and_push,
      accelerations_are_those_that_are_realised, torques_are_those_of_our_own_inverse_dynamics,
      an_ideal_imu_reads_the_second_difference_of_its_place,
      an_ideal_cell_reads_the_second_difference_of_its_place,
      momentum_is_that_of_mujocos_own_sums_at_random_states,
      a_drive_that_looks_ahead_acts_with_the_torque_that_it_tells,
      velocities_of_the_centre_of_mass_and_momentum_integrate_their_rates)
