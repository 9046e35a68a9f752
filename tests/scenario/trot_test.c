/* A quadruped that trots on point feet, two of which carry at a time: touch-downs and lifts every
 * sixtieth of a second turn and push a light body as no walk does. None of them is a fault of the
 * IMU or of an encoder. */
#include "support/scored_run.h"
#include "support/sim_fixture.h"
#include "support/suite.h"
#include "trust/fault_bench.h"

#include <stdio.h>

enum { SECONDS = 8 };

struct trot_case {
  const char *what;
  const char *robot; /* NULL: the stock quadruped */
  double knock;      /* rad/s^2: of its knees by a strike, 0: the stock quadruped's */
  uint64_t seed;
  bool forces;                           /* the feet have force sensors */
  double mass;                           /* of which masses are wrong, a share */
  double step_time;                      /* s: of a swing, 0: the simulator's */
  double seconds;                        /* 0: SECONDS */
  double frames_hz;                      /* 0: 1000 */
  struct sim_stream_options joints, imu; /* rate 0: as usual, every millisecond and in time */
};

/* How much older than usual what is known of a stream may be, s. */
static double later(const struct sim_stream_options *stream) {
  const double apart = 1.0 / (stream->rate_hz * (1.0 - stream->loss));
  return stream->rate_hz > 0.0 ? apart + stream->latency_s - 1e-3 : 0.0;
}

/* By how much more joints that are read seldom may be off, rad, and a velocity of which
 * accelerations are, m/s: a strike knocks a knee by 400 rad/s^2 and the base by 10 m/s^2. */
static double unread(const struct trot_case *c) {
  return 0.5 * (c->knock > 0.0 ? c->knock : 400.0) * later(&c->joints) * later(&c->joints);
}
static double unfelt(const struct sim_stream_options *imu) {
  return 10.0 * later(imu);
}

/* As it is, or of another size. */
static struct stock_robot quadruped(const char *name) {
  struct stock_robot stock;
  struct message error = {0};
  ck_assert_msg(scaled_robot_load(name != NULL ? name : "quadruped12", "config/robots", &stock,
                                  &error) == STATUS_OK,
                "%s", error.text);
  return stock;
}

/* Simulates, estimates, and holds what is published from the second second on against the truth. */
static void trot(const struct trot_case *c) {
  static struct scored_run scored;
  const struct score *score = &scored.score;
  const struct stock_robot stock = quadruped(c->robot);
  struct sim_options options = bench_options(&stock, MOTION_WALK, c->seed);
  options.duration_s = c->seconds > 0.0 ? c->seconds : SECONDS;
  options.stream[PROPRIOD_SHM_WRENCH].rate_hz *= c->forces;
  options.body.mass = c->mass;
  options.walk.step_time = c->step_time;
  options.frame_rate_hz = c->frames_hz > 0.0 ? c->frames_hz : options.frame_rate_hz;
  if (c->joints.rate_hz > 0.0) {
    options.stream[PROPRIOD_SHM_JOINTS] = c->joints;
  }
  if (c->imu.rate_hz > 0.0) {
    options.stream[PROPRIOD_SHM_IMU] = c->imu;
  }
  scored_run_begin(&scored, &options);
  scored_run_go(&scored, 2.0);
  const double ok = score_ok(score), tilt = score_rms(score, QUANTITY_TILT),
               tilt_nees = score_nees(score, QUANTITY_TILT),
               velocity = score_rms(score, QUANTITY_VELOCITY),
               nees = score_nees(score, QUANTITY_VELOCITY), q = score_rms(score, QUANTITY_Q),
               height = score_rms(score, QUANTITY_HEIGHT);
  printf("%s, seed %lu: ok %.3f, %u resets, tilt %.3f degrees, NEES %.2f, velocity %.4f m/s, NEES "
         "%.2f, height %.1f mm, q %.3f mrad\n",
         c->what, (unsigned long)c->seed, ok, score->resets, tilt * 180.0 / M_PI, tilt_nees,
         velocity, nees, 1e3 * height, 1e3 * q);
  ck_assert_double_gt(scored.tape.truth[scored.tape.count - 1].base.X_WB.p.x,
                      1.0); /* it did trot */
  ck_assert_double_ge(ok, 0.98);
  ck_assert_uint_eq(score->resets, 0);
  ck_assert_double_lt(tilt, 0.5 * M_PI / 180.0);
  ck_assert_double_lt(tilt_nees, 2.5);
  ck_assert_double_lt(velocity, 0.08 * 0.25 + unfelt(&c->imu)); /* of its speed, per axis */
  ck_assert_double_lt(height, 0.4 * 0.02); /* of the radius of the balls that it stands on */
  ck_assert_double_lt(nees, 4.0);
  ck_assert_double_lt(q, options.joints.white + unread(c));
  scored_run_end(&scored);
  robot_destroy(stock.robot);
}

START_TEST(a_trot_is_estimated_as_ordinary_motion) {
  for (uint64_t seed = 1; seed <= 2; seed++) {
    trot(&(struct trot_case){.what = "a trot", .seed = seed, .forces = true});
  }
}
END_TEST

/* Its front feet sink by 6 mm at every step, its hind feet by 1.5: taken for places that are sure
 * to a millimetre they tilted it ever further, .7 degree after ten seconds. */
START_TEST(feet_that_sink_at_every_step_do_not_tilt_it) {
  trot(&(struct trot_case){.what = "a long trot", .seed = 12, .forces = true, .seconds = 15.0});
}
END_TEST

START_TEST(a_trot_needs_no_force_sensors) {
  trot(&(struct trot_case){.what = "without force sensors", .seed = 3});
}
END_TEST

START_TEST(a_trot_may_be_of_a_body_three_percent_heavier_or_lighter) {
  trot(&(struct trot_case){.what = "masses 3 % wrong", .seed = 4, .forces = true, .mass = 0.03});
}
END_TEST

START_TEST(a_slower_trot_is_estimated_too) {
  trot(&(struct trot_case){.what = "slower", .seed = 5, .forces = true, .step_time = 0.18});
}
END_TEST

/* Encoders have rates of their own, and miss some samples: what happens between two of their
 * readings took longer than from one instant to the next, and a foot that lands meanwhile has
 * landed all the same. */
START_TEST(encoders_that_are_slower_than_the_imu_lose_neither_joints_nor_landings) {
  const struct trot_case cases[] = {
      {.what = "encoders at 250 Hz", .seed = 7, .joints = {.rate_hz = 250.0}},
      {.what = "at 400 Hz with jitter",
       .joints = {400.0, 1e-3, 3e-4, 0.0},
       .imu = {.rate_hz = 250}},
      {.what = "5 % lost",
       .joints = {.rate_hz = 1000.0, .loss = 0.05},
       .imu = {1000.0, 0, 0, 0.05}},
  };
  for (size_t i = 0; i < 3; i++) {
    trot(&cases[i]);
  }
}
END_TEST

/* When between two readings the body was struck is not known: a rate that changed has turned it for
 * half of the time on average. */
START_TEST(a_slow_imu_says_less_of_strikes_and_no_wrong_attitude) {
  for (uint64_t seed = 9; seed <= 10; seed++) {
    trot(&(struct trot_case){
        .what = "all at 250 Hz", .seed = seed, .joints.rate_hz = 250.0, .imu.rate_hz = 250.0});
  }
}
END_TEST

/* At every strike the IMU was suspected for what feet slid in one reading, and these held where
 * they had stood while they stepped on: then it was refused, and the robot 10 degrees askew for
 * good. */
START_TEST(a_trot_seen_a_hundred_times_a_second_is_seen_as_well) {
  for (uint64_t seed = 21; seed <= 24; seed++) {
    trot(&(struct trot_case){.what = "all at 100 Hz",
                             .seed = seed,
                             .forces = true,
                             .frames_hz = 100.0,
                             .joints.rate_hz = 100.0,
                             .imu.rate_hz = 100.0});
  }
}
END_TEST

/* Its knees swing off at 5 rad/s within one reading: left out until they had slipped, they ran
 * away. */
START_TEST(a_light_quadruped_has_fast_knees) {
  trot(&(struct trot_case){.what = "of .6 the size, at 500 Hz",
                           .robot = "quadruped12@0.6",
                           .knock = 1000.0,
                           .seed = 11,
                           .forces = true,
                           .joints.rate_hz = 500.0,
                           .imu.rate_hz = 500.0});
}
END_TEST

/* A trot that is healthy until its fifth second, and the moment from which its faults are tried. */
static struct scored_run healthy;
static struct trust_moment fifth_second;

static void begin_healthy(void) {
  static struct stock_robot stock;
  stock = test_robot("quadruped12");
  struct sim_options options = bench_options(&stock, MOTION_WALK, 6);
  options.duration_s = SECONDS;
  scored_run_begin(&healthy, &options);
  while (healthy.tape.period_s * (double)healthy.run.next < 5.0) {
    trust_run_step(&healthy.run, NULL);
  }
  ck_assert_int_eq(trust_run_save(&healthy.run, &fifth_second), STATUS_OK);
}

/* That trot with one sensor that fails. Scored until some time after. */
static struct verdict trot_with(enum burst_sensor sensor, enum burst_kind kind, double length_s,
                                struct score *score) {
  const struct burst_fault fault = {
      .sensor = sensor, .kind = kind, .start_s = 5.0, .length_s = length_s, .seed = 6};
  struct burst burst;
  ck_assert(burst_init(&burst, &fault, &healthy.tape));
  trust_run_restore(&healthy.run, &fifth_second);
  while (healthy.run.next < burst.first) {
    trust_run_step(&healthy.run, NULL);
  }
  const struct verdict verdict = verdict_of_burst(&healthy.run, &burst, score);
  burst_free(&burst);
  return verdict;
}

static double lie_s(const struct score *score, enum quantity quantity) {
  return 1e-3 * (double)score->of[quantity].longest_lie;
}

/* On two points nothing tells how a body turns about the line through them. */
START_TEST(a_trot_without_its_imu_for_a_while_says_so_and_goes_on) {
  static struct score score;
  const struct verdict verdict = trot_with(BURST_IMU, BURST_SILENT, 0.3, &score);
  const double tilt_lie = lie_s(&score, QUANTITY_TILT);
  printf("IMU silent 0.3 s: tilt %.1f degrees, right after %.3f s, ok and wrong tilt %.3f s, %u "
         "resets\n",
         verdict.worst_tilt * 180.0 / M_PI, verdict.right_s, tilt_lie, verdict.resets);
  ck_assert_double_lt(verdict.worst_tilt, 5.0 * M_PI / 180.0);
  ck_assert_double_lt(verdict.ok_s, 0.5);
  ck_assert_double_le(tilt_lie, 0.05);
  ck_assert_uint_eq(verdict.resets, 0);
}
END_TEST

/* What the feet felt last is no longer true: believed, it put the base's velocity 1.4 m/s off. */
START_TEST(forces_that_freeze_or_fall_silent_are_done_without) {
  static const enum burst_kind kinds[] = {BURST_FROZEN, BURST_SILENT};
  static struct score score;
  for (size_t i = 0; i < 2; i++) {
    const struct verdict verdict = trot_with(BURST_FORCES, kinds[i], 0.4, &score);
    const double velocity = score_rms(&score, QUANTITY_VELOCITY);
    printf("forces %s 0.4 s: velocity %.4f m/s, ok and wrong %.3f s, centre of pressure %.3f s\n",
           burst_kind_name(kinds[i]), velocity, lie_s(&score, QUANTITY_VELOCITY),
           lie_s(&score, QUANTITY_COP));
    ck_assert_double_lt(velocity, 0.05);
    ck_assert_double_le(lie_s(&score, QUANTITY_VELOCITY), 0.02);
    ck_assert_double_le(lie_s(&score, QUANTITY_COP), 0.02);
    ck_assert_uint_eq(verdict.resets, 0);
  }
}
END_TEST

/* Where they said it was to 5 mm it was .1 m and more off, ok, in every other instant. */
START_TEST(forces_that_become_noisy_say_less_of_the_centre_of_pressure) {
  static struct score score;
  const struct verdict verdict = trot_with(BURST_FORCES, BURST_NOISE, 0.8, &score);
  const struct quantity_score *cop = &score.of[QUANTITY_COP];
  const double beyond = (double)cop->beyond / (double)cop->components;
  printf(
      "forces noisy 0.8 s: centre of pressure beyond five deviations %.3f, ok and wrong %.3f s\n",
      beyond, lie_s(&score, QUANTITY_COP));
  ck_assert_double_lt(beyond, 0.05);
  ck_assert_double_le(lie_s(&score, QUANTITY_COP), 0.02);
  ck_assert_uint_eq(verdict.resets, 0);
}
END_TEST

/* Worst tilt, rad, of the last one and a half of eight seconds; a gyro was off for a tenth. */
static double tilt_long_after(struct scored_run *scored, double start_s, uint64_t *resets) {
  const struct burst_fault fault = {BURST_GYRO, BURST_OFFSET, start_s, 0.1, 1};
  struct burst burst;
  ck_assert(burst_init(&burst, &fault, &scored->tape));
  score_reset(&scored->score);
  while (trust_run_step(&scored->run, &burst)) {
    if (scored->tape.period_s * (double)scored->run.next > SECONDS - 1.5) {
      const struct quantity_truth truth = trust_run_truth(&scored->run);
      score_add(&scored->score, &scored->run.out, &truth);
    }
  }
  *resets = scored->run.out.state.resets;
  burst_free(&burst);
  return scored->score.of[QUANTITY_TILT].worst;
}

/* It turned the base by 27 degrees; then gravity was taken for the accelerometer's bias, and the
 * tilt stayed for ever, with status `ok`. */
START_TEST(a_gyro_that_was_wrong_for_a_moment_leaves_no_tilt) {
  static struct scored_run scored;
  const struct stock_robot stock = quadruped(NULL);
  struct sim_options options = bench_options(&stock, MOTION_WALK, test_seed() + 3);
  struct trust_moment before;
  options.duration_s = SECONDS;
  scored_run_begin(&scored, &options);
  while (scored.tape.period_s * (double)scored.run.next < 4.1) {
    trust_run_step(&scored.run, NULL);
  }
  ck_assert_int_eq(trust_run_save(&scored.run, &before), STATUS_OK);
  for (int i = 0; i < 3; i++) {
    uint64_t resets;
    trust_run_restore(&scored.run, &before);
    const double tilt = tilt_long_after(&scored, 4.2 + 0.131 * i, &resets);
    printf("a gyro off by 5 rad/s for 0.1 s: tilt %.2f degrees in the end, %lu resets\n",
           tilt * 180.0 / M_PI, (unsigned long)resets);
    ck_assert_double_lt(tilt, 1.5 * M_PI / 180.0);
    ck_assert_uint_eq(resets, 0);
  }
  trust_moment_free(&before);
  scored_run_end(&scored);
}
END_TEST

/* Two points that stand tell of an IMU that they do not slide as it says, and do so at once. Base
 * velocity, rate and tilt are told apart from the joints: knees are struck at every step. */
START_TEST(an_imu_that_goes_wrong_is_found_by_the_feet_within_hundredths_of_a_second) {
  static const struct imu_case {
    enum burst_sensor sensor;
    enum burst_kind kind;
    double length_s, tilt; /* s, degrees */
  } cases[] = {
      {BURST_GYRO, BURST_OFFSET, 0.1, 2.5},
      {BURST_GYRO, BURST_OFFSET, 0.8, 5.0},
      {BURST_GYRO, BURST_FULL_SCALE, 0.8, 5.0},
      {BURST_GYRO, BURST_SILENT, 0.8, 5.0},
      {BURST_ACCELEROMETER, BURST_OFFSET, 0.1, 1.5},
      {BURST_ACCELEROMETER, BURST_OFFSET, 0.8, 1.5},
      {BURST_ACCELEROMETER, BURST_ZERO, 0.1, 2.5},
      {BURST_ACCELEROMETER, BURST_NEGATED, 0.1, 1.5},
      {BURST_IMU, BURST_ZERO, 0.1, 2.5},
  };
  static struct score score;
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    const struct imu_case *c = &cases[i];
    const struct verdict verdict = trot_with(c->sensor, c->kind, c->length_s, &score);
    const double tilt = verdict.worst_tilt * 180.0 / M_PI;
    printf("%s %s %.1f s: tilt %.1f degrees, right after %.3f s, ok and wrong tilt %.3f s, "
           "velocity %.3f s, rate %.3f s, %u resets\n",
           burst_sensor_name(c->sensor), burst_kind_name(c->kind), c->length_s, tilt,
           verdict.right_s, lie_s(&score, QUANTITY_TILT), lie_s(&score, QUANTITY_VELOCITY),
           lie_s(&score, QUANTITY_RATE), verdict.resets);
    ck_assert_double_lt(tilt, c->tilt);
    ck_assert_double_le(verdict.right_s, 1.0);
    ck_assert_double_le(lie_s(&score, QUANTITY_TILT), 0.05);
    ck_assert_double_le(lie_s(&score, QUANTITY_VELOCITY), 0.05);
    ck_assert_double_le(lie_s(&score, QUANTITY_RATE), 0.04);
    ck_assert_uint_eq(verdict.resets, 0);
  }
}
END_TEST

SUITE_AFTER(begin_healthy, a_trot_is_estimated_as_ordinary_motion,
            feet_that_sink_at_every_step_do_not_tilt_it, a_trot_needs_no_force_sensors,
            a_trot_may_be_of_a_body_three_percent_heavier_or_lighter,
            a_slower_trot_is_estimated_too,
            encoders_that_are_slower_than_the_imu_lose_neither_joints_nor_landings,
            a_light_quadruped_has_fast_knees, a_slow_imu_says_less_of_strikes_and_no_wrong_attitude,
            a_trot_seen_a_hundred_times_a_second_is_seen_as_well,
            a_trot_without_its_imu_for_a_while_says_so_and_goes_on,
            forces_that_freeze_or_fall_silent_are_done_without,
            forces_that_become_noisy_say_less_of_the_centre_of_pressure,
            a_gyro_that_was_wrong_for_a_moment_leaves_no_tilt,
            an_imu_that_goes_wrong_is_found_by_the_feet_within_hundredths_of_a_second)
