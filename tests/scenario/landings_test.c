/* Feet that land and bodies that begin to move make accelerations jump: their deviations know it
 * within 0.02 s, and are no larger than they must be where nothing jumps. */
#include "support/scored_run.h"
#include "support/sim_fixture.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>

struct fares {
  double nees, beyond, lie_s;
};

static struct fares fares_of(const struct scored_run *scored, enum quantity quantity) {
  const struct quantity_score *s = &scored->score.of[quantity];
  return (struct fares){.nees = score_nees(&scored->score, quantity),
                        .beyond = (double)s->beyond / (double)s->with_sd,
                        .lie_s = scored->tape.period_s * (double)s->longest_lie};
}

static void begin(const char *robot, enum bench_motion motion, uint64_t seed, double from_s,
                  struct scored_run *scored) {
  const struct stock_robot stock = test_robot(robot);
  struct sim_options options = bench_options(&stock, motion, seed);
  options.duration_s = from_s + 3.0;
  scored_run_begin(scored, &options);
}

static void move(const char *robot, enum bench_motion motion, uint64_t seed, double from_s,
                 struct scored_run *scored) {
  begin(robot, motion, seed, from_s, scored);
  scored_run_go(scored, from_s);
}

/* A walk in which nothing is called good for long that is beyond five of its deviations. */
static bool landings_are_known(const char *robot, uint64_t seed) {
  static struct scored_run scored;
  static const enum quantity judged[] = {QUANTITY_Q, QUANTITY_DQ, QUANTITY_DDQ, QUANTITY_ANG_ACC,
                                         QUANTITY_COM_ACC};
  bool known = true;
  move(robot, MOTION_WALK, seed, 3.0, &scored);
  for (size_t i = 0; i < sizeof(judged) / sizeof(judged[0]); i++) {
    const struct fares fares = fares_of(&scored, judged[i]);
    printf("%s seed %lu %s: NEES %.2f, beyond five deviations %.1e, ok and so for %.3f s\n", robot,
           (unsigned long)seed, quantity_row(judged[i])->name, fares.nees, fares.beyond,
           fares.lie_s);
    ck_assert_double_lt(fares.nees, 2.5);
    ck_assert_double_lt(fares.beyond, 0.008);
    ck_assert_double_lt(fares.lie_s, 0.025);
    known = known && fares.lie_s <= 0.02 && fares.beyond < 1e-4;
  }
  ck_assert_double_gt(fares_of(&scored, QUANTITY_DDQ).nees, 0.2);
  ck_assert_double_gt(score_ok(&scored.score), 0.97);
  scored_run_end(&scored);
  return known;
}

/* Without it accelerations were beyond five deviations in 2 % of all samples, of the joints for up
 * to 0.05 s at a time, of the base, whose NEES was 3 to 13, for as long. */
START_TEST(with_skin_landings_are_in_the_deviations) {
  const bool all = landings_are_known("humanoid30", test_seed() + 1);
  asked(landings_are_known("humanoid18", test_seed() + 2) && all);
}
END_TEST

START_TEST(without_skin_landings_are_in_the_deviations) {
  const bool all = landings_are_known("humanoid30-bare", test_seed() + 3);
  asked(landings_are_known("humanoid18-bare", test_seed() + 4) && all);
}
END_TEST

START_TEST(landings_of_a_trot_are_in_the_deviations) {
  const bool all = landings_are_known("quadruped12", test_seed() + 5);
  asked(landings_are_known("quadruped12-bare", test_seed() + 6) && all);
}
END_TEST

/* Means over joints of squares of what accelerations are off by, over the variances told. */
struct joint_nees {
  double moving, resting; /* moving: by more than 1 rad/s^2, root mean square; 1 when none rests */
};

static struct joint_nees nees_of_joints(struct scored_run *scored, double from_s) {
  const size_t n = scored->tape.robot->model.n_joints;
  double square[MODEL_MAX_JOINTS] = {0}, normalised[MODEL_MAX_JOINTS] = {0};
  size_t samples = 0, count[2] = {0, 0};
  double sum[2] = {0.0, 0.0};
  while (trust_run_step(&scored->run, NULL)) {
    if (scored->tape.period_s * (double)scored->run.next > from_s) {
      const struct propriod_state *state = &scored->run.out.state;
      const double *truth = trust_run_truth(&scored->run).truth->ddq;
      samples++;
      for (size_t j = 0; j < n; j++) {
        square[j] += truth[j] * truth[j];
        normalised[j] += pow((state->ddq[j] - truth[j]) / state->ddq_sd[j], 2.0);
      }
    }
  }
  for (size_t j = 0; j < n; j++) {
    const int moves = square[j] > (double)samples;
    count[moves]++;
    sum[moves] += normalised[j] / (double)samples;
  }
  return (struct joint_nees){.moving = sum[1] / (double)count[1],
                             .resting = count[0] > 0 ? sum[0] / (double)count[0] : 1.0};
}

START_TEST(smooth_motion_is_not_told_worse_than_it_is) {
  static const char *const robots[] = {"humanoid30", "humanoid30-bare", "chain9"};
  static struct scored_run scored;
  for (size_t i = 0; i < 3; i++) {
    begin(robots[i], MOTION_ARM, test_seed() + 7 + i, 2.0, &scored);
    const struct joint_nees ddq = nees_of_joints(&scored, 2.0);
    printf("%s: NEES of ddq, moving joints %.2f, resting %.2f\n", robots[i], ddq.moving,
           ddq.resting);
    ck_assert_double_gt(ddq.moving, 0.25);
    ck_assert_double_lt(ddq.moving, 2.0);
    ck_assert_double_gt(ddq.resting, 0.05); /* told for what may begin: four times as large */
    scored_run_end(&scored);
  }
}
END_TEST

SUITE(with_skin_landings_are_in_the_deviations, without_skin_landings_are_in_the_deviations,
      landings_of_a_trot_are_in_the_deviations, smooth_motion_is_not_told_worse_than_it_is)
