#include "base/base_estimator.h"

#include "support/feet_fixture.h"

#include <math.h>

/* Right foot up, weight on the left, and down again on ground of this height. Returns in how many
 * steps the filter was told that it landed. */
static int step_onto(struct feet_fixture *f, double height) {
  int landed = 0;
  foot_lift(f, 1, 0.1);
  f->cop_y = 0.1;
  feet_run(f, 0.5);
  ck_assert(!f->base.contact[1].stands && f->base.contact[0].stands);
  foot_lift(f, 1, height);
  f->cop_y = 0.0;
  for (int k = 0; k < 300; k++) {
    feet_step(f);
    landed += f->base.contact[1].stands && f->base.contact[1].landed;
  }
  ck_assert(f->base.contact[1].stands && !f->base.contact[1].landed);
  return landed;
}

START_TEST(a_touch_down_near_the_known_ground_is_on_it_and_lands_once) {
  struct feet_fixture f;
  feet_begin(&f, 2);
  feet_run(&f, 0.5);
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
  const double left[2] = {FEET_WEIGHT, 0.0};
  struct feet_fixture f;
  feet_begin(&f, 2);
  f.felt = left;
  f.late = true;
  f.tilt_sd = 0.1; /* rad, between feet 0.2 m apart */
  feet_run(&f, 0.5);
  ck_assert(f.base.contact[0].stands && !f.base.contact[1].stands);
  f.tilt_sd = 0.01;
  feet_run(&f, 0.5);
  ck_assert(f.base.contact[0].stands && f.base.contact[1].stands);
}
END_TEST

/* A robot that trotted when the daemon started was believed to be turned by 16 degrees, and the
 * next foot to come down found a step of 85 mm, which proved that. */
START_TEST(a_touch_down_far_from_the_known_ground_is_a_step_unless_height_or_tilt_is_in_doubt) {
  enum { NO_DOUBT, HEIGHT, TILT, DOUBTS };
  for (int doubt = NO_DOUBT; doubt < DOUBTS; doubt++) {
    struct feet_fixture f;
    feet_begin(&f, 2);
    f.height_sd = doubt == HEIGHT ? 0.02 : 1e-3;
    f.tilt_sd = doubt == TILT ? 0.1 : 1e-3;   /* rad, between feet 0.2 m apart */
    f.base.support.settings.clearance = 0.06; /* feet of different height share the weight */
    feet_run(&f, 0.5);
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
  struct feet_fixture f;
  feet_begin(&f, 2);
  f.base.support.settings.clearance = 0.06;
  feet_run(&f, 0.5);
  step_onto(&f, 0.05);
  ck_assert(f.base.contact[0].known && !f.base.contact[1].known);
  f.cop_y = -0.1; /* the left one follows */
  foot_lift(&f, 0, 0.15);
  feet_run(&f, 0.5);
  foot_lift(&f, 0, 0.055);
  f.cop_y = 0.0;
  feet_run(&f, 0.3);
  ck_assert(f.base.contact[0].stands && !f.base.contact[0].known);
  assert_near(f.base.contact[0].ground, 0.05, 1e-9);
  base_estimator_begin(&f.base);
  feet_run(&f, 0.1);
  ck_assert(f.base.contact[0].known && f.base.contact[1].known);
  ck_assert_double_eq(f.base.contact[0].ground, 0.0);
}
END_TEST

/* A leg that read zero for .8 s in a walk: the ground was a step of 35 mm from then on, where it
 * was taken to have come down, and the base as much too high for ever. */
START_TEST(a_foot_that_nobody_knows_of_stands_on_nothing_and_lands_when_it_is_known_again) {
  for (int felt = 0; felt < 2; felt++) {
    const double both[] = {0.5 * FEET_WEIGHT, 0.5 * FEET_WEIGHT};
    struct feet_fixture f;
    feet_begin(&f, 2);
    f.felt = felt ? both : NULL;
    feet_run(&f, 0.5);
    f.unknown[1] = true;
    f.robot.foot[1].placement.p.z -= 0.05; /* where it is not */
    feet_run(&f, 0.5);
    ck_assert(f.base.contact[0].stands && !f.base.contact[1].stands);
    f.robot.foot[1].placement.p.z += 0.05;
    f.unknown[1] = false;
    int landed = 0;
    for (int k = 0; k < 300; k++) {
      feet_step(&f);
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
  struct feet_fixture f;
  feet_begin(&f, 2);
  f.cop_y = 0.05;
  feet_run(&f, 0.5);
  int landed = 0;
  f.strain[0] = 2.0 * f.base.settings.slip_strain;
  for (int k = 0; k < 200; k++) {
    feet_step(&f);
    ck_assert(f.base.slips && f.base.contact[0].stands && !f.base.contact[0].level);
    ck_assert(!f.base.contact[1].landed);
    landed += f.base.contact[0].landed;
  }
  ck_assert_int_ge(landed, 8); /* taken as standing anew again and again */
  ck_assert_int_le(landed, 12);
  ck_assert_uint_eq(f.base.slip_count, 1);
  f.strain[0] = 0.5 * f.base.settings.slip_strain;
  feet_run(&f, 0.9 * f.base.settings.slip_s);
  ck_assert(f.base.slips);
  feet_run(&f, 0.2 * f.base.settings.slip_s);
  ck_assert(!f.base.slips && f.base.contact[0].level && !f.base.contact[0].landed);
  ck_assert_uint_eq(f.base.slip_count, 1);
}
END_TEST

START_TEST(a_foot_that_strains_while_its_sole_turns_about_an_edge_tips_until_it_rests) {
  struct feet_fixture f;
  feet_begin(&f, 2);
  f.cop_y = 0.05;
  feet_run(&f, 0.5);
  feet_turn(&f, 0.5, (vec3){0.15, 0.0, 0.0});
  feet_run(&f, 0.1);
  ck_assert(f.base.contact[0].turns && !f.base.contact[0].tips); /* it does not strain */
  f.strain[0] = 2.0 * f.base.settings.slip_strain;
  feet_run(&f, 0.1);
  ck_assert(f.base.contact[0].tips && f.base.slips && !f.base.contact[0].level);
  f.strain[0] = 0.0;
  feet_run(&f, 3.0 * f.base.settings.slip_s);
  ck_assert(f.base.contact[0].tips); /* on its edge it has no reason to strain */
  feet_turn(&f, 0.0, VEC3_ZERO);
  feet_run(&f, 1.1 * f.base.settings.slip_s);
  ck_assert(!f.base.contact[0].tips && !f.base.slips && f.base.contact[0].level);
}
END_TEST

START_TEST(points_that_turn_under_their_legs_do_not_tip) {
  struct feet_fixture f;
  feet_begin(&f, 4);
  feet_run(&f, 0.5);
  feet_turn(&f, 0.5, (vec3){0.15, 0.0, 0.0});
  f.strain[0] = 2.0 * f.base.settings.slip_strain;
  feet_run(&f, 0.1);
  ck_assert(!f.base.contact[0].turns && !f.base.contact[0].tips);
  f.strain[0] = 0.0;
  feet_run(&f, 1.1 * f.base.settings.slip_s);
  ck_assert(!f.base.slips);
}
END_TEST

START_TEST(a_foot_that_has_just_come_down_or_carries_little_does_not_slip) {
  struct feet_fixture f;
  feet_begin(&f, 2);
  feet_run(&f, 0.5);
  foot_lift(&f, 1, 0.1);
  f.cop_y = 0.1;
  feet_run(&f, 0.5);
  foot_lift(&f, 1, 0.0);
  f.cop_y = 0.0;
  while (!f.base.contact[1].stands) {
    feet_step(&f);
  }
  f.strain[1] = 1e3;
  feet_run(&f, 0.03);
  ck_assert_uint_eq(f.base.slip_count, 0);
  f.strain[1] = 0.0;
  f.cop_y = 0.07; /* 15 % */
  feet_run(&f, 0.5);
  ck_assert(f.base.contact[1].stands);
  f.strain[1] = 1e3;
  feet_run(&f, 0.3);
  ck_assert_uint_eq(f.base.slip_count, 0);
}
END_TEST

START_TEST(two_soles_that_stand_and_are_not_parallel_are_not_both_level) {
  struct feet_fixture f;
  feet_begin(&f, 2);
  feet_run(&f, 0.5);
  ck_assert(f.base.contact[0].level && f.base.contact[1].level);
  foot_turn(&f, 1, 0.15);
  feet_run(&f, 0.01);
  ck_assert(!f.base.contact[0].level && !f.base.contact[1].level);
  foot_lift(&f, 1, 0.1); /* one that is in the air says nothing of the other */
  f.cop_y = 0.1;
  feet_run(&f, 0.5);
  ck_assert(!f.base.contact[1].stands && f.base.contact[0].level);
}
END_TEST

START_TEST(a_reload_takes_over_what_is_known_of_the_feet_and_no_settings) {
  struct feet_fixture f;
  feet_begin(&f, 2);
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
  struct feet_fixture f;
  feet_begin(&f, 2);
  for (int k = 0; k < 3; k++) {
    struct base_estimator_settings settings = base_estimator_defaults();
    double *const positive[] = {&settings.step_height, &settings.slip_strain, &settings.slip_s};
    *positive[k] = k == 1 ? (double)NAN : 0.0;
    ck_assert_int_eq(base_estimator_init(&f.base, &f.robot, &settings), STATUS_OUT_OF_RANGE);
  }
}
END_TEST

/* A robot that stumbled, whose IMU was doubted for it, went on standing on a foot that was in the
 * air, and not on the one that it had come down on: its velocity went off by 0.2 m/s. */
START_TEST(feet_are_measured_to_leave_and_land_while_the_base_may_be_wrong) {
  static const double both[2] = {0.5 * FEET_WEIGHT, 0.5 * FEET_WEIGHT},
                      left[2] = {FEET_WEIGHT, 0.0};
  for (int stepped = 0; stepped < 2; stepped++) {
    struct feet_fixture f;
    int landed = 0;
    feet_begin(&f, 2);
    f.measured = true;
    f.felt = both;
    feet_run(&f, 0.5);
    f.held = true;
    f.felt = left;
    feet_run(&f, 0.1);
    ck_assert(f.base.contact[0].stands && !f.base.contact[1].stands);
    f.felt = both;
    foot_lift(&f, 1, stepped ? 0.05 : 0.008);
    for (int k = 0; k < 100; k++) {
      feet_step(&f);
      landed += f.base.contact[1].stands && f.base.contact[1].landed;
    }
    ck_assert(f.base.contact[0].stands && f.base.contact[1].stands);
    ck_assert(f.base.contact[0].level && !f.base.contact[1].level); /* nobody knows how high */
    ck_assert_double_eq_tol(f.base.contact[0].share, 0.5, 1e-2);
    ck_assert_int_eq(landed, 1);
    ck_assert_uint_eq(f.base.touch_downs, 0);
    f.held = false;
    feet_run(&f, 0.01);
    ck_assert(f.base.contact[1].level && !f.base.contact[1].landed);
    ck_assert_int_eq(f.base.contact[1].known, !stepped);
    ck_assert_uint_eq(f.base.touch_downs, 1);
    ck_assert_uint_eq(f.base.step_count, stepped);
  }
}
END_TEST

static const double NO_LOAD[2] = {0.0, 0.0},
                    HALF_LOAD[2] = {0.25 * FEET_WEIGHT, 0.25 * FEET_WEIGHT};

/* Both feet have left the ground, and come down, so much higher, while the IMU is doubted. */
static void leap_unseen(struct feet_fixture *f, double left, double right) {
  f->held = true;
  f->felt = NO_LOAD;
  feet_run(f, 0.1);
  ck_assert(!f->base.contact[0].stands && !f->base.contact[1].stands);
  foot_lift(f, 0, left);
  foot_lift(f, 1, right);
  f->felt = HALF_LOAD;
  feet_run(f, 0.1);
  ck_assert(f->base.contact[0].stands && f->base.contact[1].stands);
}

START_TEST(feet_that_land_unseen_begin_anew_and_tell_nothing_of_each_other) {
  struct feet_fixture f;
  feet_begin(&f, 2);
  f.measured = true;
  f.felt = HALF_LOAD;
  f.robot.foot[0].ball_radius = f.robot.foot[1].ball_radius = 0.02;
  foot_lift(&f, 0, 0.02);
  foot_lift(&f, 1, 0.02);
  feet_turn(&f, 0.1, (vec3){0.0, 0.0, 0.02});
  feet_run(&f, 1.0);
  ck_assert_double_gt(vec3_norm(f.base.contact[1].rolled), 1e-4);
  leap_unseen(&f, 0.07, 0.02);
  ck_assert_double_eq(vec3_norm(f.base.contact[1].rolled), 0.0);
  ck_assert_double_eq_tol(f.base.contact[1].share, 0.25, 1e-2); /* a crane bears the rest */
  f.held = false;
  feet_step(&f);
  ck_assert(!f.base.contact[0].known && f.base.contact[1].known);
}
END_TEST

START_TEST(a_foot_that_has_landed_unseen_and_slips_lands_again_as_soon_as_others) {
  struct feet_fixture f;
  feet_begin(&f, 2);
  f.measured = true;
  f.felt = HALF_LOAD;
  f.strain[1] = 1e3;
  feet_run(&f, 1.0);
  f.strain[1] = 0.0;
  leap_unseen(&f, 0.0, 0.0);
  f.held = false;
  f.strain[1] = 1e3;
  int landed = 0;
  for (int k = 0; k < 300; k++) {
    feet_step(&f);
    landed += f.base.contact[1].landed;
  }
  ck_assert_int_gt(landed, 0);
}
END_TEST

START_TEST(feet_that_are_not_measured_go_on_standing_while_the_base_may_be_wrong) {
  struct feet_fixture f;
  feet_begin(&f, 2);
  feet_run(&f, 0.5);
  f.held = true;
  foot_lift(&f, 1, 0.1);
  f.cop_y = 0.1;
  feet_run(&f, 0.5);
  ck_assert(f.base.contact[0].stands && f.base.contact[1].stands);
  f.unknown[1] = true;
  feet_step(&f);
  ck_assert(f.base.contact[0].stands && !f.base.contact[1].stands);
}
END_TEST

SUITE(feet_that_land_unseen_begin_anew_and_tell_nothing_of_each_other,
      a_foot_that_has_landed_unseen_and_slips_lands_again_as_soon_as_others,
      feet_are_measured_to_leave_and_land_while_the_base_may_be_wrong,
      feet_that_are_not_measured_go_on_standing_while_the_base_may_be_wrong,
      a_touch_down_near_the_known_ground_is_on_it_and_lands_once,
      late_legs_tell_which_feet_carry_until_heights_do,
      a_touch_down_far_from_the_known_ground_is_a_step_unless_height_or_tilt_is_in_doubt,
      ground_beside_what_feet_have_found_is_not_known_either_until_the_base_begins_anew,
      a_foot_that_nobody_knows_of_stands_on_nothing_and_lands_when_it_is_known_again,
      a_foot_that_strains_slips_until_it_has_strained_no_more_for_a_while,
      a_foot_that_strains_while_its_sole_turns_about_an_edge_tips_until_it_rests,
      points_that_turn_under_their_legs_do_not_tip,
      a_foot_that_has_just_come_down_or_carries_little_does_not_slip,
      two_soles_that_stand_and_are_not_parallel_are_not_both_level,
      a_reload_takes_over_what_is_known_of_the_feet_and_no_settings,
      settings_that_mean_nothing_are_refused)
