/* Whether a robot hangs, and how it comes back onto its feet (base/base_estimator.h). */
#include "base/base_estimator.h"
#include "support/feet_fixture.h"

START_TEST(two_feet_that_tip_do_not_make_a_robot_hang) {
  for (int tips = 0; tips < 2; tips++) {
    struct feet_fixture f;
    feet_begin(&f, 2);
    feet_run(&f, 0.5);
    feet_turn(&f, 0.5, (vec3){tips ? 0.15 : 0.9, 0.0, 0.0});
    f.strain[0] = f.strain[1] = 100.0;
    feet_run(&f, 0.1);
    ck_assert_int_eq(f.base.hanging, !tips);
  }
}
END_TEST

START_TEST(when_both_feet_strain_the_robot_hangs_and_stands_anew_afterwards) {
  struct feet_fixture f;
  feet_begin(&f, 2);
  feet_run(&f, 0.5);
  f.strain[0] = f.strain[1] = 100.0;
  feet_run(&f, 0.1);
  ck_assert(f.base.hanging && !f.base.contact[0].stands && !f.base.contact[1].stands);
  f.strain[0] = f.strain[1] = 0.0;
  int landed[2] = {0};
  for (int k = 0; k < 300; k++) {
    feet_step(&f);
    for (int i = 0; i < 2; i++) {
      landed[i] += f.base.contact[i].stands && f.base.contact[i].landed;
    }
  }
  ck_assert(!f.base.hanging && f.base.contact[0].stands && f.base.contact[1].stands);
  ck_assert_int_eq(landed[0], 1);
  ck_assert_int_eq(landed[1], 1);
}
END_TEST

/* A base that had been turned wrongly made feet slide that stood, and hung for seconds after. */
START_TEST(a_base_that_begins_anew_stands_unless_its_feet_tell_otherwise) {
  static const double none[2] = {0.4, -0.3};
  for (int felt = 0; felt < 2; felt++) {
    struct feet_fixture f;
    feet_begin(&f, 2);
    f.felt = felt ? none : NULL;
    f.measured = felt;
    feet_run(&f, 0.5);
    f.strain[0] = f.strain[1] = felt ? 0.0 : 100.0;
    feet_run(&f, 0.1);
    ck_assert(f.base.hanging);
    f.strain[0] = f.strain[1] = 0.0;
    base_estimator_begin(&f.base);
    feet_run(&f, 0.05);
    ck_assert_int_eq(f.base.hanging, felt);
    ck_assert_int_eq(f.base.contact[0].stands, !felt);
  }
}
END_TEST

/* Legs that bear nothing tell what the motion does not, and legs that carry that it slides. */
START_TEST(legs_say_whether_a_robot_hangs) {
  struct feet_fixture f;
  feet_begin(&f, 2);
  f.legs = LEGS_CARRY;
  feet_run(&f, 0.5);
  ck_assert(f.base.contact[0].stands && f.base.contact[1].stands);
  f.strain[0] = f.strain[1] = 100.0;
  feet_run(&f, 1.0);
  ck_assert(f.base.slips && !f.base.hanging && f.base.contact[0].stands);
  f.strain[0] = f.strain[1] = 0.0;
  f.legs = LEGS_HANG;
  feet_run(&f, 0.3);
  ck_assert(!f.base.hanging && !f.base.contact[0].stands && !f.base.contact[1].stands); /* a leap */
  feet_run(&f, 0.3);
  ck_assert(f.base.hanging);
  f.legs = LEGS_CARRY;
  feet_run(&f, 0.1);
  ck_assert(!f.base.hanging && f.base.contact[0].stands && f.base.contact[1].stands);
}
END_TEST

START_TEST(a_robot_on_one_foot_slips_and_hangs_when_that_lasts) {
  struct feet_fixture f;
  feet_begin(&f, 1);
  f.cop_y = 0.1;
  feet_run(&f, 0.5);
  f.strain[0] = 100.0;
  feet_run(&f, 0.1);
  ck_assert(f.base.slips && !f.base.hanging && f.base.contact[0].stands);
  f.velocity.x = 0.5;
  feet_run(&f, 0.3);
  ck_assert(f.base.hanging && !f.base.contact[0].stands);
}
END_TEST

START_TEST(soles_that_begin_as_nobody_stands_hang_until_they_have_rested_for_long) {
  static const double degree = M_PI / 180.0;
  struct feet_fixture f;
  feet_begin(&f, 2);
  foot_turn(&f, 1, 4.0 * degree);
  feet_run(&f, 0.01);
  ck_assert(!f.base.hanging && f.base.contact[0].level);
  feet_begin(&f, 2);
  foot_turn(&f, 1, 6.0 * degree);
  feet_run(&f, 0.01);
  ck_assert(f.base.hanging && !f.base.contact[0].stands && !f.base.contact[1].stands);
  feet_run(&f, 1.9);
  ck_assert(f.base.hanging);
  feet_run(&f, 0.2); /* it stands so, on uneven ground */
  ck_assert(!f.base.hanging && f.base.contact[0].stands);
  feet_begin(&f, 4); /* points are turned anyhow */
  foot_turn(&f, 1, 60.0 * degree);
  feet_run(&f, 0.01);
  ck_assert(!f.base.hanging);
}
END_TEST

START_TEST(sensors_of_feet_count_when_they_have_felt_the_robot_once) {
  static const double none[2] = {0.4, -0.3}, weight[2] = {0.5 * 670.0, 0.5 * 670.0};
  struct feet_fixture f;
  feet_begin(&f, 2);
  f.felt = none;
  feet_run(&f, 1.0);
  ck_assert(!f.base.contact[0].felt && !f.base.hanging && f.base.contact[0].stands);
  f.strain[0] = f.strain[1] = 100.0; /* and it hangs as one that has none */
  feet_run(&f, 0.1);
  ck_assert(f.base.hanging);
  f.strain[0] = f.strain[1] = 0.0;
  f.felt = weight;
  feet_run(&f, 0.3);
  ck_assert(f.base.contact[0].felt && !f.base.hanging && f.base.contact[0].stands);
  f.felt = none;
  feet_run(&f, 0.4);
  ck_assert(!f.base.hanging); /* a leap */
  feet_run(&f, 0.4);
  ck_assert(f.base.hanging);
}
END_TEST

/* They are level once they bear the whole weight: until then a sole may lie on an edge. */
START_TEST(a_robot_that_measuring_sensors_do_not_feel_hangs_and_is_let_down_onto_edges) {
  static const double none[2] = {0.4, -0.3}, half[2] = {0.25 * 670.0, 0.25 * 670.0},
                      weight[2] = {0.5 * 670.0, 0.5 * 670.0};
  struct feet_fixture f;
  feet_begin(&f, 2);
  f.felt = none;
  f.measured = true;
  feet_run(&f, 2.0 * FEET_DT);
  ck_assert(f.base.hanging && !f.base.contact[0].stands);
  f.felt = half;
  feet_run(&f, 1.0);
  ck_assert(!f.base.hanging && f.base.contact[0].stands && f.base.contact[0].tips);
  ck_assert_double_eq_tol(f.base.contact[0].share, 0.25, 1e-2);
  f.felt = weight;
  feet_run(&f, 0.4);
  ck_assert(f.base.contact[0].tips);
  bool landed = false;
  for (int k = 0; k < 200; k++) {
    feet_step(&f);
    landed = landed || (f.base.contact[0].landed && !f.base.contact[0].tips);
  }
  ck_assert(landed && !f.base.contact[0].tips); /* and it is level here */
  ck_assert_double_eq_tol(f.base.contact[0].share, 0.5, 1e-2);
}
END_TEST

SUITE(a_base_that_begins_anew_stands_unless_its_feet_tell_otherwise,
      two_feet_that_tip_do_not_make_a_robot_hang,
      when_both_feet_strain_the_robot_hangs_and_stands_anew_afterwards,
      legs_say_whether_a_robot_hangs, a_robot_on_one_foot_slips_and_hangs_when_that_lasts,
      soles_that_begin_as_nobody_stands_hang_until_they_have_rested_for_long,
      sensors_of_feet_count_when_they_have_felt_the_robot_once,
      a_robot_that_measuring_sensors_do_not_feel_hangs_and_is_let_down_onto_edges)
