/* Gyros that jump: in blows, by broken words, and when nothing is felt. */
#include "sensors/unfelt_turn.h"

#include "support/suite.h"

static const int64_t MS = 1000000;

/* Readings every `apart` ms, of which those from `jump` on until `end` are off by `rate`; the
 * accelerometer feels something in that of `felt` alone. Returns in which it is told, or -1. */
static int told_in(int apart, int jump, int end, int felt, double rate) {
  struct unfelt_turn turn = {.read_ns = 0};
  int told = -1;
  for (int k = 0; k < 100; k++) {
    const bool jumps = k >= jump && k < end;
    const double nis[IMU_TRIADS] = {
        [IMU_GYRO] = jumps ? 100.0 : 1.0, [IMU_ACCELEROMETER] = k == felt ? 30.0 : 1.0};
    const vec3 off = {jumps ? rate : 0.01, 0.0, 0.0};
    if (unfelt_turn_next(&turn, (1 + (int64_t)k * apart) * MS, nis, off)) {
      ck_assert_int_lt(told, 0); /* once */
      told = k;
    }
  }
  return told;
}

START_TEST(a_jump_that_nobody_feels_is_told_some_milliseconds_later) {
  ck_assert_int_eq(told_in(1, 50, 52, -1, 0.1), 54);
  ck_assert_int_eq(told_in(1, 50, 90, -1, 0.1), 54);
  ck_assert_int_eq(told_in(2, 50, 52, -1, 0.1), 53);
}
END_TEST

/* However much later or earlier than the gyro's the accelerometer's filter passes it on. */
START_TEST(a_blow_is_felt) {
  for (int felt = 47; felt <= 54; felt++) {
    ck_assert_int_eq(told_in(1, 50, 52, felt, 0.1), -1);
  }
  ck_assert_int_eq(told_in(1, 50, 52, 40, 0.1), 54);
  ck_assert_int_eq(told_in(1, 50, 52, 60, 0.1), 54);
}
END_TEST

START_TEST(one_reading_alone_is_no_jump_and_slow_readings_see_no_blow) {
  ck_assert_int_eq(told_in(1, 50, 51, -1, 0.1), -1);
  ck_assert_int_eq(told_in(10, 50, 52, -1, 0.1), -1);
}
END_TEST

/* Two readings of noise agree by chance, and were taken for a gyro that lies: it was refused for
 * 1.5 s, and the base tilted by 1.4 degrees without it. */
START_TEST(one_that_jumps_again_otherwise_is_noise) {
  for (int run = 0; run < 8; run++) { /* by little, or by what is tried */
    const int again = 2 + run / 2;
    struct unfelt_turn turn = {.read_ns = 0};
    const bool late = again > 4; /* it has been told */
    bool told = false;
    for (int k = 0; k < 20; k++) {
      const bool jumps = k < 2 || k == again;
      const double nis[IMU_TRIADS] = {[IMU_GYRO] = jumps ? 100.0 : 1.0};
      const vec3 off = {k == again ? -0.1 - 0.2 * (run % 2) : jumps ? 0.1 : 0.01, 0.0, 0.0};
      told = unfelt_turn_next(&turn, (1 + k) * MS, nis, off) || told;
    }
    ck_assert_int_eq(told, late);
  }
}
END_TEST

SUITE(a_jump_that_nobody_feels_is_told_some_milliseconds_later, a_blow_is_felt,
      one_reading_alone_is_no_jump_and_slow_readings_see_no_blow,
      one_that_jumps_again_otherwise_is_noise)
