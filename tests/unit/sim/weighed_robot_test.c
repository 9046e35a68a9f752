#include "support/suite.h"
#include "weighed_robot.h"

#include <math.h>

static const double DT = 1e-3;

static struct weighed_robot *new_robot(void) {
  struct weighed_robot *robot;
  struct message error;
  ck_assert_msg(weighed_robot_create(&robot, "humanoid30", "config/robots", test_seed(), &error) ==
                    STATUS_OK,
                "%s", error.text);
  return robot;
}

static void go_on(struct weighed_robot *robot, double seconds) {
  for (double until = robot->t + seconds; robot->t < until - 0.5 * DT;) {
    ck_assert_int_eq(weighed_robot_step(robot, DT), STATUS_OK);
  }
}

static void move(struct weighed_robot *robot) {
  sine_motion_choose(&robot->sines, &robot->robot->model, &robot->random);
  sine_motion_turn(&robot->sines, robot->t, 1.0, 1.0);
  go_on(robot, 1.5);
}

/* All bodies as one, in base coordinates. */
static struct inertia whole(const struct weighed_robot *robot) {
  struct inertia sum = {0};
  for (size_t i = 0; i < robot->robot->model.n_links; i++) {
    const struct inertia part = inertia_transform(&robot->truth.X_BL[i], &robot->inertia[i]);
    sum = inertia_add(&sum, &part);
  }
  return sum;
}

/* What the first foot's sensor measures, on the base. */
static struct force on_base(const struct weighed_robot *robot) {
  const struct wrench_sensor *foot = &robot->robot->wrench[0];
  const struct pose X_BS = pose_mul(&robot->truth.X_BL[foot->link], &foot->placement);
  return force_to_base(&X_BS, &robot->wrench[0]);
}

static void assert_near3(vec3 a, vec3 b, double tolerance) {
  ck_assert_double_lt(vec3_norm(vec3_sub(a, b)), tolerance);
}

START_TEST(standing_still_one_foot_carries_the_weight_below_the_centre_of_mass) {
  struct weighed_robot *robot = new_robot();
  go_on(robot, 0.01);
  const struct inertia all = whole(robot);
  const struct force carried = on_base(robot);
  const vec3 up = {0.0, 0.0, STANDARD_GRAVITY * all.m};
  assert_near3(carried.lin, up, 1e-9);
  assert_near3(carried.ang, vec3_cross(inertia_com(&all), up), 1e-9);
  ck_assert_double_eq(vec3_norm(robot->wrench[1].lin), 0.0);
  weighed_robot_destroy(robot);
}
END_TEST

/* The torques of the leg that stands were those of a robot that floats. */
START_TEST(with_the_foots_wrench_and_the_torques_the_base_needs_no_force) {
  struct weighed_robot *robot = new_robot();
  move(robot);
  const struct model *model = &robot->robot->model;
  const struct wrench_sensor *foot = &robot->robot->wrench[0];
  struct force external[MODEL_MAX_JOINTS + 1] = {{VEC3_ZERO, VEC3_ZERO}}, base;
  double tau[MODEL_MAX_JOINTS];
  external[foot->link] = force_to_base(&foot->placement, &robot->wrench[0]);
  ck_assert_int_eq(
      rnea_step(&robot->rnea, &robot->truth, robot->inertia, external, WITH_DRIVES, &base, tau),
      STATUS_OK);
  assert_near3(base.lin, VEC3_ZERO, 1e-8);
  assert_near3(base.ang, VEC3_ZERO, 1e-8);
  for (size_t j = 0; j < model->n_joints; j++) {
    assert_near(robot->tau[j], tau[j], 1e-8);
  }
  weighed_robot_destroy(robot);
}
END_TEST

START_TEST(a_load_weighs_what_it_weighs_and_can_be_taken_away_again) {
  struct weighed_robot *robot = new_robot();
  const size_t link = (size_t)model_find_link(&robot->robot->model, "torso_pitch_link");
  const vec3 place = {0.2, 0.05, 0.1};
  go_on(robot, 0.01);
  const struct force before = on_base(robot);
  weighed_robot_load(robot, link, 8.0, place, 0.3);
  go_on(robot, 0.01);
  const vec3 up = {0.0, 0.0, 8.0 * STANDARD_GRAVITY};
  const struct force laden = on_base(robot);
  assert_near3(vec3_sub(laden.lin, before.lin), up, 1e-9);
  assert_near3(vec3_sub(laden.ang, before.ang),
               vec3_cross(pose_apply(&robot->truth.X_BL[link], place), up), 1e-9);
  weighed_robot_load(robot, link, -8.0, place, 0.3);
  go_on(robot, 0.01);
  assert_near3(on_base(robot).lin, before.lin, 1e-9);
  weighed_robot_destroy(robot);
}
END_TEST

START_TEST(a_distorted_robot_differs_on_every_link_but_the_one_that_is_spared) {
  struct weighed_robot *robot = new_robot();
  const struct model *model = &robot->robot->model;
  weighed_robot_distort(robot, 3, 0.03, 5e-3);
  for (size_t i = 0; i < model->n_links; i++) {
    if (model->inertia[i].m == 0.0) {
      continue;
    }
    const vec3 shift = vec3_sub(inertia_com(&robot->inertia[i]), inertia_com(&model->inertia[i]));
    const double heavier = robot->inertia[i].m / model->inertia[i].m - 1.0;
    assert_near(vec3_norm(shift), i == 3 ? 0.0 : 5e-3, 1e-12);
    ck_assert_double_le(fabs(heavier), i == 3 ? 0.0 : 0.03);
  }
  weighed_robot_destroy(robot);
}
END_TEST

/* Mean square of a number over many samples against its expectation. */
START_TEST(noise_has_the_deviations_that_were_asked_for_white_or_not) {
  enum { SAMPLES = 20000 };
  for (int coloured = 0; coloured < 2; coloured++) {
    struct weighed_robot *robot = new_robot();
    robot->noise = (struct weighed_noise){.ddq = 0.5,
                                          .omegadot = 0.2,
                                          .specific_force = 0.1,
                                          .force = 2.0,
                                          .moment = 0.3,
                                          .motion_hz = coloured ? 40.0 : 0.0};
    double ddq = 0.0, turn = 0.0, push = 0.0, force = 0.0, moment = 0.0, next = 0.0, before = 0.0;
    for (int k = 0; k < SAMPLES; k++) {
      ck_assert_int_eq(weighed_robot_step(robot, DT), STATUS_OK);
      const struct kinematics *seen = &robot->measured;
      const double x = seen->ddq[4];
      ddq += x * x / SAMPLES;
      next += x * before / SAMPLES;
      before = x;
      turn += pow(seen->base.a_B.ang.y, 2.0) / SAMPLES;
      push += pow(seen->base.a_B.lin.z - STANDARD_GRAVITY, 2.0) / SAMPLES;
      force += pow(robot->wrench[1].lin.x, 2.0) / SAMPLES;
      moment += pow(robot->wrench[1].ang.z, 2.0) / SAMPLES;
    }
    const double share = coloured ? 0.15 : 0.05; /* five deviations of the mean square */
    assert_near(ddq, 0.25, share * 0.25);
    assert_near(turn, 0.04, share * 0.04);
    assert_near(push, 0.01, share * 0.01);
    assert_near(force, 4.0, 0.05 * 4.0);
    assert_near(moment, 0.09, 0.05 * 0.09);
    assert_near(next / ddq, coloured ? exp(-2.0 * M_PI * 40.0 * DT) : 0.0, 0.05);
    weighed_robot_destroy(robot);
  }
}
END_TEST

START_TEST(the_same_seed_gives_the_same_robot_bit_for_bit) {
  struct weighed_robot *robot[2];
  for (int i = 0; i < 2; i++) {
    robot[i] = new_robot();
    robot[i]->noise = (struct weighed_noise){.ddq = 0.5, .force = 2.0};
    move(robot[i]);
  }
  ck_assert_double_eq(robot[0]->wrench[0].lin.z, robot[1]->wrench[0].lin.z);
  ck_assert_double_eq(robot[0]->measured.ddq[3], robot[1]->measured.ddq[3]);
  weighed_robot_destroy(robot[0]);
  weighed_robot_destroy(robot[1]);
}
END_TEST

SUITE(standing_still_one_foot_carries_the_weight_below_the_centre_of_mass,
      with_the_foots_wrench_and_the_torques_the_base_needs_no_force,
      a_load_weighs_what_it_weighs_and_can_be_taken_away_again,
      a_distorted_robot_differs_on_every_link_but_the_one_that_is_spared,
      noise_has_the_deviations_that_were_asked_for_white_or_not,
      the_same_seed_gives_the_same_robot_bit_for_bit)
