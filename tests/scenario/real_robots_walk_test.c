/* Robots of which nobody chose anything for the walker's sake: joints without described rotors,
 * weak knees, narrow soles. Their descriptions are models beside the project. */
#include "support/sim_fixture.h"

#include <stdio.h>

static struct stock_robot real_robot(const char *urdf, const char *left, const char *right) {
  struct stock_robot stock;
  struct message error;
  struct robot_settings settings = {.n_feet = 2};
  snprintf(stock.urdf, sizeof(stock.urdf), "%s/models/%s",
           shared_data("real humanoids walk in the simulator"), urdf);
  snprintf(settings.urdf, sizeof(settings.urdf), "%s", stock.urdf);
  snprintf(settings.foot[0], sizeof(settings.foot[0]), "%s", left);
  snprintf(settings.foot[1], sizeof(settings.foot[1]), "%s", right);
  ck_assert_msg(robot_load(&settings, NULL, &stock.robot, &error) == STATUS_OK, "%s", error.text);
  return stock;
}

static struct stock_robot g1(void) {
  return real_robot("unitree_g1/g1_29dof.urdf", "left_ankle_roll_link@0.035,0,-0.035",
                    "right_ankle_roll_link@0.035,0,-0.035");
}

static struct stock_robot icub(void) {
  return real_robot("icub/iCubGenova04.urdf", "l_sole", "r_sole");
}

static const struct sim_body_error as_described = {0};

struct walked {
  double tilt, way;     /* rad, at most; m, at the end */
  double jolt;          /* rad/s^2: of any joint, at most */
  int frames, spent;    /* ms; of them, with a joint at its largest torque */
  bool fallen, as_long; /* as_long: to the end */
};

static void watch(const struct robot *robot, const struct sim_truth *t, struct walked *walked) {
  bool spent = false;
  for (size_t j = 0; j < t->n_joints; j++) {
    spent = spent || fabs(t->tau[j]) > 0.99 * robot->model.joint[j].tau_max;
    walked->jolt = fmax(walked->jolt, fabs(t->ddq[j]));
  }
  walked->frames++;
  walked->spent += spent;
  walked->fallen = walked->fallen || t->fallen;
  walked->tilt = fmax(walked->tilt, acos(fmin(1.0, fabs(t->base.X_WB.R.m[2][2]))));
}

static struct walked walk(const struct stock_robot *stock, double seconds, double uneven,
                          const struct sim_body_error *body) {
  struct walked walked = {.fallen = false};
  struct sim_options options = test_options(stock, "walk");
  options.stream[PROPRIOD_SHM_SKIN].rate_hz = 0.0;
  options.rest_s = 0.2;
  options.duration_s = seconds;
  options.seed = 24;
  options.ground.uneven = uneven;
  options.body = *body;
  struct sim *sim = test_sim(&options);
  enum status status;
  while ((status = sim_step(sim)) == STATUS_OK && !walked.fallen) {
    watch(stock->robot, sim_truth(sim), &walked);
  }
  walked.as_long = status == STATUS_OUT_OF_RANGE;
  walked.way = sim_truth(sim)->com_W.x;
  sim_destroy(sim);
  printf(
      "%s %s: %.2f m, tilt %.2f degrees, %d of %d ms at a drive's limit, jolts of %.0f rad/s^2\n",
      stock->robot->model.name, uneven > 0.0 ? "uneven" : "flat", walked.way,
      walked.tilt * 180.0 / M_PI, walked.spent, walked.frames, walked.jolt);
  return walked;
}

START_TEST(a_robot_whose_rotors_nobody_described_walks_upright) {
  const struct stock_robot stock = g1();
  const struct walked walked = walk(&stock, 6.0, 0.0, &as_described);
  must(walked.as_long && !walked.fallen);
  ck_assert_double_gt(walked.way, 0.6);
  ck_assert_double_lt(walked.tilt, 0.03);
  robot_destroy(stock.robot);
}
END_TEST

START_TEST(a_robot_whose_knees_are_weak_stands_straighter_steps_shorter_and_walks) {
  const struct stock_robot stock = icub();
  const struct walked walked = walk(&stock, 6.0, 0.0, &as_described);
  must(walked.as_long && !walked.fallen);
  ck_assert_double_gt(walked.way, 0.35);
  ck_assert_double_lt(walked.tilt, 0.05);
  ck_assert_int_lt(walked.spent, walked.frames / 50);
  ck_assert_double_lt(walked.jolt, 600.0); /* 1030 where its arms met the end of their range */
  robot_destroy(stock.robot);
}
END_TEST

START_TEST(a_robot_with_narrow_soles_feels_for_uneven_ground) {
  const struct stock_robot stock = g1();
  const struct walked walked = walk(&stock, 7.0, 3e-3, &as_described);
  must(walked.as_long && !walked.fallen);
  robot_destroy(stock.robot);
}
END_TEST

START_TEST(a_robot_with_narrow_soles_and_legs_of_unequal_length_levels_its_hips) {
  const struct stock_robot stock = g1();
  const struct sim_body_error wrong = {.length = 1e-3, .mass = 0.03, .com = 5e-3};
  const struct walked walked = walk(&stock, 6.0, 0.0, &wrong);
  must(walked.as_long && !walked.fallen);
  ck_assert_double_lt(walked.tilt, 0.05);
  robot_destroy(stock.robot);
}
END_TEST

SUITE(a_robot_whose_rotors_nobody_described_walks_upright,
      a_robot_whose_knees_are_weak_stands_straighter_steps_shorter_and_walks,
      a_robot_with_narrow_soles_feels_for_uneven_ground,
      a_robot_with_narrow_soles_and_legs_of_unequal_length_levels_its_hips)
