/* An accelerometer that reads a pull to the ground (sensors/imu_pull.h). */
#include "sensors/imu_pull.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

static const int64_t MS = 1000000;

struct fixture {
  struct imu_pull pull;
  struct imu_judge judge;
  int64_t t_ns;
};

static struct fixture begin(void) {
  struct fixture f;
  memset(&f, 0, sizeof(f));
  imu_judge_reset(&f.judge);
  f.t_ns = MS;
  return f;
}

/* Reads `up` for so many ms; what pulls for longer than a body rings accuses the accelerometer, and
 * is refused. */
static void read_for(struct fixture *f, double up, int ms, bool soles) {
  for (int k = 0; k < ms; k++) {
    f->t_ns += MS;
    imu_pull_read(&f->pull, up, f->t_ns);
    const bool lasts = imu_pull_lasts(&f->pull, true, f->t_ns);
    if (lasts && !f->judge.triad[IMU_ACCELEROMETER].convicted) {
      imu_judge_refuse(&f->judge, IMU_ACCELEROMETER, f->t_ns);
    }
    imu_pull_refuse(&f->pull, &f->judge, (unsigned)lasts << IMU_ACCELEROMETER, soles, f->t_ns);
  }
}

START_TEST(a_body_that_rings_is_pulled_for_some_milliseconds_only) {
  struct fixture f = begin();
  read_for(&f, -9.8, 5, false);
  ck_assert(!imu_pull_lasts(&f.pull, true, f.t_ns));
  read_for(&f, -9.8, 1, false);
  ck_assert(imu_pull_lasts(&f.pull, true, f.t_ns));
  read_for(&f, 0.0, 1, false);
  ck_assert(!imu_pull_lasts(&f.pull, true, f.t_ns));
}
END_TEST

/* Legs that a stumbling robot throws up pull its trunk down: feet are not dragged then. */
START_TEST(what_no_foot_denies_lasts_for_longer) {
  struct fixture f = begin();
  for (int ms = 0; ms < 11; ms++) {
    ck_assert(!imu_pull_lasts(&f.pull, false, f.t_ns));
    imu_pull_read(&f.pull, -9.8, f.t_ns += MS);
  }
  ck_assert(imu_pull_lasts(&f.pull, false, f.t_ns));
}
END_TEST

/* What its feet then seem to do as well, if it is wrong. */
START_TEST(a_base_that_is_pulled_falls_as_it_reads) {
  struct fixture f = begin();
  read_for(&f, 9.81, 3, false);
  read_for(&f, -9.81, 1, false);
  ck_assert_double_eq(f.pull.fell, 0.0);
  read_for(&f, -9.81, 8, false);
  assert_near(f.pull.fell, 8e-3 * 2.0 * STANDARD_GRAVITY, 1e-9);
  read_for(&f, 9.81, 2, false);
  ck_assert_double_eq(f.pull.fell, 0.0);
}
END_TEST

START_TEST(a_reading_without_its_vertical_tells_nothing) {
  struct fixture f = begin();
  read_for(&f, -9.8, 6, false);
  const struct imu_pull before = f.pull;
  imu_pull_read(&f.pull, NAN, f.t_ns + MS);
  ck_assert_int_eq(f.pull.pulled_ns, before.pulled_ns);
  ck_assert_int_eq(f.pull.carried_ns, before.carried_ns);
}
END_TEST

START_TEST(what_a_strike_may_explain_ends_with_the_pull) {
  struct fixture f = begin();
  read_for(&f, -9.8, 7, false);
  ck_assert_int_eq(f.judge.triad[IMU_ACCELEROMETER].cause, IMU_UNSAID);
  read_for(&f, 0.0, 1, false);
  ck_assert_int_eq(f.judge.triad[IMU_ACCELEROMETER].cause, IMU_OVER);
}
END_TEST

START_TEST(what_no_strike_explains_ends_when_something_carries_the_base) {
  struct fixture f = begin();
  read_for(&f, -9.8, 12, false);
  read_for(&f, 0.0, 50, false);
  ck_assert_int_eq(f.judge.triad[IMU_ACCELEROMETER].cause, IMU_GOES_ON);
  read_for(&f, 9.8, 10, false);
  ck_assert_int_eq(f.judge.triad[IMU_ACCELEROMETER].cause, IMU_GOES_ON);
  read_for(&f, 9.8, 1, false);
  ck_assert_int_eq(f.judge.triad[IMU_ACCELEROMETER].cause, IMU_OVER);
}
END_TEST

START_TEST(the_gyro_beside_it_is_refused_where_soles_tell_how_the_base_turns) {
  struct fixture f = begin();
  read_for(&f, -9.8, 12, false);
  ck_assert(!f.judge.triad[IMU_GYRO].convicted);
  f = begin();
  read_for(&f, -9.8, 12, true);
  ck_assert(f.judge.triad[IMU_GYRO].convicted);
  ck_assert_int_eq(f.judge.triad[IMU_GYRO].cause, IMU_GOES_ON);
}
END_TEST

SUITE(a_base_that_is_pulled_falls_as_it_reads, what_no_foot_denies_lasts_for_longer,
      a_body_that_rings_is_pulled_for_some_milliseconds_only,
      a_reading_without_its_vertical_tells_nothing, what_a_strike_may_explain_ends_with_the_pull,
      what_no_strike_explains_ends_when_something_carries_the_base,
      the_gyro_beside_it_is_refused_where_soles_tell_how_the_base_turns)
