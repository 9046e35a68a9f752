/* A robot takes up what its model does not have, and nobody weighs it: what follows from the model
 * is off, by centimetres, and says so as soon as its feet have felt it. */
#include "support/scored_run.h"
#include "support/sim_fixture.h"
#include "support/suite.h"

#include <stdio.h>

/* Of what a load makes wrong, the longest stretch of `ok` beyond five deviations, s: it is felt for
 * a tenth of a second before it is believed. */
static const double LONGEST_LIE_S = 0.1;
/* Square of the errors in their deviations: the load is in the hand, and might be anywhere. */
static const double MOST_NEES = 4.0;

static void take_up(const char *robot, const char *name, uint64_t seed) {
  static const enum quantity told[] = {QUANTITY_COM, QUANTITY_COM_VELOCITY, QUANTITY_COP,
                                       QUANTITY_CONTACT_FORCE};
  static struct scored_run scored;
  const struct stock_robot stock = test_robot(robot);
  struct sim_options options = bench_options(&stock, MOTION_STAND, seed);
  options.scenario = name;
  options.duration_s = 10.0;
  scored_run_begin(&scored, &options);
  scored_run_go(&scored, 1.0);
  const double period_s = scored.tape.period_s;
  scored_run_end(&scored);
  for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
    const double lie = period_s * (double)scored.score.of[told[i]].longest_lie,
                 nees = score_nees(&scored.score, told[i]);
    printf("%s, %s, %s: rms %.3g, NEES %.2f, ok and wrong for %.3f s\n", robot, name,
           quantity_row(told[i])->name, score_rms(&scored.score, told[i]), nees, lie);
    ck_assert_double_le(lie, LONGEST_LIE_S);
    ck_assert_double_le(nees, MOST_NEES);
  }
  ck_assert_double_ge(score_rms(&scored.score, QUANTITY_COM),
                      5e-3); /* there is something to tell */
}

/* 7 to 8 s, NEES of 15 to 51. */
START_TEST(what_the_model_does_not_have_makes_it_doubtful) {
  take_up("humanoid30", "payload", test_seed());
  take_up("humanoid18", "curl", test_seed() + 1);
}
END_TEST

SUITE(what_the_model_does_not_have_makes_it_doubtful)
