#include "sensors/imu_judge.h"

#include "support/suite.h"

static const double QUIET = 1.0, FAR = 100.0; /* normalised innovations */
static const int64_t MS = 1000000;
/* What is expected of each reading, rad/s. */
static const double RATE = 0.25;

/* `count` readings at 1 kHz from `*t` on, all alike; the last one's verdict. */
static enum imu_verdict read_gyro(struct imu_judge *judge, int64_t *t, int count, double nis,
                                  double rate) {
  enum imu_verdict verdict = IMU_USE;
  for (int i = 0; i < count; i++) {
    *t += MS;
    verdict =
        imu_judge_reading(judge, IMU_GYRO, *t, nis, (vec3){RATE, 0.0, 0.0}, (vec3){rate, 0.0, 0.0});
  }
  return verdict;
}

static struct imu_judge fresh(void) {
  struct imu_judge judge;
  imu_judge_reset(&judge);
  return judge;
}

START_TEST(one_reading_that_jumps_alone_is_left_out_and_two_that_agree_are_followed) {
  struct imu_judge judge = fresh();
  int64_t t = MS;
  ck_assert_int_eq(read_gyro(&judge, &t, 5, QUIET, 0.01), IMU_USE);
  ck_assert_int_eq(read_gyro(&judge, &t, 1, FAR, 3.0), IMU_LEAVE);
  ck_assert(!imu_judge_on_trial(&judge, IMU_GYRO, t));
  ck_assert_int_eq(read_gyro(&judge, &t, 1, QUIET, 0.01), IMU_USE);
  ck_assert_int_eq(read_gyro(&judge, &t, 1, FAR, 3.0), IMU_LEAVE);
  ck_assert_int_eq(read_gyro(&judge, &t, 1, FAR, 3.1), IMU_USE);
  ck_assert(imu_judge_on_trial(&judge, IMU_GYRO, t));
  ck_assert(!imu_judge_on_trial(&judge, IMU_ACCELEROMETER, t));
}
END_TEST

/* On a head, far from the base, the blow that the first might have been allowed for the second: an
 * accelerometer that was off by 20 m/s^2 was followed and never tried. */
START_TEST(the_second_of_two_that_agree_is_tried_though_the_first_makes_it_possible) {
  struct imu_judge judge = fresh();
  int64_t t = MS;
  read_gyro(&judge, &t, 5, QUIET, 0.01);
  ck_assert_int_eq(read_gyro(&judge, &t, 1, FAR, 3.0), IMU_LEAVE);
  ck_assert_int_eq(read_gyro(&judge, &t, 1, QUIET, 3.1), IMU_USE);
  ck_assert(imu_judge_on_trial(&judge, IMU_GYRO, t));
}
END_TEST

START_TEST(of_readings_four_milliseconds_apart_one_that_jumps_is_followed_and_tried) {
  struct imu_judge judge = fresh();
  int64_t t = MS;
  read_gyro(&judge, &t, 5, QUIET, 0.01);
  t += 3 * MS;
  ck_assert_int_eq(read_gyro(&judge, &t, 1, FAR, 3.0), IMU_USE);
  ck_assert(imu_judge_on_trial(&judge, IMU_GYRO, t));
  t += 3 * MS;
  ck_assert_int_eq(read_gyro(&judge, &t, 1, FAR, 34.8), IMU_LEAVE); /* no blow does that */
}
END_TEST

START_TEST(two_that_jump_against_each_other_are_both_left_out) {
  struct imu_judge judge = fresh();
  int64_t t = MS;
  ck_assert_int_eq(read_gyro(&judge, &t, 1, FAR, 3.0), IMU_LEAVE);
  ck_assert_int_eq(read_gyro(&judge, &t, 1, FAR, -3.0), IMU_LEAVE);
}
END_TEST

START_TEST(what_no_blow_does_is_never_taken_at_once) {
  struct imu_judge judge = fresh();
  int64_t t = MS;
  ck_assert_int_eq(read_gyro(&judge, &t, 20, FAR, 34.8), IMU_LEAVE);
  ck_assert(!imu_judge_on_trial(&judge, IMU_GYRO, t));
}
END_TEST

START_TEST(a_jump_too_small_to_do_harm_is_followed_and_not_tried) {
  struct imu_judge judge = fresh();
  int64_t t = MS;
  ck_assert_int_eq(read_gyro(&judge, &t, 3, FAR, 0.1), IMU_USE);
  ck_assert(!imu_judge_on_trial(&judge, IMU_GYRO, t));
  ck_assert_uint_eq(imu_judge_convict(&judge, IMU_BOTH, t), 0);
}
END_TEST

/* The accelerometer alone was believed then, and pushed a quadruped over. */
START_TEST(of_two_that_jumped_at_one_time_and_stay_off_neither_is_believed_without_the_other) {
  static const struct {
    int64_t sooner; /* ms: the accelerometer's jump before the gyro's */
    double off;     /* m/s^2: what it still is in the end */
    unsigned refused;
  } cases[] = {{0, 20.0, IMU_BOTH},
               {10, 20.0, 1u << IMU_GYRO}, /* another thing */
               {0, 1.0, 1u << IMU_GYRO}};  /* a blow */
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    struct imu_judge judge = fresh();
    for (int64_t ms = 1; ms <= 20; ms++) {
      const double rate = ms < 12 ? 0.0 : 5.0, off = ms < 12 - cases[i].sooner ? 0.0
                                                     : ms < 18                 ? 20.0
                                                                               : cases[i].off;
      imu_judge_reading(&judge, IMU_GYRO, ms * MS, rate > 0.0 && ms < 15 ? FAR : QUIET, VEC3_ZERO,
                        (vec3){rate, 0.0, 0.0});
      imu_judge_reading(&judge, IMU_ACCELEROMETER, ms * MS, off > 0.0 && ms < 15 ? FAR : QUIET,
                        VEC3_ZERO, (vec3){off, 0.0, 0.0});
    }
    ck_assert_uint_eq(imu_judge_convict(&judge, 1u << IMU_GYRO, 20 * MS), cases[i].refused);
  }
}
END_TEST

START_TEST(a_trial_ends_in_refusal_or_by_itself) {
  struct imu_judge judge = fresh();
  int64_t t = MS;
  read_gyro(&judge, &t, 2, FAR, 3.0);
  ck_assert(imu_judge_on_trial(&judge, IMU_GYRO, t));
  ck_assert(!imu_judge_on_trial(&judge, IMU_GYRO, t + 200 * MS));
  ck_assert_uint_eq(imu_judge_convict(&judge, IMU_BOTH, t), 1u << IMU_GYRO);
  ck_assert_int_eq(read_gyro(&judge, &t, 10, FAR, 3.0), IMU_LEAVE);
  ck_assert(!imu_judge_on_trial(&judge, IMU_GYRO, t));
}
END_TEST

/* One at full scale tipped a robot that stood. */
START_TEST(one_that_is_followed_because_it_has_been_off_for_long_is_on_trial) {
  struct imu_judge judge = fresh();
  int64_t t = MS;
  ck_assert_int_eq(read_gyro(&judge, &t, 300, FAR, 34.8), IMU_LEAVE);
  ck_assert(!imu_judge_on_trial(&judge, IMU_GYRO, t));
  ck_assert_int_eq(read_gyro(&judge, &t, 2, FAR, 34.8), IMU_USE);
  ck_assert(imu_judge_on_trial(&judge, IMU_GYRO, t));
}
END_TEST

START_TEST(who_is_not_accused_is_not_refused) {
  struct imu_judge judge = fresh();
  int64_t t = MS;
  read_gyro(&judge, &t, 2, FAR, 3.0);
  ck_assert_uint_eq(imu_judge_convict(&judge, 1u << IMU_ACCELEROMETER, t), 0);
  ck_assert(imu_judge_on_trial(&judge, IMU_GYRO, t));
  ck_assert_uint_eq(imu_judge_convict(&judge, 1u << IMU_GYRO, t), 1u << IMU_GYRO);
}
END_TEST

/* Feet that strike keep an IMU on trial: a gyro that then fails is tried for that. */
START_TEST(a_larger_jump_is_tried_anew_and_a_smaller_one_is_not) {
  struct imu_judge judge = fresh();
  int64_t t = MS;
  read_gyro(&judge, &t, 2, FAR, 0.5);
  read_gyro(&judge, &t, 50, QUIET, 0.01);
  const int64_t small_ns = t;
  read_gyro(&judge, &t, 2, FAR, 3.0);
  ck_assert_double_eq(judge.triad[IMU_GYRO].jump.x, 3.0);
  ck_assert_int_gt(judge.triad[IMU_GYRO].began_ns, small_ns);
  const int64_t began_ns = judge.triad[IMU_GYRO].began_ns;
  read_gyro(&judge, &t, 50, QUIET, 0.01);
  read_gyro(&judge, &t, 2, FAR, 0.5);
  ck_assert_double_eq(judge.triad[IMU_GYRO].jump.x, 3.0);
  ck_assert_int_eq(judge.triad[IMU_GYRO].began_ns, began_ns);
  /* however many follow, its trial is over in the end */
  for (int k = 0; k < 10; k++) {
    read_gyro(&judge, &t, 20, QUIET, 0.01);
    read_gyro(&judge, &t, 2, FAR, 0.5);
  }
  ck_assert_double_eq(judge.triad[IMU_GYRO].jump.x, 0.5);
}
END_TEST

START_TEST(a_refused_triad_is_back_after_five_readings_that_agree) {
  struct imu_judge judge = fresh();
  int64_t t = MS;
  read_gyro(&judge, &t, 2, FAR, 3.0);
  imu_judge_convict(&judge, IMU_BOTH, t);
  ck_assert_int_eq(read_gyro(&judge, &t, 100, FAR, 3.0), IMU_LEAVE);
  ck_assert_int_eq(read_gyro(&judge, &t, 4, QUIET, 0.01), IMU_LEAVE);
  ck_assert_int_eq(read_gyro(&judge, &t, 1, QUIET, 0.01), IMU_USE);
}
END_TEST

/* Beside soles that roll, a gyro that was right again was refused for all of 1.5 s. */
START_TEST(what_others_tell_of_a_refused_triad_scatters_and_its_mean_counts) {
  for (int off = 0; off < 2; off++) {
    struct imu_judge judge = fresh();
    int64_t t = MS;
    read_gyro(&judge, &t, 2, FAR, 1.0);
    imu_judge_convict(&judge, IMU_BOTH, t);
    enum imu_verdict verdict = IMU_LEAVE;
    for (int k = 0; k < 30 && verdict == IMU_LEAVE; k++) {
      verdict = read_gyro(&judge, &t, 1, QUIET, 0.4 * off + (k % 2 == 0 ? 0.5 : -0.5));
    }
    ck_assert_int_eq(verdict, off ? IMU_LEAVE : IMU_USE);
  }
}
END_TEST

START_TEST(a_refused_triad_that_stays_off_is_heard_anew_after_a_second_and_no_sooner) {
  struct imu_judge judge = fresh();
  int64_t t = MS;
  read_gyro(&judge, &t, 2, FAR, 3.0);
  imu_judge_convict(&judge, IMU_BOTH, t);
  ck_assert_int_eq(read_gyro(&judge, &t, 900, FAR, 3.0), IMU_LEAVE);
  enum imu_verdict verdict = IMU_LEAVE;
  for (int i = 0; i < 200 && verdict == IMU_LEAVE; i++) {
    verdict = read_gyro(&judge, &t, 1, FAR, 3.0);
  }
  ck_assert_int_eq(verdict, IMU_ANEW);
  ck_assert_int_eq(read_gyro(&judge, &t, 1, FAR, 3.0), IMU_USE);
}
END_TEST

START_TEST(a_triad_that_reads_nothing_is_refused_for_as_long_and_heard_at_once_afterwards) {
  struct imu_judge judge = fresh();
  int64_t t = MS;
  read_gyro(&judge, &t, 5, QUIET, 0.01);
  imu_judge_deny(&judge, 1u << IMU_GYRO);
  ck_assert_int_eq(read_gyro(&judge, &t, 3000, QUIET, 0.0), IMU_LEAVE);
  ck_assert(judge.triad[IMU_GYRO].convicted && !judge.triad[IMU_ACCELEROMETER].convicted);
  imu_judge_deny(&judge, 0);
  ck_assert_int_eq(read_gyro(&judge, &t, 1, QUIET, 0.01), IMU_USE);
}
END_TEST

START_TEST(that_a_triad_reads_again_acquits_no_other) {
  struct imu_judge judge = fresh();
  int64_t t = MS;
  read_gyro(&judge, &t, 2, FAR, 3.0);
  imu_judge_convict(&judge, IMU_BOTH, t);
  imu_judge_deny(&judge, 1u << IMU_ACCELEROMETER);
  imu_judge_deny(&judge, 0);
  ck_assert(judge.triad[IMU_GYRO].convicted && !judge.triad[IMU_ACCELEROMETER].convicted);
}
END_TEST

/* Where others cannot tell how the base moves, a reading that is as far off as before is neither
 * far off for them nor near. */
START_TEST(when_what_it_was_refused_for_is_over_a_triad_is_heard_and_tried_again) {
  struct imu_judge judge = fresh();
  int64_t t = MS;
  read_gyro(&judge, &t, 2, FAR, 3.0);
  imu_judge_convict(&judge, IMU_BOTH, t);
  ck_assert_int_eq(read_gyro(&judge, &t, 100, QUIET, 3.0), IMU_LEAVE);
  imu_judge_end(&judge, 1u << IMU_ACCELEROMETER, IMU_OVER);
  ck_assert_int_eq(read_gyro(&judge, &t, 100, QUIET, 3.0), IMU_LEAVE);
  imu_judge_end(&judge, 1u << IMU_GYRO, IMU_OVER);
  ck_assert_int_eq(read_gyro(&judge, &t, 4, QUIET, 3.0), IMU_LEAVE);
  ck_assert_int_eq(read_gyro(&judge, &t, 1, QUIET, 3.0), IMU_USE);
  ck_assert(imu_judge_on_trial(&judge, IMU_GYRO, t));
}
END_TEST

START_TEST(while_what_it_was_refused_for_goes_on_a_triad_is_not_back_though_it_agrees) {
  struct imu_judge judge = fresh();
  int64_t t = MS;
  read_gyro(&judge, &t, 2, FAR, 3.0);
  imu_judge_convict(&judge, IMU_BOTH, t);
  imu_judge_end(&judge, 1u << IMU_GYRO, IMU_GOES_ON);
  ck_assert_int_eq(read_gyro(&judge, &t, 100, QUIET, 0.01), IMU_LEAVE);
  imu_judge_end(&judge, 1u << IMU_GYRO, IMU_OVER);
  ck_assert_int_eq(read_gyro(&judge, &t, 4, QUIET, 0.01), IMU_LEAVE);
  ck_assert_int_eq(read_gyro(&judge, &t, 1, QUIET, 0.01), IMU_USE);
}
END_TEST

START_TEST(one_that_is_not_on_trial_may_be_refused_for_the_other) {
  struct imu_judge judge = fresh();
  int64_t t = MS;
  read_gyro(&judge, &t, 5, QUIET, 0.01);
  imu_judge_refuse(&judge, IMU_GYRO, t);
  ck_assert_int_eq(read_gyro(&judge, &t, 3, QUIET, 0.2), IMU_LEAVE);
  ck_assert(!judge.triad[IMU_ACCELEROMETER].convicted);
}
END_TEST

/* What a trial has to go by is what was expected before it, whatever the estimate follows since. */
START_TEST(a_trial_knows_by_how_much_readings_exceed_what_was_expected_before_it) {
  struct imu_judge judge = fresh();
  const struct triad_judge *gyro = &judge.triad[IMU_GYRO];
  int64_t t = MS;
  read_gyro(&judge, &t, 2, FAR, 3.0);
  const int64_t first_ns = t;
  ck_assert_double_eq(gyro->before.x, RATE);
  ck_assert_double_eq(gyro->excess.x, 3.0);
  ck_assert(imu_judge_stays_off(&judge, IMU_GYRO, t));
  read_gyro(&judge, &t, 2, FAR, 4.0);
  ck_assert_int_eq(gyro->first_ns, first_ns);
  ck_assert_double_eq(gyro->excess.x, 4.0);
  read_gyro(&judge, &t, 1, QUIET, 0.01); /* a blow is over */
  ck_assert_double_eq_tol(gyro->excess.x, 0.01, 1e-12);
  ck_assert(!imu_judge_stays_off(&judge, IMU_GYRO, t) && imu_judge_tries(&judge, t));
  read_gyro(&judge, &t, 1, FAR, -9.0); /* alone, and left out */
  ck_assert_double_eq_tol(gyro->excess.x, 0.01, 1e-12);
  judge = fresh();
  read_gyro(&judge, &t, 4, FAR, 3.0);
  read_gyro(&judge, &t, 1, FAR, 1.0); /* less than half of it, though more than a base moves on */
  ck_assert(!imu_judge_stays_off(&judge, IMU_GYRO, t) && imu_judge_tries(&judge, t));
  judge = fresh();
  read_gyro(&judge, &t, 4, FAR, 0.4); /* a base that moves on */
  ck_assert(!imu_judge_stays_off(&judge, IMU_GYRO, t) && imu_judge_tries(&judge, t));
}
END_TEST

/* How the base moves on besides is followed without a jump. */
START_TEST(a_trial_knows_by_how_much_its_jumps_have_a_triad_off) {
  struct imu_judge judge = fresh();
  const struct triad_judge *gyro = &judge.triad[IMU_GYRO];
  int64_t t = MS;
  read_gyro(&judge, &t, 2, FAR, 3.0);
  ck_assert_double_eq(gyro->off.x, 3.0);
  read_gyro(&judge, &t, 20, QUIET, 0.3);
  ck_assert_double_eq(gyro->off.x, 3.0);
  const int64_t first_ns = gyro->first_ns;
  read_gyro(&judge, &t, 2, FAR, 1.0); /* further */
  ck_assert_double_eq(gyro->off.x, 4.0);
  judge.triad[IMU_GYRO].excess.x = 4.0;
  read_gyro(&judge, &t, 2, FAR, -4.1); /* the way back, larger by its noise */
  ck_assert_double_eq_tol(gyro->off.x, -0.1, 1e-12);
  ck_assert_double_eq(gyro->jump.x, 3.0);
  ck_assert_int_eq(gyro->first_ns, first_ns);
}
END_TEST

START_TEST(a_larger_jump_another_way_is_tried_anew_while_another_goes_on) {
  struct imu_judge judge = fresh();
  const struct triad_judge *gyro = &judge.triad[IMU_GYRO];
  int64_t t = MS;
  read_gyro(&judge, &t, 2, FAR, 1.0);
  read_gyro(&judge, &t, 2, FAR, -4.0);
  ck_assert_int_eq(gyro->first_ns, t);
  ck_assert_double_eq(gyro->off.x, -4.0);
  ck_assert_double_eq(gyro->jump.x, -4.0);
}
END_TEST

SUITE(one_reading_that_jumps_alone_is_left_out_and_two_that_agree_are_followed,
      the_second_of_two_that_agree_is_tried_though_the_first_makes_it_possible,
      of_readings_four_milliseconds_apart_one_that_jumps_is_followed_and_tried,
      two_that_jump_against_each_other_are_both_left_out, what_no_blow_does_is_never_taken_at_once,
      a_jump_too_small_to_do_harm_is_followed_and_not_tried,
      of_two_that_jumped_at_one_time_and_stay_off_neither_is_believed_without_the_other,
      a_trial_ends_in_refusal_or_by_itself,
      one_that_is_followed_because_it_has_been_off_for_long_is_on_trial,
      who_is_not_accused_is_not_refused, a_larger_jump_is_tried_anew_and_a_smaller_one_is_not,
      a_refused_triad_is_back_after_five_readings_that_agree,
      what_others_tell_of_a_refused_triad_scatters_and_its_mean_counts,
      a_refused_triad_that_stays_off_is_heard_anew_after_a_second_and_no_sooner,
      when_what_it_was_refused_for_is_over_a_triad_is_heard_and_tried_again,
      while_what_it_was_refused_for_goes_on_a_triad_is_not_back_though_it_agrees,
      one_that_is_not_on_trial_may_be_refused_for_the_other,
      a_triad_that_reads_nothing_is_refused_for_as_long_and_heard_at_once_afterwards,
      that_a_triad_reads_again_acquits_no_other,
      a_trial_knows_by_how_much_its_jumps_have_a_triad_off,
      a_larger_jump_another_way_is_tried_anew_while_another_goes_on,
      a_trial_knows_by_how_much_readings_exceed_what_was_expected_before_it)
