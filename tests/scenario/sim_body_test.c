/* The simulated body differs from the described one as asked, and walks on ground that is not flat
 * or that rebounds. */
#include "body/frames.h"
#include "body_errors.h"
#include "common/arena.h"
#include "support/sim_fixture.h"
#include "support/sim_look.h"

#include <stdio.h>
#include <stdlib.h>

enum { SEEDS = 30 };

START_TEST(lengths_frames_masses_and_friction_are_off_by_as_much_as_asked) {
  const struct stock_robot stock = test_robot("humanoid30");
  const struct model *told = &stock.robot->model;
  struct sim_options options = test_options(&stock, "stand");
  options.body = (struct sim_body_error){
      .length = 1e-3, .tilt = 5e-3, .mass = 0.03, .com = 5e-3, .friction = 0.2};
  struct moments length = {0}, tilt = {0}, mass = {0}, com = {0}, friction = {0};
  for (int seed = 1; seed <= SEEDS; seed++) {
    struct real_body body;
    options.seed = (uint64_t)seed;
    ck_assert_int_eq(real_body_init(&body, &options), STATUS_OK);
    for (size_t j = 0; j < told->n_joints; j++) {
      const struct pose *a = &told->joint[j].placement, *b = &body.joint[j].placement;
      const mat3 back = mat3_transpose(&a->R), R = mat3_mul(&back, &b->R);
      add(&length, b->p.x - a->p.x);
      add(&length, b->p.z - a->p.z);
      add(&tilt, quat_to_rotation_vector(quat_from_mat3(&R)).y);
      if (told->joint[j].coulomb > 0.0) {
        add(&friction, body.joint[j].coulomb / told->joint[j].coulomb);
      }
    }
    for (size_t i = 0; i < told->n_links; i++) {
      const struct inertia *a = &told->inertia[i], *b = &body.inertia[i];
      add(&mass, b->m / a->m);
      add(&com, b->h.x / b->m - a->h.x / a->m);
    }
    real_body_free(&body);
  }
  assert_near(deviation_of(&length), 1e-3, 0.06e-3);
  assert_near(deviation_of(&tilt), 5e-3, 0.4e-3);
  assert_near(deviation_of(&mass), 0.03, 0.0025);
  assert_near(deviation_of(&com), 5e-3, 0.4e-3);
  ck_assert(friction.n == 0 || fabs(deviation_of(&friction) - 0.2) < 0.03);
  assert_near(mean_of(&mass), 1.0, 0.004);
}
END_TEST

START_TEST(a_described_robot_without_errors_is_simulated_as_it_is) {
  const struct stock_robot stock = test_robot("humanoid18");
  struct sim_options options = test_options(&stock, "stand");
  struct real_body body;
  ck_assert_int_eq(real_body_init(&body, &options), STATUS_OK);
  const size_t n = stock.robot->model.n_joints;
  for (size_t j = 0; j < n; j++) {
    const struct joint *a = &stock.robot->model.joint[j], *b = &body.joint[j];
    ck_assert_mem_eq(&a->placement, &b->placement, sizeof(a->placement));
    ck_assert_double_eq(a->viscous, b->viscous);
  }
  ck_assert_mem_eq(body.inertia, stock.robot->model.inertia, (n + 1) * sizeof(*body.inertia));
  real_body_free(&body);
}
END_TEST

/* Where the described robot would have its feet, from the true base and joints, less where they
 * are. */
static void compare_feet(const struct sim *sim, const struct robot *told, struct moments *error) {
  static struct kinematics kin;
  static void *memory;
  const struct sim_truth *truth = sim_truth(sim);
  if (memory == NULL) {
    struct arena arena = {0};
    kinematics_init(&kin, &told->model, &arena);
    memory = aligned_alloc(ARENA_ALIGN, arena.used);
    arena = arena_over(memory, arena.used);
    must(kinematics_init(&kin, &told->model, &arena) == STATUS_OK);
  }
  must(kinematics_update_position(&kin, truth->q) == STATUS_OK);
  for (size_t k = 0; k < truth->n_feet; k++) {
    const struct pose X_B = frame_pose(&kin, told->foot[k].link, &told->foot[k].placement);
    const vec3 p = pose_apply(&truth->base.X_WB, X_B.p);
    add(error, vec3_norm(vec3_sub(p, truth->foot_W[k].p)));
  }
}

START_TEST(wrong_lengths_put_the_feet_where_the_description_does_not_have_them) {
  const struct stock_robot stock = test_robot("humanoid18");
  struct sim_options options = test_options(&stock, "stand");
  options.duration_s = 0.2;
  options.stream[PROPRIOD_SHM_SKIN].rate_hz = 0.0;
  struct moments right = {0}, wrong = {0};
  struct sim *sim = test_sim(&options);
  must(sim_step(sim) == STATUS_OK);
  compare_feet(sim, stock.robot, &right);
  ck_assert_double_lt(mean_of(&right), 1e-9);
  assert_near(sim_truth(sim)->mass, model_mass(&stock.robot->model), 1e-9);
  sim_destroy(sim);
  options.body = (struct sim_body_error){.length = 1e-3, .mass = 0.03};
  sim = test_sim(&options);
  must(sim_step(sim) == STATUS_OK);
  compare_feet(sim, stock.robot, &wrong);
  ck_assert_double_gt(mean_of(&wrong), 1e-3);
  ck_assert_double_lt(mean_of(&wrong), 10e-3);
  ck_assert_double_gt(fabs(sim_truth(sim)->mass - model_mass(&stock.robot->model)), 0.01);
  sim_destroy(sim);
}
END_TEST

/* What a walk's feet meet: their heights in stance, and how often a foot's contact changes. */
struct steps {
  double lowest, highest, tilt;
  int changes, landings;
  bool contact[ROBOT_MAX_FEET];
};

static void watch_feet(const struct sim *sim, void *user) {
  struct steps *steps = user;
  const struct sim_truth *truth = sim_truth(sim);
  must(!truth->fallen);
  for (size_t k = 0; k < truth->n_feet; k++) {
    if (truth->foot_contact[k] != steps->contact[k]) {
      steps->changes++;
      steps->contact[k] = truth->foot_contact[k];
    }
    if (truth->foot_wrench[k].lin.z > 100.0) {
      const double z = truth->foot_W[k].p.z;
      steps->lowest = fmin(steps->lowest, z);
      steps->highest = fmax(steps->highest, z);
      steps->tilt = fmax(steps->tilt, acos(fmin(1.0, truth->foot_W[k].R.m[2][2])));
    }
  }
}

static struct steps walk_on(const struct sim_ground *ground, double strike_speed) {
  const struct stock_robot stock = test_robot("humanoid30");
  struct sim_options options = test_options(&stock, "walk");
  options.stream[PROPRIOD_SHM_SKIN].rate_hz = 0.0;
  options.rest_s = 0.2;
  options.duration_s = 8.0;
  options.ground = *ground;
  options.walk.strike_speed = strike_speed;
  struct steps steps = {.lowest = HUGE_VAL, .highest = -HUGE_VAL};
  run(&options, watch_feet, &steps);
  robot_destroy(stock.robot);
  return steps;
}

START_TEST(feet_stand_higher_and_lower_and_tilted_on_uneven_ground) {
  const struct sim_ground flat = {0}, uneven = {.uneven = 8e-3}, sloping = {.slope = 0.03};
  const struct steps even = walk_on(&flat, 0.0), rough = walk_on(&uneven, 0.0),
                     tilted = walk_on(&sloping, 0.0);
  printf("stance heights %.1f mm flat, %.1f mm uneven; tilt %.4f flat, %.4f sloping\n",
         1e3 * (even.highest - even.lowest), 1e3 * (rough.highest - rough.lowest), even.tilt,
         tilted.tilt);
  ck_assert_double_lt(even.highest - even.lowest, 5e-3);
  ck_assert_double_gt(rough.highest - rough.lowest, 8e-3);
  ck_assert_double_lt(rough.highest - rough.lowest, 25e-3);
  ck_assert_double_gt(tilted.tilt, even.tilt + 0.01);
}
END_TEST

START_TEST(ground_without_damping_makes_feet_chatter) {
  const struct sim_ground damped = {.time_s = 0.02}, bouncing = {.time_s = 0.02, .damping = 0.05};
  const struct steps quiet = walk_on(&damped, 0.1), chatter = walk_on(&bouncing, 0.1);
  printf("changes of contact: %d on damped ground, %d on ground that rebounds\n", quiet.changes,
         chatter.changes);
  ck_assert_int_gt(chatter.changes, 2 * quiet.changes);
}
END_TEST

SUITE(lengths_frames_masses_and_friction_are_off_by_as_much_as_asked,
      a_described_robot_without_errors_is_simulated_as_it_is,
      wrong_lengths_put_the_feet_where_the_description_does_not_have_them,
      feet_stand_higher_and_lower_and_tilted_on_uneven_ground,
      ground_without_damping_makes_feet_chatter)
