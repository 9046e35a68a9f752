/* The walker walks, and what it does is walking. */
#include "strips.h"
#include "support/sim_fixture.h"
#include "walk_pattern.h"

#include <string.h>

static struct sim_options walk_options(const struct stock_robot *stock, double duration_s) {
  struct sim_options options = test_options(stock, "walk");
  options.stream[PROPRIOD_SHM_SKIN].rate_hz = 0.0; /* only the body matters here */
  options.rest_s = 0.2;
  options.duration_s = duration_s;
  return options;
}

/* -- the pattern ------------------------------------------------------------------------------ */

static struct walk_pattern test_pattern(void) {
  return (struct walk_pattern){.start_s = 1.0,
                               .single_s = 0.6,
                               .double_s = 0.2,
                               .length = 0.2,
                               .omega = 3.5,
                               .steps = 6,
                               .home = {{0.0, 0.1, 0.0}, {0.0, -0.1, 0.0}},
                               .rise_step = 1000};
}

START_TEST(the_divergent_component_obeys_its_equation_and_stays_bounded) {
  const struct walk_pattern pattern = test_pattern();
  const double h = 1e-4;
  for (double t = 0.01; t < 8.0; t += 0.0137) {
    const vec3 before = walk_dcm(&pattern, t - h), now = walk_dcm(&pattern, t),
               after = walk_dcm(&pattern, t + h);
    const vec3 rate = vec3_scale(0.5 / h, vec3_sub(after, before));
    const vec3 expected = vec3_scale(pattern.omega, vec3_sub(now, walk_zmp(&pattern, t)));
    must_be_near(rate.x, expected.x, 2e-3); /* corners of the ZMP within the difference */
    must_be_near(rate.y, expected.y, 2e-3);
    must(fabs(now.y) < 0.1);
  }
  const vec3 end = walk_dcm(&pattern, 20.0);
  assert_near(end.x, 0.2 * 5.0, 1e-12); /* at rest between the feet */
  assert_near(end.y, 0.0, 1e-12);
}
END_TEST

START_TEST(the_zero_moment_point_is_continuous_and_rests_in_the_stance_foot) {
  const struct walk_pattern pattern = test_pattern();
  vec3 before = walk_zmp(&pattern, 0.0);
  for (double t = 0.0; t < 8.0; t += 1e-3) {
    const struct walk_phase phase = walk_phase_at(&pattern, t);
    const vec3 p = walk_zmp(&pattern, t);
    must(vec3_norm(vec3_sub(p, before)) < 2e-3); /* 0.28 m in 0.2 s at most */
    if (phase.single) {
      const vec3 stance = walk_foothold(&pattern, phase.step - 1);
      must(vec3_norm(vec3_sub(p, stance)) < 1e-12);
      must(walk_swing_foot(phase.step) != walk_swing_foot(phase.step - 1));
    }
    before = p;
  }
}
END_TEST

/* The plan of a bend is that of the start, turned about the bend's middle by so much a step;
 * whichever way the steps go, that one lies to the left of them. */
static void assert_footholds_on_circles(double length, double side) {
  struct walk_pattern pattern = test_pattern();
  pattern.length = length;
  pattern.side = side;
  pattern.turn = -0.3;
  const double radius = 0.5 / sin(0.5 * pattern.turn); /* of a stride */
  const vec3 middle = {-radius * side, radius * length, 0.0};
  for (int k = 0; k < pattern.steps - 1; k++) {
    const double turned = pattern.turn * (double)(k + 1);
    const vec3 home = pattern.home[walk_swing_foot(k)];
    const vec3 p = vec3_add(middle, turn_left(turned, vec3_sub(home, middle)));
    assert_near(vec3_norm(vec3_sub(walk_foothold(&pattern, k), p)), 0.0, 1e-12);
    assert_near(walk_heading(&pattern, k), turned, 1e-12);
  }
}

START_TEST(footholds_of_a_bend_lie_on_circles) {
  assert_footholds_on_circles(0.2, 0.0);
  assert_footholds_on_circles(-0.1, 0.05);
}
END_TEST

/* -- the robot ------------------------------------------------------------------------------ */

/* A walk to its end, and more of its first seconds. */
enum { FIRST_FRAMES = 6001 };
struct walked {
  double way, tilt;   /* m, rad: how far it gets; at most */
  bool fallen, ended; /* ended: as it should */
  double hardest;     /* N: largest vertical force on one foot */
  int single[2];      /* frames in which one foot alone carries */
  bool outside;       /* its sole, the centre of pressure then, by a millimetre */
  int agree, all;     /* feet and frames in which one carries as planned, and all */
  double highest;     /* m: of a foot */
};

/* Distance of a point outside a sole's rectangle, sole frame; the stock robots' soles by their
 * collision boxes. */
static double outside(const struct pose *X_WF, vec3 p_W, double half_x, double half_y) {
  const vec3 p = mat3_tmul_vec3(&X_WF->R, vec3_sub(p_W, X_WF->p));
  return hypot(fmax(fabs(p.x) - half_x, 0.0), fmax(fabs(p.y) - half_y, 0.0));
}

static void watch_feet(const struct sim_truth *t, struct walked *walked) {
  walked->hardest = fmax(walked->hardest, t->foot_wrench[0].lin.z);
  for (int k = 0; k < 2; k++) {
    if (t->foot_contact[k] && !t->foot_contact[1 - k]) {
      walked->outside = walked->outside || !(outside(&t->foot_W[k], t->cop_W, 0.105, 0.065) < 1e-3);
      walked->single[k]++;
    }
    walked->agree += t->foot_contact[k] == t->foot_planned[k];
    walked->all++;
    walked->highest = fmax(walked->highest, t->foot_W[k].p.z);
  }
}

static struct walked walk(const char *name, double duration_s, double strike_speed) {
  const struct stock_robot stock = test_robot(name);
  struct sim_options options = walk_options(&stock, duration_s);
  options.walk.strike_speed = strike_speed;
  struct sim *sim = test_sim(&options);
  const struct sim_truth *t = sim_truth(sim);
  struct walked walked = {.fallen = false};
  enum status status;
  for (int frame = 0; (status = sim_step(sim)) == STATUS_OK; frame++) {
    walked.fallen = walked.fallen || t->fallen;
    walked.tilt = fmax(walked.tilt, acos(fmin(1.0, t->base.X_WB.R.m[2][2])));
    if (frame < FIRST_FRAMES) {
      watch_feet(t, &walked);
    }
  }
  walked.ended = status == STATUS_OUT_OF_RANGE;
  walked.way = t->base.X_WB.p.x;
  sim_destroy(sim);
  return walked;
}

/* The big robot's walks, softly and with hard strikes. */
static struct walked soft, hard;

static void walk_the_big_robot(void) {
  soft = walk("humanoid30", 20.0, 0.0);
  hard = walk("humanoid30", 10.0, 0.3);
}

/* How far it has turned, rad, in so many steps. */
static double turned_by(const char *name, const char *scenario, double turn, double duration_s) {
  const struct stock_robot stock = test_robot(name);
  struct sim_options options = walk_options(&stock, duration_s);
  double turned = 0.0, before = 0.0;
  options.scenario = scenario;
  options.walk.step_turn = turn;
  struct sim *sim = test_sim(&options);
  while (sim_step(sim) == STATUS_OK) {
    const mat3 *R = &sim_truth(sim)->base.X_WB.R;
    const double yaw = atan2(R->m[1][0], R->m[0][0]);
    turned += remainder(yaw - before, 2.0 * M_PI);
    before = yaw;
  }
  ck_assert(!sim_truth(sim)->fallen);
  sim_destroy(sim);
  return turned;
}

/* Beyond half a turn, where an angle wraps. */
START_TEST(robots_go_round_bends) {
  assert_near(turned_by("humanoid18", "walk", 0.3, 12.0), 4.5, 0.6);
  assert_near(turned_by("quadruped12", "trot", -0.1, 6.0), -3.0, 0.6);
}
END_TEST

/* How far it has gone, m, ahead and to the left, with such steps. */
static vec3 gone_by(const char *name, const char *scenario, double length, double side) {
  const struct stock_robot stock = test_robot(name);
  struct sim_options options = walk_options(&stock, 6.0);
  options.scenario = scenario;
  options.walk.step_length = length;
  options.walk.step_side = side;
  options.walk.step_time = 0.4;
  options.walk.double_time = 0.2;
  struct sim *sim = test_sim(&options);
  ck_assert_int_eq(sim_step(sim), STATUS_OK);
  const vec3 from = sim_truth(sim)->base.X_WB.p;
  while (sim_step(sim) == STATUS_OK) {
  }
  ck_assert(!sim_truth(sim)->fallen);
  const vec3 gone = vec3_sub(sim_truth(sim)->base.X_WB.p, from);
  sim_destroy(sim);
  return gone;
}

static void assert_gone(vec3 gone, double ahead, double left) {
  assert_near(gone.x, ahead, 0.03);
  assert_near(gone.y, left, 0.03);
}

START_TEST(robots_go_backwards_and_aside) {
  /* half of the eighth step is done; a trot has its speed after a second */
  assert_gone(gone_by("humanoid18", "walk", -0.05, 0.03), -0.05 * 7.5, 0.03 * 7.5);
  const double steps = (6.0 - 0.2 - 0.5) / 0.6;
  assert_gone(gone_by("quadruped12", "trot", -0.04, -0.03), -0.04 * steps, -0.03 * steps);
}
END_TEST

/* Strips are as high in their middles as the trotter is told, the slope of the last as well. */
START_TEST(strips_are_where_who_trots_expects_them) {
  static struct block block[MJCF_MAX_BLOCKS];
  const struct sim_ground ground = {.uneven = 0.01, .slope = 0.03, .climb = 0.1};
  const struct strips strips = strips_of(&ground, 0.4, 0.05, test_seed());
  double ground_z = 0.0, lowest = 0.0, highest = 0.0;
  const size_t n = strips_lay(&strips, 1.0, block, &ground_z);
  ck_assert_uint_eq(n, 2 * (STRIPS_MAX + 1));
  for (size_t i = 0; i < n; i++) {
    const mat3 R = mat3_from_quat(quat_from_rotation_vector(block[i].tilt));
    const vec3 up = {0.0, 0.0, 0.5 * block[i].size.z};
    const vec3 top = vec3_add(block[i].centre, mat3_mul_vec3(&R, up));
    assert_near(top.z, strips_height(&strips, top.x, top.y), 1e-9);
    const double beside = top.z - ground.climb * fmax(top.x - strips.from, 0.0);
    lowest = fmin(lowest, beside);
    highest = fmax(highest, beside);
  }
  const struct sim_ground even = {.climb = 0.1};
  const struct strips ramp = strips_of(&even, 0.4, 0.05, test_seed());
  strips_lay(&ramp, 1.0, block, &ground_z);
  for (size_t i = 0; i < n; i++) { /* and beside their middles */
    const mat3 R = mat3_from_quat(quat_from_rotation_vector(block[i].tilt));
    const vec3 corner = {0.02, 0.5, 0.5 * block[i].size.z};
    const vec3 top = vec3_add(block[i].centre, mat3_mul_vec3(&R, corner));
    assert_near(top.z, strips_height(&ramp, top.x, top.y), 1e-4);
  }
  ck_assert(lowest < -0.005 && lowest >= -0.01 && highest > 0.005 && highest <= 0.01);
  ck_assert_double_lt(ground_z, -1.0);
  const struct strips flat = strips_of(&(struct sim_ground){.friction = 1.0}, 0.4, 0.05, 1);
  ck_assert_uint_eq(strips_lay(&flat, 1.0, block, &ground_z), 0);
  ck_assert_double_eq(strips_height(&flat, 3.0, 0.0), 0.0);
}
END_TEST

/* How high a quadruped is after some seconds over such ground, beside the ground's slope. */
static double trots_over(double uneven, double climb) {
  const struct stock_robot stock = test_robot("quadruped12");
  struct sim_options options = walk_options(&stock, 8.0);
  options.scenario = "trot";
  options.ground.uneven = uneven;
  options.ground.climb = climb;
  struct sim *sim = test_sim(&options);
  ck_assert_int_eq(sim_step(sim), STATUS_OK);
  const vec3 from = sim_truth(sim)->base.X_WB.p;
  double highest = 0.0;
  for (size_t i = 0; i < 4; i++) {
    highest = fmax(highest, sim_truth(sim)->foot_W[i].p.x);
  }
  while (sim_step(sim) == STATUS_OK) {
  }
  ck_assert(!sim_truth(sim)->fallen);
  const vec3 to = sim_truth(sim)->base.X_WB.p;
  ck_assert_double_gt(to.x - from.x, 1.0);
  sim_destroy(sim);
  return to.z - from.z - climb * (to.x - highest - 0.1);
}

START_TEST(a_quadruped_trots_up_a_slope_and_over_uneven_ground) {
  assert_near(trots_over(0.0, 0.05), 0.0, 0.015);
  assert_near(trots_over(0.0, 0.1), 0.0, 0.02);
  assert_near(trots_over(0.004, 0.0), 0.0, 0.02);
}
END_TEST

/* What lies on the ground lies across the way. */
START_TEST(nobody_leaves_the_straight_way_on_uneven_ground) {
  const struct stock_robot stock = test_robot("humanoid18");
  struct sim_options step = walk_options(&stock, 1.0), uneven = step, back = step;
  struct sim *sim = NULL;
  struct message error;
  step.scenario = "step";
  uneven.ground.uneven = 0.004;
  back.ground.climb = 0.05;
  step.walk.step_turn = 0.1;
  uneven.walk.step_side = 0.02;
  back.walk.step_length = -0.1;
  ck_assert_int_eq(sim_create(&sim, &step, &error), STATUS_REFUSED);
  ck_assert_ptr_nonnull(strstr(error.text, "step-turn 0.1"));
  ck_assert_int_eq(sim_create(&sim, &uneven, &error), STATUS_REFUSED);
  ck_assert_ptr_nonnull(strstr(error.text, "step-side 0.02"));
  ck_assert_int_eq(sim_create(&sim, &back, &error), STATUS_REFUSED);
  ck_assert_ptr_nonnull(strstr(error.text, "step-length -0.1"));
}
END_TEST

static void assert_walks(const struct walked *walked, double way) {
  ck_assert(walked->ended && !walked->fallen);
  ck_assert_double_lt(walked->tilt, 0.05);
  ck_assert_double_gt(walked->way, way);
}

START_TEST(the_big_robot_walks_for_twenty_seconds_softly_and_ten_with_hard_strikes) {
  assert_walks(&soft, 3.5);
  assert_walks(&hard, 1.5);
}
END_TEST

START_TEST(the_small_robot_walks_for_twenty_seconds_softly_and_ten_with_hard_strikes) {
  const struct walked softly = walk("humanoid18", 20.0, 0.0),
                      struck = walk("humanoid18", 10.0, 0.3);
  assert_walks(&softly, 3.0);
  assert_walks(&struck, 1.2);
}
END_TEST

START_TEST(in_single_support_the_centre_of_pressure_is_under_the_foot_that_carries) {
  ck_assert(!soft.outside);
  ck_assert_int_gt(soft.single[0], 1000);
  ck_assert_int_gt(soft.single[1], 1000);
}
END_TEST

START_TEST(feet_carry_when_the_plan_says_so_and_swing_otherwise) {
  ck_assert_int_gt(soft.agree, soft.all * 95 / 100);
  ck_assert_double_gt(soft.highest, 0.03);
}
END_TEST

START_TEST(hard_strikes_are_harder_than_soft_ones) {
  const double weight = 67.0 * STANDARD_GRAVITY;
  ck_assert_double_lt(soft.hardest, 1.4 * weight);
  ck_assert_double_gt(hard.hardest, 1.5 * weight);
}
END_TEST

START_TEST(it_stops_after_as_many_steps_as_asked_and_stands) {
  const struct stock_robot stock = test_robot("humanoid18");
  struct sim_options options = walk_options(&stock, 7.0);
  options.walk.steps = 4;
  options.walk.scatter = 0.0;
  options.walk.step_length = 0.1;
  struct sim *sim = test_sim(&options);
  while (sim_step(sim) == STATUS_OK) {
  }
  const struct sim_truth *t = sim_truth(sim);
  ck_assert(t->foot_planned[0] && t->foot_planned[1] && !t->fallen);
  assert_near(t->foot_W[0].p.x - t->foot_W[1].p.x, 0.0, 0.01);
  assert_near(vec3_norm(t->com_velocity_W), 0.0, 0.005);
  ck_assert_double_gt(t->base.X_WB.p.x, 0.25); /* three lengths and the last one alongside */
  sim_destroy(sim);
}
END_TEST

SUITE_AFTER(walk_the_big_robot, the_divergent_component_obeys_its_equation_and_stays_bounded,
            the_zero_moment_point_is_continuous_and_rests_in_the_stance_foot,
            footholds_of_a_bend_lie_on_circles, robots_go_round_bends,
            robots_go_backwards_and_aside, strips_are_where_who_trots_expects_them,
            a_quadruped_trots_up_a_slope_and_over_uneven_ground,
            nobody_leaves_the_straight_way_on_uneven_ground,
            the_big_robot_walks_for_twenty_seconds_softly_and_ten_with_hard_strikes,
            the_small_robot_walks_for_twenty_seconds_softly_and_ten_with_hard_strikes,
            in_single_support_the_centre_of_pressure_is_under_the_foot_that_carries,
            feet_carry_when_the_plan_says_so_and_swing_otherwise,
            hard_strikes_are_harder_than_soft_ones,
            it_stops_after_as_many_steps_as_asked_and_stands)
