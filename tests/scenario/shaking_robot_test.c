/* Robots whose structure shakes, as motors and gears make it: what their accelerometers read at an
 * instant is off by metres per second squared, and is right on average. */
#include "support/scored_run.h"
#include "support/sim_fixture.h"
#include "support/suite.h"

#include <math.h>
#include <stdio.h>

enum { SEEDS = 4 };
static const uint64_t first_seed = 21;

/* Such a robot with ordinary biases, built a little otherwise than it is described. */
static struct sim_options shaken(const struct stock_robot *stock, enum bench_motion motion,
                                 uint64_t seed, double force, double seconds) {
  struct sim_options options = bench_options(stock, motion, seed);
  options.duration_s = seconds;
  options.imu.force_offset = (vec3){0.3, -0.2, 0.3};
  options.imu.rate_offset = (vec3){0.02, -0.015, 0.01};
  options.body = (struct sim_body_error){.length = 1e-3, .mass = 0.03, .com = 5e-3};
  options.vibration.force = force;
  return options;
}

static void stands_upright(const char *robot, double force, double rate, double from_s) {
  static struct scored_run scored;
  const struct score *const score = &scored.score;
  for (uint64_t seed = first_seed; seed < first_seed + SEEDS; seed++) {
    const struct stock_robot stock = test_robot(robot);
    struct sim_options options = shaken(&stock, MOTION_STAND, seed, force, 3.0);
    options.vibration.rate = rate;
    scored_run_begin(&scored, &options);
    scored_run_go(&scored, from_s);
    const struct quantity_score *tilt = &score->of[QUANTITY_TILT];
    printf("%s, seed %d: tilt off by at most %.2f degree, %.1f deviations\n", robot, (int)seed,
           tilt->worst * 180.0 / M_PI, tilt->worst_sigma);
    ck_assert_double_lt(tilt->worst, 2.5 * M_PI / 180.0);
    ck_assert_double_lt(tilt->worst_sigma, 5.0);
    ck_assert_uint_eq(score->resets, 0);
    scored_run_end(&scored);
  }
}

/* It was begun by the force of one instant: up to 15 degrees askew for good, and ok. */
START_TEST(a_robot_that_shakes_begins_upright) {
  stands_upright("humanoid30-bare", 3.0, 0.0, 0.3);
  stands_upright("quadruped12", 3.0, 0.0, 0.3);
}
END_TEST

/* What the first of its readings said of the accelerometer's bias, before they were known to be so
 * noisy, had passed for the truth: 2 degrees askew for seconds, and ok. */
START_TEST(skin_that_shakes_does_not_tilt_the_base) {
  stands_upright("humanoid30", 1.0, 0.01, 0.5);
}
END_TEST

/* Skin shakes with its links, turning too; its cells filter as those of any make. */
static void shake_skin(struct sim_options *options) {
  options->vibration = (struct sim_vibration){.force = 1.0, .rate = 0.01};
  options->skin.filter_s = 2e-3;
}

/* What skin felt otherwise than the IMU, each shaking by itself, was taken for an accelerometer
 * that is wrong: up to half of the time was not ok. */
static void walks_well(const char *robot) {
  static struct scored_run scored;
  const struct score *const score = &scored.score;
  for (uint64_t seed = first_seed; seed < first_seed + 2; seed++) {
    const struct stock_robot stock = test_robot(robot);
    struct sim_options options = shaken(&stock, MOTION_WALK, seed, 1.0, 8.0);
    shake_skin(&options);
    scored_run_begin(&scored, &options);
    scored_run_go(&scored, 3.0);
    const struct quantity_score *velocity = &score->of[QUANTITY_VELOCITY],
                                *tilt = &score->of[QUANTITY_TILT];
    printf("%s, seed %d: ok %.1f %%, velocity %.1f mm/s, at most %.1f deviations off, tilt %.1f\n",
           robot, (int)seed, 100.0 * score_ok(score), 1e3 * score_rms(score, QUANTITY_VELOCITY),
           velocity->worst_sigma, tilt->worst_sigma);
    ck_assert_double_ge(score_ok(score), 0.98);
    ck_assert_double_lt(score_rms(score, QUANTITY_VELOCITY), 0.012);
    ck_assert_double_lt(tilt->worst_sigma, 5.0);
    ck_assert_uint_eq(score->resets, 0);
    ck_assert_uint_eq(score->pushes, 0);
    scored_run_end(&scored);
  }
}

START_TEST(a_walk_with_skin_and_imu_that_shake_is_ok) {
  walks_well("humanoid18");
  walks_well("humanoid30");
}
END_TEST

/* Cells that do not filter shake by some forty times the noise they are said to have: believed
 * to have no more than twelve times that, they had accelerations 9 to 10 rad/s^2 off. */
START_TEST(skin_is_believed_to_be_as_noisy_as_it_is) {
  static struct scored_run scored;
  for (uint64_t seed = first_seed; seed < first_seed + 2; seed++) {
    const struct stock_robot stock = test_robot("humanoid30");
    struct sim_options options = shaken(&stock, MOTION_WALK, seed, 1.0, 8.0);
    options.vibration.rate = 0.01;
    scored_run_begin(&scored, &options);
    scored_run_go(&scored, 3.0);
    const double ddq = score_rms(&scored.score, QUANTITY_DDQ);
    printf("seed %d: accelerations off by %.2f rad/s^2\n", (int)seed, ddq);
    ck_assert_double_lt(ddq, 7.0);
    ck_assert_uint_eq(scored.score.resets, 0);
    scored_run_end(&scored);
  }
}
END_TEST

/* Soles that rocked as the robot stepped from one to the other counted more the noisier its IMU
 * was: they had its gyro's bias 10 mrad/s off, 5 to 10 deviations, and the base lean with it by 3
 * degrees, `ok` for seconds. */
START_TEST(soles_that_rock_teach_a_gyro_that_shakes_no_bias) {
  static const double shakes[][3] = {{2.0, 0.05, 0.03}, {0.0, 0.0, 0.3}}; /* and white noise */
  static struct scored_run scored;
  for (size_t i = 0; i < 2; i++) {
    double tilt = 0.0, bias = 0.0, lie_s = 0.0;
    for (uint64_t seed = first_seed; seed < first_seed + SEEDS; seed++) {
      const struct stock_robot stock = test_robot("humanoid18-bare");
      struct sim_options options = shaken(&stock, MOTION_WALK, seed, shakes[i][0], 10.0);
      options.vibration.rate = shakes[i][1];
      options.imu.force_white = shakes[i][2];
      scored_run_begin(&scored, &options);
      scored_run_go(&scored, 2.5);
      tilt += score_nees(&scored.score, QUANTITY_TILT) / SEEDS;
      bias += score_nees(&scored.score, QUANTITY_GYRO_BIAS) / SEEDS;
      lie_s = fmax(lie_s,
                   (double)scored.score.of[QUANTITY_GYRO_BIAS].longest_lie * scored.tape.period_s);
      scored_run_end(&scored);
    }
    printf("humanoid18-bare, shaken by %.1f m/s^2: NEES of tilt %.2f, of the gyro's bias %.2f, ok "
           "and wrong for %.2f s\n",
           shakes[i][0], tilt, bias, lie_s);
    ck_assert_double_lt(tilt, 2.0);
    ck_assert_double_lt(bias, 2.0);
    ck_assert_double_lt(lie_s, 0.1);
  }
}
END_TEST

/* Its readings jumped beyond six of their deviations all the time: it was refused for two thirds of
 * the walk, of another seed for all of it. */
START_TEST(a_gyro_that_is_four_times_as_noisy_as_told_is_believed) {
  static const char *const robots[] = {"humanoid18-bare", "quadruped12"};
  static struct scored_run scored;
  for (size_t r = 0; r < 2; r++) {
    for (uint64_t seed = first_seed; seed < first_seed + 2; seed++) {
      const struct stock_robot stock = test_robot(robots[r]);
      struct sim_options options = shaken(&stock, MOTION_WALK, seed, 0.0, 8.0);
      options.imu.rate_white = 0.02;
      scored_run_begin(&scored, &options);
      scored_run_go(&scored, 2.0);
      printf("%s, seed %d: ok %.1f %%, velocity %.1f mm/s\n", robots[r], (int)seed,
             100.0 * score_ok(&scored.score), 1e3 * score_rms(&scored.score, QUANTITY_VELOCITY));
      ck_assert_double_ge(score_ok(&scored.score), 0.98);
      ck_assert_double_lt(score_rms(&scored.score, QUANTITY_VELOCITY), 0.01);
      scored_run_end(&scored);
    }
  }
}
END_TEST

/* It rang as if something pulled it down, for more than 10 ms, while its feet stood: the
 * accelerometer was refused for it, and the velocity 0.4 m/s off. */
START_TEST(a_trunk_that_rings_is_not_pulled_where_feet_stand) {
  static struct scored_run scored;
  const struct stock_robot stock = test_robot("quadruped12");
  struct sim_options options = shaken(&stock, MOTION_WALK, 56, 0.0, 8.0);
  options.vibration.strike_force = 8.0;
  options.vibration.strike_rate = 0.2;
  scored_run_begin(&scored, &options);
  scored_run_go(&scored, 2.0);
  const double worst = scored.score.of[QUANTITY_VELOCITY].worst;
  printf("quadruped12 that rings: velocity off by at most %.2f m/s, ok %.1f %%\n", worst,
         100.0 * score_ok(&scored.score));
  ck_assert_double_lt(worst, 0.2);
  scored_run_end(&scored);
}
END_TEST

SUITE(a_trunk_that_rings_is_not_pulled_where_feet_stand,
      a_gyro_that_is_four_times_as_noisy_as_told_is_believed,
      soles_that_rock_teach_a_gyro_that_shakes_no_bias, a_robot_that_shakes_begins_upright,
      skin_that_shakes_does_not_tilt_the_base, skin_is_believed_to_be_as_noisy_as_it_is,
      a_walk_with_skin_and_imu_that_shake_is_ok)
