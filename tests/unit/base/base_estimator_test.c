#include "base/base_estimator.h"

#include "support/random_model.h"

#include <math.h>

/* A robot whose soles hang from the base where a test puts them. */

static const double WEIGHT = 670.0, DT = 1e-3;

struct fixture {
  struct random rng;
  struct robot robot;
  struct kinematics kin;
  struct base_estimator base;
  double strain[ROBOT_MAX_FEET];
  double height_sd;   /* m */
  double tilt_sd;     /* rad */
  double cop_y;       /* m: between the soles at +-0.1 */
  vec3 velocity;      /* m/s: of the base */
  const double *felt; /* [n_feet] N: what their sensors feel, NULL: there are none */
  bool measured;      /* their readings vary */
  bool late;          /* it is what the legs' torques told some time ago */
  bool unknown[2];    /* where the foot is nobody knows */
  enum leg_load legs;
};

static void begin(struct fixture *f, size_t n_feet) {
  *f = (struct fixture){.rng = random_from(test_seed()), .height_sd = 1e-3};
  f->robot.model = *random_model(&f->rng, (struct random_model_options){.n_joints = 1});
  f->robot.n_feet = n_feet;
  for (size_t i = 0; i < n_feet; i++) {
    f->robot.foot[i].placement = POSE_IDENTITY;
    f->robot.foot[i].placement.p = (vec3){0.0, i == 0 ? 0.1 : -0.1, -0.9};
  }
  struct arena arena = {0};
  for (int pass = 0; pass < 2; pass++) {
    arena = pass == 0 ? arena : test_arena(arena.used);
    ck_assert_int_eq(kinematics_init(&f->kin, &f->robot.model, &arena), STATUS_OK);
  }
  const double q[1] = {0.0};
  const struct robot_motion motion = {.base.X_WB = POSE_IDENTITY, .q = q};
  ck_assert_int_eq(kinematics_update(&f->kin, &motion), STATUS_OK);
  const struct base_estimator_settings settings = base_estimator_defaults();
  ck_assert_int_eq(base_estimator_init(&f->base, &f->robot, &settings), STATUS_OK);
}

static void step(struct fixture *f) {
  struct pose X_WB = POSE_IDENTITY;
  X_WB.p.z = 0.9;
  const struct base_contacts contacts = {
      .cop_known = true,
      .cop_W = {0.0, f->cop_y, 0.0},
      .f_z = WEIGHT,
      .weight = WEIGHT,
      .foot_f_z = f->felt,
      .measured = f->measured,
      .late = f->late,
      .borne = f->felt != NULL ? (f->felt[0] + f->felt[1]) / WEIGHT : 1.0,
      .legs = f->legs,
      .unknown = {f->unknown[0], f->unknown[1]}};
  base_estimator_step(&f->base, &f->kin, &X_WB, f->velocity, f->height_sd, f->tilt_sd, f->strain,
                      &contacts, DT);
}

/* The base turns about the y axis through `edge`, rad/s. */
static void turn(struct fixture *f, double rate, vec3 edge) {
  const double zero[1] = {0.0};
  const vec3 omega = {0.0, rate, 0.0}, origin = {0.0, 0.0, 0.9};
  const struct robot_motion motion = {
      .base = {.X_WB = POSE_IDENTITY, .v_B.ang = omega}, .q = zero, .dq = zero, .ddq = zero};
  ck_assert_int_eq(kinematics_update(&f->kin, &motion), STATUS_OK);
  f->velocity = vec3_cross(omega, vec3_sub(origin, edge));
}

static void run(struct fixture *f, double seconds) {
  for (long k = lround(seconds / DT); k > 0; k--) {
    step(f);
  }
}

static void lift(struct fixture *f, size_t foot, double height) {
  f->robot.foot[foot].placement.p.z = -0.9 + height;
}

/* Right foot up, weight on the left, and down again on ground of this height. Returns in how many
 * steps the filter was told that it landed. */
static int step_onto(struct fixture *f, double height) {
  int landed = 0;
  lift(f, 1, 0.1);
  f->cop_y = 0.1;
  run(f, 0.5);
  ck_assert(!f->base.contact[1].stands && f->base.contact[0].stands);
  lift(f, 1, height);
  f->cop_y = 0.0;
  for (int k = 0; k < 300; k++) {
    step(f);
    landed += f->base.contact[1].stands && f->base.contact[1].landed;
  }
  ck_assert(f->base.contact[1].stands && !f->base.contact[1].landed);
  return landed;
}

START_TEST(a_touch_down_near_the_known_ground_is_on_it_and_lands_once) {
  struct fixture f;
  begin(&f, 2);
  run(&f, 0.5);
  ck_assert_uint_eq(f.base.touch_downs, 0);
  ck_assert_int_eq(step_onto(&f, 0.008), 1);
  ck_assert_uint_eq(f.base.touch_downs, 1);
  ck_assert_uint_eq(f.base.step_count, 0);
  ck_assert(f.base.contact[1].level && f.base.contact[1].known);
  ck_assert_double_eq(f.base.contact[1].ground, 0.0);
  assert_near(base_estimator_ground(&f.base), 0.0, 1e-12);
}
END_TEST

/* Of a base tilted as nobody knew heights chose the feet, and these proved the tilt. */
START_TEST(late_legs_tell_which_feet_carry_until_heights_do) {
  const double left[2] = {WEIGHT, 0.0};
  struct fixture f;
  begin(&f, 2);
  f.felt = left;
  f.late = true;
  f.tilt_sd = 0.1; /* rad, between feet 0.2 m apart */
  run(&f, 0.5);
  ck_assert(f.base.contact[0].stands && !f.base.contact[1].stands);
  f.tilt_sd = 0.01;
  run(&f, 0.5);
  ck_assert(f.base.contact[0].stands && f.base.contact[1].stands);
}
END_TEST

/* A robot that trotted when the daemon started was believed to be turned by 16 degrees, and the
 * next foot to come down found a step of 85 mm, which proved that. */
START_TEST(a_touch_down_far_from_the_known_ground_is_a_step_unless_height_or_tilt_is_in_doubt) {
  enum { NO_DOUBT, HEIGHT, TILT, DOUBTS };
  for (int doubt = NO_DOUBT; doubt < DOUBTS; doubt++) {
    struct fixture f;
    begin(&f, 2);
    f.height_sd = doubt == HEIGHT ? 0.02 : 1e-3;
    f.tilt_sd = doubt == TILT ? 0.1 : 1e-3;   /* rad, between feet 0.2 m apart */
    f.base.support.settings.clearance = 0.06; /* feet of different height share the weight */
    run(&f, 0.5);
    ck_assert_int_eq(step_onto(&f, 0.05), 1);
    ck_assert_uint_eq(f.base.step_count, doubt ? 0 : 1);
    assert_near(f.base.contact[1].ground, doubt ? 0.0 : 0.05, 1e-9);
    ck_assert_int_eq(f.base.contact[1].known, doubt != NO_DOUBT);
  }
}
END_TEST

/* Heights that feet have found counted as known from the next landing on: up a ramp the base's was
 * 40 mm off, 17 deviations. */
START_TEST(ground_beside_what_feet_have_found_is_not_known_either_until_the_base_begins_anew) {
  struct fixture f;
  begin(&f, 2);
  f.base.support.settings.clearance = 0.06;
  run(&f, 0.5);
  step_onto(&f, 0.05);
  ck_assert(f.base.contact[0].known && !f.base.contact[1].known);
  f.cop_y = -0.1; /* the left one follows */
  lift(&f, 0, 0.15);
  run(&f, 0.5);
  lift(&f, 0, 0.055);
  f.cop_y = 0.0;
  run(&f, 0.3);
  ck_assert(f.base.contact[0].stands && !f.base.contact[0].known);
  assert_near(f.base.contact[0].ground, 0.05, 1e-9);
  base_estimator_begin(&f.base);
  run(&f, 0.1);
  ck_assert(f.base.contact[0].known && f.base.contact[1].known);
  ck_assert_double_eq(f.base.contact[0].ground, 0.0);
}
END_TEST

/* A leg that read zero for .8 s in a walk: the ground was a step of 35 mm from then on, where it
 * was taken to have come down, and the base as much too high for ever. */
START_TEST(a_foot_that_nobody_knows_of_stands_on_nothing_and_lands_when_it_is_known_again) {
  for (int felt = 0; felt < 2; felt++) {
    const double both[] = {0.5 * WEIGHT, 0.5 * WEIGHT};
    struct fixture f;
    begin(&f, 2);
    f.felt = felt ? both : NULL;
    run(&f, 0.5);
    f.unknown[1] = true;
    f.robot.foot[1].placement.p.z -= 0.05; /* where it is not */
    run(&f, 0.5);
    ck_assert(f.base.contact[0].stands && !f.base.contact[1].stands);
    f.robot.foot[1].placement.p.z += 0.05;
    f.unknown[1] = false;
    int landed = 0;
    for (int k = 0; k < 300; k++) {
      step(&f);
      landed += f.base.contact[1].landed && f.base.contact[1].stands;
    }
    ck_assert_int_eq(landed, 1);
    ck_assert(f.base.contact[0].stands && f.base.contact[1].stands && f.base.contact[1].level);
    ck_assert_uint_eq(f.base.step_count, 0);
    ck_assert_double_eq(f.base.contact[1].ground, 0.0);
  }
}
END_TEST

START_TEST(a_foot_that_strains_slips_until_it_has_strained_no_more_for_a_while) {
  struct fixture f;
  begin(&f, 2);
  f.cop_y = 0.05;
  run(&f, 0.5);
  int landed = 0;
  f.strain[0] = 2.0 * f.base.settings.slip_strain;
  for (int k = 0; k < 200; k++) {
    step(&f);
    ck_assert(f.base.slips && f.base.contact[0].stands && !f.base.contact[0].level);
    ck_assert(!f.base.contact[1].landed);
    landed += f.base.contact[0].landed;
  }
  ck_assert_int_ge(landed, 8); /* taken as standing anew again and again */
  ck_assert_int_le(landed, 12);
  ck_assert_uint_eq(f.base.slip_count, 1);
  f.strain[0] = 0.5 * f.base.settings.slip_strain;
  run(&f, 0.9 * f.base.settings.slip_s);
  ck_assert(f.base.slips);
  run(&f, 0.2 * f.base.settings.slip_s);
  ck_assert(!f.base.slips && f.base.contact[0].level && !f.base.contact[0].landed);
  ck_assert_uint_eq(f.base.slip_count, 1);
}
END_TEST

START_TEST(a_foot_that_strains_while_its_sole_turns_about_an_edge_tips_until_it_rests) {
  struct fixture f;
  begin(&f, 2);
  f.cop_y = 0.05;
  run(&f, 0.5);
  turn(&f, 0.5, (vec3){0.15, 0.0, 0.0});
  run(&f, 0.1);
  ck_assert(f.base.contact[0].turns && !f.base.contact[0].tips); /* it does not strain */
  f.strain[0] = 2.0 * f.base.settings.slip_strain;
  run(&f, 0.1);
  ck_assert(f.base.contact[0].tips && f.base.slips && !f.base.contact[0].level);
  f.strain[0] = 0.0;
  run(&f, 3.0 * f.base.settings.slip_s);
  ck_assert(f.base.contact[0].tips); /* on its edge it has no reason to strain */
  turn(&f, 0.0, VEC3_ZERO);
  run(&f, 1.1 * f.base.settings.slip_s);
  ck_assert(!f.base.contact[0].tips && !f.base.slips && f.base.contact[0].level);
}
END_TEST

START_TEST(points_that_turn_under_their_legs_do_not_tip) {
  struct fixture f;
  begin(&f, 4);
  run(&f, 0.5);
  turn(&f, 0.5, (vec3){0.15, 0.0, 0.0});
  f.strain[0] = 2.0 * f.base.settings.slip_strain;
  run(&f, 0.1);
  ck_assert(!f.base.contact[0].turns && !f.base.contact[0].tips);
  f.strain[0] = 0.0;
  run(&f, 1.1 * f.base.settings.slip_s);
  ck_assert(!f.base.slips);
}
END_TEST

START_TEST(two_feet_that_tip_do_not_make_a_robot_hang) {
  for (int tips = 0; tips < 2; tips++) {
    struct fixture f;
    begin(&f, 2);
    run(&f, 0.5);
    turn(&f, 0.5, (vec3){tips ? 0.15 : 0.9, 0.0, 0.0});
    f.strain[0] = f.strain[1] = 100.0;
    run(&f, 0.1);
    ck_assert_int_eq(f.base.hanging, !tips);
  }
}
END_TEST

START_TEST(a_foot_that_has_just_come_down_or_carries_little_does_not_slip) {
  struct fixture f;
  begin(&f, 2);
  run(&f, 0.5);
  lift(&f, 1, 0.1);
  f.cop_y = 0.1;
  run(&f, 0.5);
  lift(&f, 1, 0.0);
  f.cop_y = 0.0;
  while (!f.base.contact[1].stands) {
    step(&f);
  }
  f.strain[1] = 1e3;
  run(&f, 0.03);
  ck_assert_uint_eq(f.base.slip_count, 0);
  f.strain[1] = 0.0;
  f.cop_y = 0.07; /* 15 % */
  run(&f, 0.5);
  ck_assert(f.base.contact[1].stands);
  f.strain[1] = 1e3;
  run(&f, 0.3);
  ck_assert_uint_eq(f.base.slip_count, 0);
}
END_TEST

START_TEST(when_both_feet_strain_the_robot_hangs_and_stands_anew_afterwards) {
  struct fixture f;
  begin(&f, 2);
  run(&f, 0.5);
  f.strain[0] = f.strain[1] = 100.0;
  run(&f, 0.1);
  ck_assert(f.base.hanging && !f.base.contact[0].stands && !f.base.contact[1].stands);
  f.strain[0] = f.strain[1] = 0.0;
  int landed[2] = {0};
  for (int k = 0; k < 300; k++) {
    step(&f);
    for (int i = 0; i < 2; i++) {
      landed[i] += f.base.contact[i].stands && f.base.contact[i].landed;
    }
  }
  ck_assert(!f.base.hanging && f.base.contact[0].stands && f.base.contact[1].stands);
  ck_assert_int_eq(landed[0], 1);
  ck_assert_int_eq(landed[1], 1);
}
END_TEST

/* Legs that bear nothing tell what the motion does not, and legs that carry that it slides. */
START_TEST(legs_say_whether_a_robot_hangs) {
  struct fixture f;
  begin(&f, 2);
  f.legs = LEGS_CARRY;
  run(&f, 0.5);
  ck_assert(f.base.contact[0].stands && f.base.contact[1].stands);
  f.strain[0] = f.strain[1] = 100.0;
  run(&f, 1.0);
  ck_assert(f.base.slips && !f.base.hanging && f.base.contact[0].stands);
  f.strain[0] = f.strain[1] = 0.0;
  f.legs = LEGS_HANG;
  run(&f, 0.3);
  ck_assert(!f.base.hanging && !f.base.contact[0].stands && !f.base.contact[1].stands); /* a leap */
  run(&f, 0.3);
  ck_assert(f.base.hanging);
  f.legs = LEGS_CARRY;
  run(&f, 0.1);
  ck_assert(!f.base.hanging && f.base.contact[0].stands && f.base.contact[1].stands);
}
END_TEST

START_TEST(a_robot_on_one_foot_slips_and_hangs_when_that_lasts) {
  struct fixture f;
  begin(&f, 1);
  f.cop_y = 0.1;
  run(&f, 0.5);
  f.strain[0] = 100.0;
  run(&f, 0.1);
  ck_assert(f.base.slips && !f.base.hanging && f.base.contact[0].stands);
  f.velocity.x = 0.5;
  run(&f, 0.3);
  ck_assert(f.base.hanging && !f.base.contact[0].stands);
}
END_TEST

/* Turns a sole about its x axis, rad. */
static void turn_sole(struct fixture *f, size_t foot, double angle) {
  f->robot.foot[foot].placement.R = mat3_from_rpy((vec3){angle, 0.0, 0.0});
}

START_TEST(soles_that_begin_as_nobody_stands_hang_until_they_have_rested_for_long) {
  static const double degree = M_PI / 180.0;
  struct fixture f;
  begin(&f, 2);
  turn_sole(&f, 1, 4.0 * degree);
  run(&f, 0.01);
  ck_assert(!f.base.hanging && f.base.contact[0].level);
  begin(&f, 2);
  turn_sole(&f, 1, 6.0 * degree);
  run(&f, 0.01);
  ck_assert(f.base.hanging && !f.base.contact[0].stands && !f.base.contact[1].stands);
  run(&f, 1.9);
  ck_assert(f.base.hanging);
  run(&f, 0.2); /* it stands so, on uneven ground */
  ck_assert(!f.base.hanging && f.base.contact[0].stands);
  begin(&f, 4); /* points are turned anyhow */
  turn_sole(&f, 1, 60.0 * degree);
  run(&f, 0.01);
  ck_assert(!f.base.hanging);
}
END_TEST

START_TEST(two_soles_that_stand_and_are_not_parallel_are_not_both_level) {
  struct fixture f;
  begin(&f, 2);
  run(&f, 0.5);
  ck_assert(f.base.contact[0].level && f.base.contact[1].level);
  turn_sole(&f, 1, 0.15);
  run(&f, 0.01);
  ck_assert(!f.base.contact[0].level && !f.base.contact[1].level);
  lift(&f, 1, 0.1); /* one that is in the air says nothing of the other */
  f.cop_y = 0.1;
  run(&f, 0.5);
  ck_assert(!f.base.contact[1].stands && f.base.contact[0].level);
}
END_TEST

START_TEST(sensors_of_feet_count_when_they_have_felt_the_robot_once) {
  static const double none[2] = {0.4, -0.3}, weight[2] = {0.5 * 670.0, 0.5 * 670.0};
  struct fixture f;
  begin(&f, 2);
  f.felt = none;
  run(&f, 1.0);
  ck_assert(!f.base.contact[0].felt && !f.base.hanging && f.base.contact[0].stands);
  f.strain[0] = f.strain[1] = 100.0; /* and it hangs as one that has none */
  run(&f, 0.1);
  ck_assert(f.base.hanging);
  f.strain[0] = f.strain[1] = 0.0;
  f.felt = weight;
  run(&f, 0.3);
  ck_assert(f.base.contact[0].felt && !f.base.hanging && f.base.contact[0].stands);
  f.felt = none;
  run(&f, 0.4);
  ck_assert(!f.base.hanging); /* a leap */
  run(&f, 0.4);
  ck_assert(f.base.hanging);
}
END_TEST

/* They are level once they bear the whole weight: until then a sole may lie on an edge. */
START_TEST(a_robot_that_measuring_sensors_do_not_feel_hangs_and_is_let_down_onto_edges) {
  static const double none[2] = {0.4, -0.3}, half[2] = {0.25 * 670.0, 0.25 * 670.0},
                      weight[2] = {0.5 * 670.0, 0.5 * 670.0};
  struct fixture f;
  begin(&f, 2);
  f.felt = none;
  f.measured = true;
  run(&f, 2.0 * DT);
  ck_assert(f.base.hanging && !f.base.contact[0].stands);
  f.felt = half;
  run(&f, 1.0);
  ck_assert(!f.base.hanging && f.base.contact[0].stands && f.base.contact[0].tips);
  ck_assert_double_eq_tol(f.base.contact[0].share, 0.25, 1e-2);
  f.felt = weight;
  run(&f, 0.4);
  ck_assert(f.base.contact[0].tips);
  bool landed = false;
  for (int k = 0; k < 200; k++) {
    step(&f);
    landed = landed || (f.base.contact[0].landed && !f.base.contact[0].tips);
  }
  ck_assert(landed && !f.base.contact[0].tips); /* and it is level here */
  ck_assert_double_eq_tol(f.base.contact[0].share, 0.5, 1e-2);
}
END_TEST

START_TEST(a_reload_takes_over_what_is_known_of_the_feet_and_no_settings) {
  struct fixture f;
  begin(&f, 2);
  struct base_estimator after;
  struct base_estimator_settings settings = base_estimator_defaults();
  settings.slip_strain = 33.0;
  settings.support.enter = 0.7;
  f.base.hanging = f.base.contact[1].stands = f.base.support.stands[0] = true;
  f.base.slipping_s[1] = 0.25;
  f.base.standing_s[0] = 4.0;
  f.base.ground[0] = 0.05;
  f.base.slip_count = 3;
  ck_assert_int_eq(base_estimator_init(&after, &f.robot, &settings), STATUS_OK);
  base_estimator_adopt(&after, &f.base);
  ck_assert(after.hanging && after.contact[1].stands && after.support.stands[0]);
  ck_assert_double_eq(after.slipping_s[1], 0.25);
  ck_assert_double_eq(after.standing_s[0], 4.0);
  ck_assert_double_eq(after.ground[0], 0.05);
  ck_assert_uint_eq(after.slip_count, 3);
  ck_assert_mem_eq(&after.settings, &settings, sizeof(settings));
  ck_assert_double_eq(after.support.settings.enter, 0.7);
  f.robot.n_feet = 1; /* other feet: nothing is known of them */
  ck_assert_int_eq(base_estimator_init(&after, &f.robot, &settings), STATUS_OK);
  base_estimator_adopt(&after, &f.base);
  ck_assert(!after.hanging && !after.support.stands[0]);
  ck_assert_double_eq(after.ground[0], 0.0);
}
END_TEST

START_TEST(settings_that_mean_nothing_are_refused) {
  struct fixture f;
  begin(&f, 2);
  for (int k = 0; k < 3; k++) {
    struct base_estimator_settings settings = base_estimator_defaults();
    double *const positive[] = {&settings.step_height, &settings.slip_strain, &settings.slip_s};
    *positive[k] = k == 1 ? (double)NAN : 0.0;
    ck_assert_int_eq(base_estimator_init(&f.base, &f.robot, &settings), STATUS_OUT_OF_RANGE);
  }
}
END_TEST

SUITE(late_legs_tell_which_feet_carry_until_heights_do,
      a_touch_down_near_the_known_ground_is_on_it_and_lands_once,
      a_touch_down_far_from_the_known_ground_is_a_step_unless_height_or_tilt_is_in_doubt,
      ground_beside_what_feet_have_found_is_not_known_either_until_the_base_begins_anew,
      a_foot_that_nobody_knows_of_stands_on_nothing_and_lands_when_it_is_known_again,
      a_foot_that_strains_slips_until_it_has_strained_no_more_for_a_while,
      a_foot_that_strains_while_its_sole_turns_about_an_edge_tips_until_it_rests,
      points_that_turn_under_their_legs_do_not_tip, two_feet_that_tip_do_not_make_a_robot_hang,
      a_foot_that_has_just_come_down_or_carries_little_does_not_slip,
      when_both_feet_strain_the_robot_hangs_and_stands_anew_afterwards,
      legs_say_whether_a_robot_hangs, a_robot_on_one_foot_slips_and_hangs_when_that_lasts,
      soles_that_begin_as_nobody_stands_hang_until_they_have_rested_for_long,
      two_soles_that_stand_and_are_not_parallel_are_not_both_level,
      sensors_of_feet_count_when_they_have_felt_the_robot_once,
      a_robot_that_measuring_sensors_do_not_feel_hangs_and_is_let_down_onto_edges,
      a_reload_takes_over_what_is_known_of_the_feet_and_no_settings,
      settings_that_mean_nothing_are_refused)
