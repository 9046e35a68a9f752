/* Sensors that are read more often than they measure, and such that stand still. */
#include "robot/sensor_hold.h"

#include "support/suite.h"

/* Reads a sensor that measures a ramp `measured_hz` times a second at 1 kHz, `n` times; returns how
 * many readings were wrongly taken for measurements or left out, after the first `learns`. */
static int mistakes(struct sensor_hold *hold, double measured_hz, int n, int learns) {
  int wrong = 0;
  double last = -1.0;
  for (int k = 0; k < n; k++) {
    const double z = floor(1e-3 * k * measured_hz + 1e-9);
    const bool held = sensor_hold_next(hold, z == last, true);
    wrong += k >= learns && held != (z == last);
    last = z;
  }
  return wrong;
}

START_TEST(each_measurement_is_heard_once_however_often_it_is_read) {
  static const double measured_hz[] = {999.0, 980.0, 700.0, 500.0, 200.0, 50.0};
  for (size_t i = 0; i < sizeof(measured_hz) / sizeof(measured_hz[0]); i++) {
    struct sensor_hold hold = {.run = 0};
    ck_assert_int_eq(mistakes(&hold, measured_hz[i], 5000, 100), 0);
  }
}
END_TEST

/* Its steps are coarser than its noise: at rest and in slow motion it is well. */
START_TEST(a_sensor_of_few_bits_is_heard_while_it_may_repeat_itself_by_chance) {
  struct sensor_hold hold = {.run = 0};
  for (int k = 0; k < 5000; k++) {
    ck_assert(!sensor_hold_next(&hold, k % 12 != 0, false));
  }
}
END_TEST

START_TEST(one_of_few_bits_that_is_polled_is_known_by_its_leaps) {
  struct sensor_hold hold = {.run = 0};
  int wrong = 0;
  for (int k = 0; k < 1000; k++) {
    wrong += sensor_hold_next(&hold, k % 5 != 0, k % 5 == 0) != (k % 5 != 0) && k > 200;
  }
  ck_assert_int_eq(wrong, 0);
}
END_TEST

START_TEST(what_is_repeated_for_longer_than_ordinarily_is_measured) {
  struct sensor_hold hold = {.run = 0};
  mistakes(&hold, 200.0, 1000, 0);
  int left_out = 0;
  for (int k = 0; k < 1000; k++) { /* frozen */
    left_out += sensor_hold_next(&hold, true, true);
  }
  ck_assert_int_le(left_out, 10);
}
END_TEST

START_TEST(one_that_was_frozen_once_is_soon_found_the_next_time) {
  struct sensor_hold hold = {.run = 0};
  mistakes(&hold, 1000.0, 1000, 0);
  for (int frozen = 0; frozen < 2; frozen++) {
    int left_out = 0;
    for (int k = 0; k < 10000; k++) {
      left_out += sensor_hold_next(&hold, true, true);
    }
    sensor_hold_next(&hold, false, true);
    ck_assert_int_le(left_out, 6);
  }
}
END_TEST

SUITE(each_measurement_is_heard_once_however_often_it_is_read,
      a_sensor_of_few_bits_is_heard_while_it_may_repeat_itself_by_chance,
      one_of_few_bits_that_is_polled_is_known_by_its_leaps,
      what_is_repeated_for_longer_than_ordinarily_is_measured,
      one_that_was_frozen_once_is_soon_found_the_next_time)
