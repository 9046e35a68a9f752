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

static void begin(struct feet *f, const char *scenario, double seconds) {
  f->stock = test_robot("humanoid30");
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

START_TEST(torques_of_the_legs_say_what_each_foot_carries_also_while_walking) {
  static struct feet f;
  double sum = 0.0, worst = 0.0;
  int n = 0;
  begin(&f, "walk", 4.0);
  while (sim_step(f.sim) == STATUS_OK) {
    const struct sim_truth *truth = sim_truth(f.sim);
    struct foot_wrenches found;
    vec3 expected[ROBOT_MAX_FEET];
    look(&f);
    for (size_t foot = 0; foot < 2; foot++) { /* half the weight each: deliberately wrong */
      expected[foot] = mat3_tmul_vec3(&truth->base.X_WB.R,
                                      (vec3){0.0, 0.0, 0.5 * STANDARD_GRAVITY * truth->mass});
    }
    must(foot_wrench_by_torques(&f.foot, &f.kin, f.stock.robot->model.inertia, truth->tau, expected,
                                STANDARD_GRAVITY * truth->mass, &found) == STATUS_OK);
    for (size_t foot = 0; foot < 2; foot++) {
      const struct force true_B = truth_of(&f, foot);
      const double e = vec3_norm(vec3_sub(found.wrench_B[foot].lin, true_B.lin));
      sum += e;
      worst = fmax(worst, e);
      n++;
    }
  }
  printf("feet from torques: %.2f N mean, %.1f N worst\n", sum / n, worst);
  ck_assert_double_le(sum / n, 7.0); /* a hundredth of the weight */
}
END_TEST

START_TEST(sensors_on_the_feet_are_read_about_the_soles) {
  static struct feet f;
  begin(&f, "walk", 2.5);
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
  begin(&f, "stand", 0.2);
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
  begin(&f, "stand", 0.2);
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
      sensors_on_the_feet_are_read_about_the_soles,
      a_foot_without_its_sensor_is_too_few_and_a_silent_stream_stale,
      a_foot_that_lost_one_of_its_two_sensors_has_too_few)
