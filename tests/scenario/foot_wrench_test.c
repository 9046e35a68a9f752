/* Feet of simulated robots: their wrenches from torques and from sensors against the truth. */
#include "centroidal/foot_wrench.h"

#include "body/frames.h"
#include "support/five_mass_fixture.h"

#include <stdio.h>

struct feet {
  struct stock_robot stock;
  struct sim *sim;
  struct kinematics kin;
  struct foot_wrench foot;
};

static void begin(struct feet *f, const char *robot, const char *scenario, double seconds) {
  f->stock = test_robot(robot);
  struct sim_options options = test_options(&f->stock, scenario);
  options.joints.has_effort = true;
  options.duration_s = seconds;
  const struct foot_wrench_settings settings = foot_wrench_defaults();
  struct arena arena = {0};
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      arena = arena_over(aligned_alloc(ARENA_ALIGN, arena.used), arena.used);
    }
    ck_assert_int_eq(kinematics_init(&f->kin, &f->stock.robot->model, &arena), STATUS_OK);
    ck_assert_int_eq(foot_wrench_init(&f->foot, f->stock.robot, &settings, &arena), STATUS_OK);
  }
  f->sim = test_sim(&options);
}

static void look(struct feet *f) {
  const struct sim_truth *truth = sim_truth(f->sim);
  const struct robot_motion motion = {
      .base = truth->base, .q = truth->q, .dq = truth->dq, .ddq = truth->ddq};
  must(kinematics_update(&f->kin, &motion) == STATUS_OK);
}

/* The true wrench on a foot, about its sole, base axes. */
static struct force truth_of(const struct feet *f, size_t foot) {
  const struct model_frame *frame = &f->stock.robot->foot[foot];
  const struct pose X = frame_pose(&f->kin, frame->link, &frame->placement);
  const struct force *w = &sim_truth(f->sim)->foot_wrench[foot];
  return (struct force){mat3_mul_vec3(&X.R, w->ang), mat3_mul_vec3(&X.R, w->lin)};
}

/* From these torques, by somebody who expects that the weight is shared evenly. */
static void find(struct feet *f, const double *tau, struct foot_wrenches *found) {
  const struct sim_truth *truth = sim_truth(f->sim);
  const double weight = STANDARD_GRAVITY * truth->mass;
  const vec3 up_B = vec3_from(truth->base.X_WB.R.m[2]);
  vec3 expected[ROBOT_MAX_FEET];
  look(f);
  for (size_t foot = 0; foot < f->stock.robot->n_feet; foot++) {
    expected[foot] = vec3_scale(weight / (double)f->stock.robot->n_feet, up_B);
  }
  must(foot_wrench_by_torques(&f->foot, &f->kin, f->stock.robot->model.inertia, tau, expected, up_B,
                              weight, found) == STATUS_OK);
}

/* Mean error of a foot's force in a walk, of the weight. */
static double mean_error(const char *robot, const char *gait) {
  static struct feet f;
  double sum = 0.0, n = 0.0;
  begin(&f, robot, gait, 4.0);
  while (sim_step(f.sim) == STATUS_OK) {
    struct foot_wrenches found;
    find(&f, sim_truth(f.sim)->tau, &found);
    for (size_t foot = 0; foot < f.stock.robot->n_feet; foot++) {
      sum += vec3_norm(vec3_sub(found.wrench_B[foot].lin, truth_of(&f, foot).lin));
      n += 1.0;
    }
  }
  const double error = sum / n / (STANDARD_GRAVITY * sim_truth(f.sim)->mass);
  printf("feet of %s from torques: %.4f of the weight\n", robot, error);
  return error;
}

START_TEST(torques_of_the_legs_say_what_each_foot_carries_also_while_walking) {
  ck_assert_double_le(mean_error("humanoid30", "walk"), 0.011);
}
END_TEST

START_TEST(torques_of_the_legs_say_what_points_carry) {
  ck_assert_double_le(mean_error("quadruped12", "trot"), 0.011);
}
END_TEST

/* Mean square of a foot's load in its deviations, torques being as noisy as they are said to be. */
static double mean_square(const char *robot, const char *gait) {
  static struct feet f;
  struct random rng = random_from(3);
  double squares = 0.0, n = 0.0;
  begin(&f, robot, gait, 3.0);
  while (sim_step(f.sim) == STATUS_OK) {
    const struct sim_truth *truth = sim_truth(f.sim);
    const vec3 up_B = vec3_from(truth->base.X_WB.R.m[2]);
    double tau[MODEL_MAX_JOINTS];
    struct foot_wrenches found;
    for (size_t j = 0; j < f.stock.robot->model.n_joints; j++) {
      tau[j] = truth->tau[j] + f.foot.settings.torque_sd * random_normal(&rng);
    }
    find(&f, tau, &found);
    for (size_t foot = 0; foot < f.stock.robot->n_feet; foot++) {
      const vec3 off = vec3_sub(found.wrench_B[foot].lin, truth_of(&f, foot).lin);
      squares += pow(vec3_dot(up_B, off) / found.load_sd[foot], 2);
      n += 1.0;
    }
  }
  printf("feet of %s from noisy torques: mean square %.2f\n", robot, squares / n);
  return squares / n;
}

START_TEST(what_a_foot_bears_is_known_as_well_as_its_torques_tell) {
  const double on_soles = mean_square("humanoid30", "walk"),
               on_points = mean_square("quadruped12", "trot");
  ck_assert_double_gt(on_soles, 0.7);
  ck_assert_double_lt(on_soles, 1.3);
  ck_assert_double_gt(on_points, 0.7);
  ck_assert_double_lt(on_points, 1.3);
}
END_TEST

START_TEST(sensors_on_the_feet_are_read_about_the_soles) {
  static struct feet f;
  begin(&f, "humanoid30", "walk", 2.5);
  while (sim_step(f.sim) == STATUS_OK) {
    struct foot_wrenches found;
    look(&f);
    const enum status status =
        foot_wrench_by_sensors(&f.foot, &f.kin, &sim_frame(f.sim)->wrench, &found);
    if (status != STATUS_OK) {
      continue; /* before the first sample */
    }
    for (size_t foot = 0; foot < 2; foot++) {
      const struct force true_B = truth_of(&f, foot);
      must_be_near_vec3(found.wrench_B[foot].lin, true_B.lin, 1e-6);
      must_be_near_vec3(found.wrench_B[foot].ang, true_B.ang, 1e-6);
    }
  }
}
END_TEST

START_TEST(a_foot_without_its_sensor_is_too_few_and_a_silent_stream_stale) {
  static struct feet f;
  begin(&f, "humanoid30", "stand", 0.2);
  struct foot_wrenches found = {.source = FOOT_BY_TORQUES};
  struct wrench_reading reading;
  while (sim_step(f.sim) == STATUS_OK) {
    look(&f);
  }
  reading = sim_frame(f.sim)->wrench;
  struct force broken[2] = {reading.wrench[0], reading.wrench[1]};
  const double no_force[] = {(double)NAN, 1e308, -1e9};
  for (size_t k = 0; k < sizeof(no_force) / sizeof(no_force[0]); k++) {
    broken[1].lin.x = no_force[k];
    reading.wrench = broken;
    ck_assert_int_eq(foot_wrench_by_sensors(&f.foot, &f.kin, &reading, &found), STATUS_TOO_FEW);
  }
  reading.stamp.present = false;
  ck_assert_int_eq(foot_wrench_by_sensors(&f.foot, &f.kin, &reading, &found), STATUS_STALE);
  ck_assert_int_eq(found.source, FOOT_BY_TORQUES);
}
END_TEST

/* A foot on two sensors of which one is broken: half of its force is not its force. */
START_TEST(a_foot_that_lost_one_of_its_two_sensors_has_too_few) {
  static struct feet f;
  begin(&f, "humanoid30", "stand", 0.2);
  must(sim_step(f.sim) == STATUS_OK);
  look(&f);
  struct robot *robot = f.stock.robot;
  struct force half = sim_frame(f.sim)->wrench.wrench[1];
  half = (struct force){vec3_scale(0.5, half.ang), vec3_scale(0.5, half.lin)};
  struct force read[3] = {sim_frame(f.sim)->wrench.wrench[0], half, half};
  struct wrench_reading reading = sim_frame(f.sim)->wrench;
  struct foot_wrenches found, whole;
  ck_assert_int_eq(foot_wrench_by_sensors(&f.foot, &f.kin, &reading, &whole), STATUS_OK);
  robot->wrench[2] = robot->wrench[1];
  robot->n_wrench = reading.n_sensors = 3;
  reading.wrench = read;
  ck_assert_int_eq(foot_wrench_by_sensors(&f.foot, &f.kin, &reading, &found), STATUS_OK);
  must_be_near_vec3(found.wrench_B[1].lin, whole.wrench_B[1].lin, 1e-9);
  read[2].ang.y = (double)NAN;
  ck_assert_int_eq(foot_wrench_by_sensors(&f.foot, &f.kin, &reading, &found), STATUS_TOO_FEW);
}
END_TEST

SUITE(torques_of_the_legs_say_what_each_foot_carries_also_while_walking,
      torques_of_the_legs_say_what_points_carry,
      what_a_foot_bears_is_known_as_well_as_its_torques_tell,
      sensors_on_the_feet_are_read_about_the_soles,
      a_foot_without_its_sensor_is_too_few_and_a_silent_stream_stale,
      a_foot_that_lost_one_of_its_two_sensors_has_too_few)
