#include "centroidal/carrying_legs.h"

#include "support/suite.h"

/* Whom to believe about which feet carry. */

enum { FEET = 4 };

static const double WEIGHT = 150.0, DT = 1e-3;
static const vec3 UP = {0.0, 0.0, 1.0};

/* Two feet bear this share of the weight together. */
static struct foot_wrenches legs_that_bear(double share) {
  struct foot_wrenches feet = {.source = FOOT_BY_TORQUES};
  for (size_t foot = 0; foot < FEET; foot++) {
    feet.wrench_B[foot].lin.z = foot % 2 == 0 ? 0.5 * share * WEIGHT : 0.0;
    feet.load_sd[foot] = 0.05 * WEIGHT;
  }
  return feet;
}

/* For so long; whether they are believed at the end. */
static bool tell(struct carrying_legs *legs, const struct foot_wrenches *feet, double f_z,
                 double seconds, double bears[FEET]) {
  bool told = false;
  for (int k = 0; k < (int)(seconds / DT); k++) {
    told = carrying_legs_tell(legs, feet, FEET, UP, f_z, WEIGHT, DT, bears);
  }
  return told;
}

START_TEST(legs_that_bear_what_the_motion_takes_are_believed_after_a_while) {
  struct carrying_legs legs;
  double bears[FEET] = {-1.0, -1.0, -1.0, -1.0};
  const struct foot_wrenches feet = legs_that_bear(0.95);
  carrying_legs_reset(&legs);
  ck_assert(!tell(&legs, &feet, WEIGHT, 0.09, bears));
  ck_assert_double_eq(bears[0], -1.0);
  ck_assert(tell(&legs, &feet, WEIGHT, 0.02, bears));
  ck_assert_double_eq(bears[0], 0.475 * WEIGHT);
  ck_assert_double_eq(bears[1], 0.0);
}
END_TEST

START_TEST(efforts_that_are_no_torques_are_never_believed) {
  struct carrying_legs legs;
  double bears[FEET];
  const double share[] = {0.1, -0.1, -1.0, 0.5, 2.0}; /* what legs weigh, where they are none */
  for (size_t k = 0; k < sizeof(share) / sizeof(*share); k++) {
    const struct foot_wrenches feet = legs_that_bear(share[k]);
    carrying_legs_reset(&legs);
    ck_assert(!tell(&legs, &feet, k % 2 == 0 ? WEIGHT : (double)NAN, 10.0, bears));
  }
}
END_TEST

/* Noise of torques is smoothed; that of a second is not what a leg weighs. */
START_TEST(legs_that_bear_nothing_from_the_start_are_believed) {
  struct carrying_legs legs;
  double bears[FEET];
  struct random rng = random_from(test_seed());
  bool told = false;
  carrying_legs_reset(&legs);
  for (int k = 0; k < 1000; k++) {
    const struct foot_wrenches feet = legs_that_bear(0.02 + 0.05 * random_normal(&rng));
    told = carrying_legs_tell(&legs, &feet, FEET, UP, WEIGHT, WEIGHT, DT, bears);
    ck_assert(!told || k >= 299);
  }
  ck_assert(told);
}
END_TEST

/* Who lifts the robot takes its weight off them. */
START_TEST(legs_that_have_been_believed_may_bear_less_but_no_more) {
  struct carrying_legs legs;
  double bears[FEET];
  const struct foot_wrenches good = legs_that_bear(1.0), lifted = legs_that_bear(0.0),
                             wrong = legs_that_bear(2.0);
  carrying_legs_reset(&legs);
  ck_assert(tell(&legs, &good, WEIGHT, 1.0, bears));
  ck_assert(tell(&legs, &lifted, WEIGHT, 10.0, bears));
  ck_assert_double_eq(bears[0], 0.0);
  ck_assert(!tell(&legs, &wrong, WEIGHT, 0.15, bears));
  ck_assert(!tell(&legs, &wrong, WEIGHT, 10.0, bears));
  ck_assert(tell(&legs, &good, WEIGHT, 1.0, bears));
}
END_TEST

/* An IMU that may be wrong is no witness of what legs bear; nor need it be: feet bear the weight on
 * average, as those of a trot do that the filter begins in, strike by strike. */
START_TEST(legs_that_bear_the_weight_on_average_are_believed_while_no_motion_is_known) {
  struct carrying_legs legs;
  double bears[FEET];
  bool told = false;
  carrying_legs_reset(&legs);
  for (int k = 0; k < 110; k++) {
    const struct foot_wrenches trot = legs_that_bear(k % 50 < 10 ? 2.0 : 0.75);
    told = carrying_legs_tell(&legs, &trot, FEET, UP, (double)NAN, WEIGHT, DT, bears);
    ck_assert(k > 90 || (!told && !carrying_legs_heard(&legs)));
  }
  ck_assert(told && carrying_legs_heard(&legs));
}
END_TEST

START_TEST(legs_that_are_believed_are_not_asked_again_while_no_motion_is_known) {
  struct carrying_legs legs;
  double bears[FEET];
  const struct foot_wrenches good = legs_that_bear(1.0), leap = legs_that_bear(0.0),
                             lands = legs_that_bear(3.0);
  carrying_legs_reset(&legs);
  ck_assert(tell(&legs, &good, WEIGHT, 1.0, bears));
  ck_assert(tell(&legs, &leap, (double)NAN, 1.0, bears));
  ck_assert_double_eq(bears[0], 0.0);
  ck_assert(tell(&legs, &lands, (double)NAN, 1.0, bears));
}
END_TEST

/* Until they have been asked for as long as they are remembered it is early to believe none; nor is
 * it later, whether they tell something else or nothing. */
START_TEST(legs_that_are_no_witnesses_are_waited_for_no_longer_than_their_memory) {
  struct carrying_legs legs;
  double bears[FEET];
  struct foot_wrenches wrong = legs_that_bear(0.5);
  for (int stretched = 0; stretched < 2; stretched++) {
    wrong.load_sd[0] = stretched ? WEIGHT : wrong.load_sd[0];
    carrying_legs_reset(&legs);
    ck_assert(!tell(&legs, &wrong, (double)NAN, 0.29, bears));
    ck_assert(!carrying_legs_heard(&legs));
    ck_assert(!tell(&legs, &wrong, (double)NAN, 0.02, bears));
    ck_assert(carrying_legs_heard(&legs));
  }
}
END_TEST

/* Along a stretched leg no torque tells anything. */
START_TEST(a_leg_that_does_not_feel_its_load_tells_nothing) {
  struct carrying_legs legs;
  double bears[FEET];
  struct foot_wrenches feet = legs_that_bear(1.0);
  carrying_legs_reset(&legs);
  ck_assert(tell(&legs, &feet, WEIGHT, 1.0, bears));
  feet.load_sd[3] = 0.5 * WEIGHT;
  ck_assert(!tell(&legs, &feet, WEIGHT, 0.01, bears));
  feet = legs_that_bear(1.0);
  ck_assert(tell(&legs, &feet, WEIGHT, 0.01, bears)); /* as soon as it does */
  feet.wrench_B[1].lin.z = (double)NAN;
  ck_assert(!tell(&legs, &feet, WEIGHT, 0.01, bears));
  feet.wrench_B[1].lin.z = HUGE_VAL;
  ck_assert(!tell(&legs, &feet, WEIGHT, 0.01, bears));
  feet = legs_that_bear(1.0);
  ck_assert(tell(&legs, &feet, WEIGHT, 0.01, bears));
  feet.source = FOOT_UNKNOWN;
  ck_assert(!tell(&legs, &feet, WEIGHT, 0.01, bears));
}
END_TEST

SUITE(legs_that_bear_what_the_motion_takes_are_believed_after_a_while,
      efforts_that_are_no_torques_are_never_believed,
      legs_that_bear_nothing_from_the_start_are_believed,
      legs_that_have_been_believed_may_bear_less_but_no_more,
      legs_that_bear_the_weight_on_average_are_believed_while_no_motion_is_known,
      legs_that_are_believed_are_not_asked_again_while_no_motion_is_known,
      legs_that_are_no_witnesses_are_waited_for_no_longer_than_their_memory,
      a_leg_that_does_not_feel_its_load_tells_nothing)
