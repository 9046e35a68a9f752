/* Ground that is not level: a ramp from the start, one that a robot walks onto, edges. */
#include "sim_arguments.h"
#include "support/scored_run.h"
#include "support/sim_fixture.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>

struct ramp {
  const char *robot, *ground, *rises; /* rad */
  bool forces;
  double duration_s, from_s;
};

struct walked {
  double tilt, lie_s; /* degrees, RMS; s, the longest in which it was `ok` and wrong */
  double height_nees;
  double speed, well; /* mm/s, RMS error of the base's velocity; share of the time it was `ok` */
};

/* At most so much of each. */
static void assert_walks(const struct walked *walked, double tilt, double lie_s,
                         double height_nees) {
  ck_assert_double_lt(walked->tilt, tilt);
  ck_assert_double_lt(walked->lie_s, lie_s);
  ck_assert_double_lt(walked->height_nees, height_nees);
}

static struct walked walk_on(const struct ramp *ramp, uint64_t seed) {
  static struct scored_run scored;
  const struct stock_robot stock = test_robot(ramp->robot);
  struct sim_options options = bench_options(&stock, MOTION_WALK, seed);
  options.duration_s = ramp->duration_s;
  options.stream[PROPRIOD_SHM_WRENCH].rate_hz *= ramp->forces;
  test_a_little_wrong(&options);
  ck_assert(sim_arguments_set("imu-bias", "0.1", &options));
  ck_assert(sim_arguments_set(ramp->ground, ramp->rises, &options));
  scored_run_begin(&scored, &options);
  scored_run_go(&scored, ramp->from_s);
  const struct walked walked = {.tilt = score_rms(&scored.score, QUANTITY_TILT) * 180.0 / M_PI,
                                .lie_s = (double)scored.score.of[QUANTITY_TILT].longest_lie *
                                         scored.tape.period_s,
                                .height_nees = score_nees(&scored.score, QUANTITY_HEIGHT),
                                .speed = 1e3 * score_rms(&scored.score, QUANTITY_VELOCITY),
                                .well = score_ok(&scored.score)};
  printf("%s, %s of %s rad: tilt %.2f degrees, NEES %.2f, ok and wrong for %.2f s; height %.1f mm, "
         "NEES %.1f; velocity %.1f mm/s; %.1f %% ok\n",
         ramp->robot, ramp->ground, ramp->rises, walked.tilt,
         score_nees(&scored.score, QUANTITY_TILT), walked.lie_s,
         1e3 * score_rms(&scored.score, QUANTITY_HEIGHT), walked.height_nees, walked.speed,
         100.0 * walked.well);
  scored_run_end(&scored);
  return walked;
}

/* Two walks: the mean of squares and shares, the worse of what may not be at all. */
static struct walked both_of(const struct walked *a, const struct walked *b) {
  return (struct walked){.tilt = sqrt(0.5 * (a->tilt * a->tilt + b->tilt * b->tilt)),
                         .lie_s = fmax(a->lie_s, b->lie_s),
                         .height_nees = fmax(a->height_nees, b->height_nees),
                         .speed = sqrt(0.5 * (a->speed * a->speed + b->speed * b->speed)),
                         .well = 0.5 * (a->well + b->well)};
}

/* Its feet were taken to stand on level ground, and 9 degrees for a bias of its accelerometer, for
 * good and `ok`: how high a point stands is not known yet when it lands. Nor does ground that was
 * off its height of late tell much of the next height: it took them 2.8 degrees back. And when two
 * feet were heard before a third that is numbered lower, that passed too: 6 degrees. */
START_TEST(a_quadruped_that_starts_on_a_steep_ramp_knows_how_it_stands) {
  for (int k = 0; k < 4; k++) {
    const struct ramp ramp = {.robot = "quadruped12",
                              .ground = "ground-ramp",
                              .rises = k & 1 ? "-0.17" : "0.17",
                              .forces = k < 2,
                              .duration_s = 8.0,
                              .from_s = 0.5};
    const struct walked one = walk_on(&ramp, test_seed()), two = walk_on(&ramp, test_seed() + 1),
                        walked = both_of(&one, &two);
    assert_walks(&walked, 2.0, 0.3, 20.0);
  }
}
END_TEST

/* Step after step teaches that the ground is level: its accelerometer's bias followed, by 1.8
 * degrees, 10 deviations, `ok` for 15 s, and with it the height, by 30 to 50 mm. */
START_TEST(who_walks_onto_a_ramp_does_not_lean_with_it) {
  for (int k = 0; k < 2; k++) {
    const struct ramp ramp = {.robot = k == 0 ? "humanoid18-bare" : "humanoid30",
                              .ground = "ground-climb",
                              .rises = "0.035",
                              .forces = true,
                              .duration_s = 22.0,
                              .from_s = 6.0};
    const struct walked walked = walk_on(&ramp, test_seed());
    assert_walks(&walked, 0.32, 0.3, 30.0);
  }
}
END_TEST

/* It rises by 2 mm a step, which chance might: base, tilt and height were moved along with it, by
 * 1.4 degrees and all of its 85 mm, 20 deviations, `ok`. */
START_TEST(a_quadruped_that_trots_up_a_slope_finds_that_it_is_one) {
  for (int k = 0; k < 2; k++) {
    const struct ramp ramp = {.robot = "quadruped12",
                              .ground = "ground-climb",
                              .rises = k == 0 ? "0.05" : "0.1",
                              .forces = k == 0,
                              .duration_s = 14.0,
                              .from_s = 4.0};
    const struct walked walked = walk_on(&ramp, test_seed());
    assert_walks(&walked, 1.0, 0.1, 25.0);
  }
}
END_TEST

/* Legs that it threw up pulled its trunk down for up to 9 ms: the accelerometer was refused for it,
 * the base went off by 0.4 m/s and 9 degrees, and feet that nobody asked stood in the air. */
START_TEST(a_quadruped_that_stumbles_over_uneven_ground_believes_its_imu) {
  const struct ramp ramp = {.robot = "quadruped12",
                            .ground = "ground-uneven",
                            .rises = "0.006",
                            .forces = true,
                            .duration_s = 12.0,
                            .from_s = 2.0};
  const struct walked one = walk_on(&ramp, test_seed()), two = walk_on(&ramp, test_seed() + 1),
                      walked = both_of(&one, &two);
  assert_walks(&walked, 0.6, 0.1, 5.0);
  ck_assert_double_lt(walked.speed, 30.0);
  ck_assert_double_gt(walked.well, 0.91);
}
END_TEST

SUITE(a_quadruped_that_starts_on_a_steep_ramp_knows_how_it_stands,
      who_walks_onto_a_ramp_does_not_lean_with_it,
      a_quadruped_that_trots_up_a_slope_finds_that_it_is_one,
      a_quadruped_that_stumbles_over_uneven_ground_believes_its_imu)
