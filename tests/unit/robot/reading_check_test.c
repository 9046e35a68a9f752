#include "robot/reading_check.h"

#include "support/random_model.h"
#include "support/synthetic_robot.h"

#include <math.h>

static const struct reading_settings limits = {.gyro_range = 35.0, .accelerometer_range = 157.0};

static struct reading_check new_check(const struct robot *robot) {
  struct reading_check check;
  struct arena count = {0};
  ck_assert_int_eq(reading_check_init(&check, robot, &limits, &count), STATUS_OK);
  struct arena arena = test_arena(count.used);
  ck_assert_int_eq(reading_check_init(&check, robot, &limits, &arena), STATUS_OK);
  return check;
}

/* A check for a synthetic robot of three joints. */
static struct reading_check check_of_three(void) {
  struct random rng = random_from(test_seed());
  return new_check(synthetic_robot(3, true, 3, &rng));
}

static const struct stream_stamp fresh = {true, true, 1, 1};

START_TEST(an_axis_at_its_range_is_left_out_alone_and_counted_once) {
  struct reading_check check = check_of_three();
  struct sensor_frame frame = {.imu = {.stamp = fresh,
                                       .angular_rate = {34.9, -35.0, 0.0},
                                       .specific_force = {(double)NAN, 156.9, 1e308}}};
  reading_check_step(&check, true, &frame);
  ck_assert_double_eq(frame.imu.angular_rate.x, 34.9);
  ck_assert(isnan(frame.imu.angular_rate.y));
  ck_assert_double_eq(frame.imu.angular_rate.z, 0.0);
  ck_assert(isnan(frame.imu.specific_force.x) && isnan(frame.imu.specific_force.z));
  ck_assert_double_eq(frame.imu.specific_force.y, 156.9);
  ck_assert_uint_eq(check.counters.gyro_refused, 1);
  ck_assert_uint_eq(check.counters.accelerometer_refused, 2);
  frame.imu.stamp.fresh = false; /* the same reading once more */
  reading_check_step(&check, true, &frame);
  ck_assert_uint_eq(check.counters.gyro_refused, 1);
}
END_TEST

/* Reads an IMU at 1 kHz whose gyro and accelerometer measure every so many readings, in steps of
 * `step`; returns how many readings were taken for measurements, of `n`. */
static int measurements(struct reading_check *check, int gyro_every, int force_every, double step,
                        int n, int *longest) {
  struct random rng = random_from(test_seed());
  vec3 rate = VEC3_ZERO, force = VEC3_ZERO;
  int heard = 0, silent = 0;
  *longest = 0;
  for (int k = 0; k < n; k++) {
    if (k % gyro_every == 0) {
      rate.x = step * round(0.1 * random_normal(&rng) / step);
    }
    if (k % force_every == 0) {
      force.z = 9.81 + step * round(0.1 * random_normal(&rng) / step);
    }
    struct sensor_frame frame = {.imu = {.stamp = {true, true, 1, 1000000 * (int64_t)(k + 1)},
                                         .angular_rate = rate,
                                         .specific_force = force}};
    reading_check_step(check, true, &frame);
    const bool told = frame.imu.stamp.fresh;
    heard += told;
    silent = told ? 0 : silent + 1;
    *longest = silent > *longest ? silent : *longest;
    ck_assert(!told || !isnan(frame.imu.angular_rate.x) || !isnan(frame.imu.specific_force.z));
    if (k > 100 && gyro_every == 1 && force_every == 5 && step < 1e-3) { /* each for itself */
      ck_assert(!isnan(frame.imu.angular_rate.x));
      ck_assert_int_eq(isnan(frame.imu.specific_force.z), k % 5 != 0);
    }
  }
  return heard;
}

START_TEST(an_imu_has_not_measured_what_it_repeats) {
  int longest;
  struct reading_check check = check_of_three();
  ck_assert_int_le(measurements(&check, 5, 5, 1e-6, 5000, &longest), 1030);
  ck_assert_uint_ge(check.counters.imu_repeated, 2 * 3970);
  check = check_of_three();
  ck_assert_int_eq(measurements(&check, 1, 5, 1e-6, 5000, &longest), 5000);
  ck_assert_uint_eq(check.counters.gyro_refused + check.counters.accelerometer_refused, 0);
}
END_TEST

START_TEST(one_of_few_bits_at_rest_is_not_silent) {
  int longest;
  struct reading_check check = check_of_three();
  measurements(&check, 1, 1, 0.3, 20000, &longest);
  ck_assert_int_le(longest, 20);
}
END_TEST

/* Of a robot with an IMU on a limb whose gyro freezes. */
START_TEST(a_triad_that_freezes_is_none_and_named_and_taken_back_at_once) {
  struct reading_check check = check_of_three();
  struct random rng = random_from(test_seed());
  vec3 last = VEC3_ZERO;
  for (int i = 0; i < 1300; i++) {
    const vec3 noise = {random_normal(&rng), random_normal(&rng), random_normal(&rng)};
    const bool freezes = i >= 1000 && i < 1200;
    last = freezes ? last : noise;
    const struct imu_triads limb = {.specific_force = noise, .angular_rate = last};
    struct sensor_frame frame = {.imu = {.stamp = {true, true, 1, 1000000 * (int64_t)(i + 1)},
                                         .specific_force = noise,
                                         .angular_rate = noise,
                                         .n_limbs = 1,
                                         .limb = &limb}};
    reading_check_step(&check, i > 500, &frame);
    const bool none = isnan(frame.imu.limb[0].angular_rate.x);
    ck_assert(freezes ? none || i < 1010 : !none);
    ck_assert_uint_eq(reading_check_frozen(&check), none ? 1u << 2 : 0u);
    ck_assert(vec3_is_finite(frame.imu.limb[0].specific_force) && frame.imu.stamp.fresh);
    ck_assert(vec3_is_finite(frame.imu.angular_rate));
  }
}
END_TEST

START_TEST(an_orientation_that_turns_nothing_is_none) {
  static const quat bad[] = {{(double)NAN, 0.0, 0.0, 1.0},
                             {0.0, 0.0, 0.0, 0.0},
                             {0.0, 1e308, 0.0, 1.0},
                             {0.0, 0.0, 0.5, 1.0}};
  struct reading_check check = check_of_three();
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    struct sensor_frame frame = {
        .imu = {.stamp = fresh, .has_orientation = true, .orientation = bad[i]}};
    reading_check_step(&check, true, &frame);
    ck_assert(!frame.imu.has_orientation);
    ck_assert_uint_eq(check.counters.orientation_refused, i + 1);
  }
  struct sensor_frame good = {
      .imu = {.stamp = fresh, .has_orientation = true, .orientation = {0.6, 0.0, 0.0, 0.8}}};
  reading_check_step(&check, true, &good);
  ck_assert(good.imu.has_orientation);
}
END_TEST

START_TEST(torques_and_wrenches_that_nothing_bears_are_not_numbers_and_the_drivers_arrays_stay) {
  struct reading_check check = check_of_three();
  double tau[3] = {1.0, (double)INFINITY, -2.0}, q[3] = {0.0};
  struct force wrench[2] = {{{1.0, 2.0, 3.0}, {4.0, 1e30, 6.0}},
                            {{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}}};
  struct sensor_frame frame = {.joints = {.stamp = fresh, .q = q, .tau = tau},
                               .wrench = {.stamp = fresh, .n_sensors = 2, .wrench = wrench}};
  reading_check_step(&check, true, &frame);
  ck_assert_double_eq(frame.joints.tau[0], 1.0);
  ck_assert(isnan(frame.joints.tau[1]));
  ck_assert(isnan(frame.wrench.wrench[0].lin.y));
  ck_assert_double_eq(frame.wrench.wrench[0].lin.z, 6.0);
  ck_assert_double_eq(frame.wrench.wrench[1].lin.x, 1.0);
  ck_assert_uint_eq(check.counters.torque_refused, 1);
  ck_assert_uint_eq(check.counters.wrench_refused, 1);
  ck_assert_double_eq(wrench[0].lin.y, 1e30);
  ck_assert(isinf(tau[1]));
}
END_TEST

/* One sensor freezes while it carries; the other is in the air all the time and reads zero. */
START_TEST(a_wrench_that_repeats_itself_while_the_robot_moves_is_none) {
  struct reading_check check = check_of_three();
  struct random rng = random_from(test_seed());
  struct force wrench[2] = {{VEC3_ZERO, VEC3_ZERO}, {VEC3_ZERO, VEC3_ZERO}};
  for (int i = 0; i < 300; i++) {
    struct sensor_frame frame = {.wrench = {.stamp = fresh, .n_sensors = 2, .wrench = wrench}};
    const bool frozen = i >= 200, moving = i < 250;
    frame.wrench.stamp.t_ns = 1000000 * (i + 1);
    wrench[0].lin.z = frozen ? wrench[0].lin.z : 400.0 + random_normal(&rng);
    reading_check_step(&check, moving, &frame);
    ck_assert(isnan(frame.wrench.wrench[0].lin.z) ? i >= 203 : i < 210);
    ck_assert_double_eq(frame.wrench.wrench[1].lin.z, 0.0);
  }
  ck_assert_uint_ge(check.counters.wrench_refused, 90);
  struct sensor_frame again = {.wrench = {.stamp = fresh, .n_sensors = 2, .wrench = wrench}};
  wrench[0].lin.z += 1.0;
  again.wrench.stamp.t_ns = 301000000;
  reading_check_step(&check, true, &again);
  ck_assert_double_eq(again.wrench.wrench[0].lin.z, wrench[0].lin.z);
}
END_TEST

/* Of four sensors one answers in each frame; the others are no numbers. */
START_TEST(wrenches_that_answer_in_turn_stay_until_they_answer_again) {
  struct reading_check check = check_of_three();
  const double none = (double)NAN;
  for (int i = 0; i < 400; i++) {
    struct force wrench[4];
    for (int k = 0; k < 4; k++) {
      wrench[k] = (struct force){{none, none, none}, {none, none, none}};
    }
    wrench[i % 4] = (struct force){VEC3_ZERO, {0.0, 0.0, 1.0 + i}};
    struct sensor_frame frame = {.wrench = {.stamp = fresh, .n_sensors = 4, .wrench = wrench}};
    frame.wrench.stamp.t_ns = 1000000 * (i + 1);
    reading_check_step(&check, true, &frame);
    for (int k = 0; k < 4 && i > 4; k++) {
      ck_assert_double_eq(frame.wrench.wrench[k].lin.z, 1.0 + i - (i - k) % 4);
    }
    ck_assert(frame.wrench.stamp.fresh);
  }
  ck_assert_uint_eq(check.counters.wrench_refused, 0);
}
END_TEST

/* A sensor slower than the frames, whose driver says so or not. */
START_TEST(one_that_repeats_itself_ordinarily_goes_on_with_the_stamp_of_what_it_measured) {
  struct reading_check check = check_of_three();
  struct random rng = random_from(test_seed());
  struct force wrench = {VEC3_ZERO, VEC3_ZERO};
  for (int i = 0; i < 2000; i++) {
    const bool now = i % 10 == 0;
    struct sensor_frame frame = {.wrench = {.stamp = fresh, .n_sensors = 1, .wrench = &wrench}};
    frame.wrench.stamp.fresh = now || i >= 1000;
    frame.wrench.stamp.t_ns = 1000000 * (i < 1000 ? i / 10 * 10 : i);
    wrench.lin.z = now ? 400.0 + random_normal(&rng) : wrench.lin.z;
    reading_check_step(&check, true, &frame);
    ck_assert(isfinite(frame.wrench.wrench[0].lin.z));
    ck_assert(i < 1100 || frame.wrench.stamp.t_ns == 1000000 * (i / 10 * 10)); /* of then */
    ck_assert(i < 1100 || frame.wrench.stamp.fresh == now);
  }
}
END_TEST

SUITE(an_axis_at_its_range_is_left_out_alone_and_counted_once,
      wrenches_that_answer_in_turn_stay_until_they_answer_again,
      an_imu_has_not_measured_what_it_repeats,
      a_triad_that_freezes_is_none_and_named_and_taken_back_at_once,
      one_of_few_bits_at_rest_is_not_silent, an_orientation_that_turns_nothing_is_none,
      torques_and_wrenches_that_nothing_bears_are_not_numbers_and_the_drivers_arrays_stay,
      a_wrench_that_repeats_itself_while_the_robot_moves_is_none,
      one_that_repeats_itself_ordinarily_goes_on_with_the_stamp_of_what_it_measured)
