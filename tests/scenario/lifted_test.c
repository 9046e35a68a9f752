/* A crane lifts the robot off the ground and puts it back: as quietly as the floor carries it, and
 * its feet hang below it as if they stood. What they feel tells. */
#include "support/sim_fixture.h"
#include "support/suite.h"
#include "trust/fault_bench.h"

#include <stdio.h>

/* From before the lift, at 3.3 s, until it stands again. */
static void lift(const char *robot, uint64_t seed, struct score *score) {
  struct message error;
  struct tape tape;
  struct trust_run run;
  const struct stock_robot stock = test_robot(robot);
  struct sim_options options = bench_options(&stock, MOTION_STAND, seed);
  options.scenario = "lift";
  options.duration_s = 11.0;
  ck_assert_msg(tape_record(&tape, &options, &error) == STATUS_OK, "%s", error.text);
  const struct pipeline_settings settings = trust_settings(&tape);
  ck_assert_int_eq(trust_run_init(&run, &tape, &settings), STATUS_OK);
  score_reset(score);
  while (trust_run_step(&run, NULL)) {
    if (tape.period_s * (double)run.next > 2.0) {
      const struct quantity_truth with = trust_run_truth(&run);
      score_add(score, &run.out, &with);
    }
  }
  ck_assert_int_eq(whole_status(&run.out), PROPRIOD_STATUS_OK); /* it stands again */
  trust_run_free(&run);
  tape_free(&tape);
}

/* Feet that were believed to stand: velocity 54 mm/s, NEES 120; height 82 mm, 1200; `ok` and wrong
 * for 0.6 s. */
START_TEST(where_it_is_and_how_fast_is_known_as_well_as_said) {
  static const char *const robots[] = {"humanoid30", "humanoid18"};
  static struct score score;
  for (int i = 0; i < 2; i++) {
    lift(robots[i], test_seed() + (uint64_t)i, &score);
    printf("%s: velocity %.1f mm/s, NEES %.2f; height %.1f mm, NEES %.2f; tilt %.2f degrees\n",
           robots[i], 1e3 * score_rms(&score, QUANTITY_VELOCITY),
           score_nees(&score, QUANTITY_VELOCITY), 1e3 * score_rms(&score, QUANTITY_HEIGHT),
           score_nees(&score, QUANTITY_HEIGHT), score_norm(&score, QUANTITY_TILT) * 180.0 / M_PI);
    ck_assert_double_lt(score_nees(&score, QUANTITY_VELOCITY), 3.0);
    ck_assert_double_lt(score_nees(&score, QUANTITY_HEIGHT), 3.0);
    ck_assert_double_lt(score_norm(&score, QUANTITY_TILT), 0.5 * M_PI / 180.0);
    ck_assert_double_lt(1e-3 * (double)score.of[QUANTITY_VELOCITY].longest_lie, 0.1);
    ck_assert_uint_eq(score.of[QUANTITY_HEIGHT].longest_lie, 0);
  }
}
END_TEST

SUITE(where_it_is_and_how_fast_is_known_as_well_as_said)
