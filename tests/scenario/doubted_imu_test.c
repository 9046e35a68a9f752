/* An IMU that is a little wrong for a while, and skin that is too strong as a whole: neither moves
 * the base, and the first is told. On robots and seeds of its own, sensors biased. */
#include "support/fault_run.h"
#include "support/suite.h"

#include <inttypes.h>

/* Added to the IMU's readings, each axis: rad/s and m/s^2. */
struct wrong {
  const char *robot, *scenario;
  double rate, force, seconds;
};

/* The worst after the fault began. */
struct worst {
  double tilt, velocity; /* rad, m/s */
  double told;           /* s: how long the status was other than ok */
  double lied;           /* s: how long it was ok and the base off by 0.06 m/s */
  double end;            /* m/s: velocity error at the end */
  unsigned resets;
};

static const double BEGINS = 2.0, ENDS = 5.0; /* s */

static struct fault_run *ordinary(const char *robot, const char *scenario) {
  struct fault_run *run = fault_run_new(robot, scenario, 1000.0, 250.0);
  run->options.seed += 4711;
  run->options.stream[PROPRIOD_SHM_SKIN].latency_s = 2e-3;
  run->options.skin.bias = 0.1;
  run->options.skin.scale = 0.02;
  run->options.skin.orientation = 0.035;
  run->options.imu.force_offset = (vec3){0.1, -0.1, 0.1};
  run->options.imu.rate_offset = (vec3){0.01, -0.01, 0.01};
  return run;
}

/* Angle between the estimated and the true vertical, rad. */
static double tilt_error(const struct fault_run *run) {
  const mat3 R = mat3_from_quat(run->out.state.quat_xyzw);
  const mat3 *T = &fault_run_truth(run)->base.X_WB.R;
  const vec3 up = {R.m[2][0], R.m[2][1], R.m[2][2]};
  return asin(fmin(vec3_norm(vec3_cross(up, (vec3){T->m[2][0], T->m[2][1], T->m[2][2]})), 1.0));
}

static double velocity_error(const struct fault_run *run) {
  return vec3_norm(vec3_sub(run->out.state.base_velocity, fault_run_truth(run)->base_velocity_W));
}

/* Runs that have been healthy until the faults begin. */
static struct begun {
  const char *robot, *scenario;
  struct fault_run *run;
} begun[] = {{"humanoid30", "stand", NULL},
             {"humanoid30", "walk", NULL},
             {"humanoid18", "stand", NULL},
             {"humanoid18", "walk", NULL}};
enum { BEGUN = sizeof(begun) / sizeof(begun[0]) };

static void begin_all(void) {
  for (size_t i = 0; i < BEGUN; i++) {
    begun[i].run = ordinary(begun[i].robot, begun[i].scenario);
    fault_run_record(begun[i].run, ENDS + 0.01);
    fault_run_start(begun[i].run);
    fault_run_advance(begun[i].run, BEGINS);
  }
}

static struct fault_run *begun_of(const char *robot, const char *scenario) {
  for (size_t i = 0; i < BEGUN; i++) {
    if (strcmp(begun[i].robot, robot) == 0 && strcmp(begun[i].scenario, scenario) == 0) {
      return begun[i].run;
    }
  }
  ck_abort_msg("no run of %s, %s", robot, scenario);
}

/* What comes of such a run with a fault. */
struct trial {
  struct fault_run *run;
  const struct wrong *wrong;
  struct worst worst;
};

static void spoil(void *with) {
  struct trial *trial = with;
  struct fault_run *run = trial->run;
  const struct wrong *wrong = trial->wrong;
  const double period = run->settings.period_s;
  struct worst worst = {0};
  for (double t = BEGINS; t < ENDS; t += period) {
    fault_run_take(run);
    if (t < BEGINS + wrong->seconds) {
      struct imu_reading *imu = &run->frame.imu;
      imu->angular_rate = vec3_add(imu->angular_rate, (vec3){0.0, wrong->rate, 0.0});
      imu->specific_force = vec3_add(imu->specific_force, (vec3){wrong->force, 0.0, 0.0});
    }
    fault_run_give(run);
    worst.tilt = fmax(worst.tilt, tilt_error(run));
    worst.velocity = fmax(worst.velocity, velocity_error(run));
    const bool ok = run->out.state.status == PROPRIOD_STATUS_OK;
    worst.told += ok ? 0.0 : period;
    worst.lied += ok && velocity_error(run) > 0.06 ? period : 0.0;
  }
  worst.end = velocity_error(run);
  worst.resets = run->out.state.resets;
  printf("%s, %s, %g rad/s, %g m/s^2 for %g s: tilt %.2f degrees, velocity %.3f m/s, told %.2f s\n",
         wrong->robot, wrong->scenario, wrong->rate, wrong->force, wrong->seconds,
         worst.tilt * 180.0 / M_PI, worst.velocity, worst.told);
  trial->worst = worst;
}

static struct worst worst_of(const struct wrong *wrong) {
  struct trial trial = {.run = begun_of(wrong->robot, wrong->scenario), .wrong = wrong};
  fault_run_try(trial.run, spoil, &trial);
  return trial.worst;
}

START_TEST(a_gyro_off_by_more_than_it_may_be_is_found_by_feet_and_skin) {
  const struct wrong wrong[] = {{"humanoid30", "stand", 0.5, 0.0, 0.1},
                                {"humanoid30", "walk", 1.0, 0.0, 0.1},
                                {"humanoid18", "stand", 5.0, 0.0, 0.8},
                                {"humanoid30", "walk", 5.0, 0.0, 0.8}};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    const struct worst worst = worst_of(&wrong[i]);
    ck_assert_double_lt(worst.tilt, 1.5 * M_PI / 180.0);
    ck_assert_double_lt(worst.velocity, 0.1);
    ck_assert_double_gt(worst.told, 0.5 * wrong[i].seconds);
    ck_assert_uint_eq(worst.resets, 0);
  }
}
END_TEST

START_TEST(an_accelerometer_off_by_more_than_it_may_be_is_found_by_skin) {
  const struct wrong wrong[] = {{"humanoid30", "stand", 0.0, 5.0, 0.8},
                                {"humanoid18", "walk", 0.0, 20.0, 0.8}};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    const struct worst worst = worst_of(&wrong[i]);
    ck_assert_double_lt(worst.tilt, 1.5 * M_PI / 180.0);
    ck_assert_double_lt(worst.velocity, 0.02 * wrong[i].force); /* over five samples of skin */
    ck_assert_double_gt(worst.told, 0.5 * wrong[i].seconds);
    ck_assert_uint_eq(worst.resets, 0);
  }
}
END_TEST

/* Refused for as long as one may be, it is heard again: what it is off by is its bias then. */
START_TEST(an_accelerometer_off_for_good_is_its_bias_in_the_end) {
  const struct wrong wrong[] = {{"humanoid30", "walk", 0.0, 8.0, 3.0},
                                {"humanoid18", "stand", 0.0, -5.0, 3.0}};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    const struct worst worst = worst_of(&wrong[i]);
    ck_assert_double_lt(worst.velocity, 0.15 * fabs(wrong[i].force));
    ck_assert_double_lt(worst.end, 0.02);
    ck_assert_double_gt(worst.told, 1.0);
    ck_assert_uint_eq(worst.resets, 0);
  }
}
END_TEST

/* No reading of these jumps by enough to be tried: what is off lasts. */
START_TEST(an_accelerometer_slightly_off_for_long_is_found_by_skin_with_feet) {
  const struct wrong wrong[] = {{"humanoid30", "stand", 0.0, 1.0, 0.8},
                                {"humanoid18", "stand", 0.0, -2.0, 0.8},
                                {"humanoid30", "walk", 0.0, -1.5, 0.8},
                                {"humanoid18", "walk", 0.0, 1.0, 0.8}};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    const struct worst worst = worst_of(&wrong[i]);
    ck_assert_double_lt(worst.tilt, 1.0 * M_PI / 180.0);
    ck_assert_double_lt(worst.velocity, 0.2);
    ck_assert_double_lt(worst.lied, 0.02);
    ck_assert_double_gt(worst.told, 0.2);
    ck_assert_double_lt(worst.end, 0.02);
    ck_assert_uint_eq(worst.resets, 0);
  }
}
END_TEST

/* Feet are dragged and skin differs from the IMU while a robot tumbles: what that begins anew it
 * does not begin again and again. */
START_TEST(a_fall_leaves_the_base_at_rest_after_few_resets) {
  for (int seed = 0; seed < 2; seed++) {
    struct fault_run *run = ordinary("humanoid30", "fall");
    run->options.seed += (uint64_t)seed;
    double worst = 0.0;
    fault_run_start(run);
    for (double t = 0.0; t < 7.0; t += run->settings.period_s) {
      fault_run_take(run);
      fault_run_give(run);
      worst = t > 6.0 ? fmax(worst, velocity_error(run)) : 0.0;
    }
    printf("a fall: velocity %.3f m/s in the last second, %" PRIu64 " resets\n", worst,
           run->out.state.resets);
    ck_assert_uint_le(run->out.state.resets, 1);
    ck_assert_double_lt(worst, 0.05);
    fault_run_end(run);
  }
}
END_TEST

/* Gravity through a gain is no bias of the accelerometer: the robot does not fall. */
START_TEST(skin_fifteen_percent_too_strong_neither_lifts_nor_tilts_the_robot) {
  static const char *const robots[] = {"humanoid30", "humanoid18"};
  for (int r = 0; r < 2; r++) {
    struct fault_run *run = ordinary(robots[r], "walk");
    double tilt = 0.0, velocity = 0.0;
    fault_run_start(run);
    for (double t = 0.0; t < 4.0; t += run->settings.period_s) {
      fault_run_take(run);
      for (size_t i = 0; run->frame.skin.stamp.fresh && i < 3 * run->stock.robot->n_cells; i++) {
        run->frame.skin.acceleration[i] *= 1.15f;
      }
      fault_run_give(run);
      tilt = t > 1.5 ? fmax(tilt, tilt_error(run)) : 0.0;
      velocity = t > 1.5 ? fmax(velocity, velocity_error(run)) : 0.0;
    }
    printf("%s, skin 15 %% too strong: tilt %.2f degrees, velocity %.3f m/s\n", robots[r],
           tilt * 180.0 / M_PI, velocity);
    ck_assert_double_lt(tilt, 1.0 * M_PI / 180.0);
    ck_assert_double_lt(velocity, 0.05);
    fault_run_end(run);
  }
}
END_TEST

/* Mounting and gain of skin on arms that turn pass for a rate of the base, as long as they last. */
START_TEST(skin_ordinarily_wrong_on_moving_arms_leaves_the_gyros_bias_alone) {
  for (int seed = 0; seed < 2; seed++) {
    struct fault_run *run = ordinary("humanoid30", "payload");
    const vec3 offset = {0.02, -0.02, 0.02};
    double off = 0.0, deviations = 0.0;
    run->options.seed += (uint64_t)seed;
    run->options.imu.rate_offset = offset;
    fault_run_start(run);
    for (double t = 0.0; t < 7.0; t += run->settings.period_s) {
      fault_run_take(run);
      fault_run_give(run);
      const vec3 error = vec3_sub(run->out.state.gyro_bias, offset),
                 sd = run->out.state.gyro_bias_sd;
      if (t > 2.0) {
        off = fmax(off, vec3_norm(error));
        deviations =
            fmax(deviations, vec3_largest((vec3){error.x / sd.x, error.y / sd.y, error.z / sd.z}));
      }
    }
    printf("moving arms: gyro bias off by %.2f mrad/s, %.1f deviations\n", 1e3 * off, deviations);
    ck_assert_double_lt(off, 4e-3);
    ck_assert_double_lt(deviations, 4.0);
    fault_run_end(run);
  }
}
END_TEST

SUITE_AFTER(begin_all, a_gyro_off_by_more_than_it_may_be_is_found_by_feet_and_skin,
            an_accelerometer_off_by_more_than_it_may_be_is_found_by_skin,
            an_accelerometer_off_for_good_is_its_bias_in_the_end,
            an_accelerometer_slightly_off_for_long_is_found_by_skin_with_feet,
            a_fall_leaves_the_base_at_rest_after_few_resets,
            skin_fifteen_percent_too_strong_neither_lifts_nor_tilts_the_robot,
            skin_ordinarily_wrong_on_moving_arms_leaves_the_gyros_bias_alone)
