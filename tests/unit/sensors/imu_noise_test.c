/* How noisy an IMU is, by its readings (sensors/imu_noise.h). */
#include "sensors/imu_noise.h"
#include "support/random_model.h"
#include "support/suite.h"

#include <math.h>
#include <string.h>

static const double TOLD[IMU_TRIADS] = {0.002, 0.03}; /* rad/s, m/s^2 */

static struct imu_noise as_told(void) {
  struct imu_noise noise;
  memset(&noise, 0, sizeof(noise));
  imu_noise_reset(&noise, TOLD);
  return noise;
}

/* Reads for `n` readings so far apart, the gyro's y axis so many times as noisy as told. Returns
 * the product of all that it was told to be louder. */
static double read_for(struct imu_noise *noise, struct random *rng, int n, int64_t apart_ns,
                       double times) {
  double all = 1.0, louder[IMU_TRIADS];
  for (int k = 0; k < n; k++) {
    vec3 reading[IMU_TRIADS];
    for (int t = 0; t < IMU_TRIADS; t++) {
      const double x = TOLD[t] * random_normal(rng), y = TOLD[t] * random_normal(rng),
                   z = TOLD[t] * random_normal(rng);
      reading[t] = (vec3){x, (t == IMU_GYRO ? times : 1.0) * y, z};
    }
    imu_noise_read(noise, reading, TOLD, noise->read_ns + apart_ns, louder);
    ck_assert_double_eq(louder[IMU_ACCELEROMETER], 1.0);
    all *= louder[IMU_GYRO];
  }
  return all;
}

START_TEST(a_triad_is_as_noisy_as_its_noisiest_axis_and_says_once_how_much_louder_it_is) {
  struct random rng = random_from(test_seed());
  struct imu_noise noise = as_told();
  ck_assert_double_eq(read_for(&noise, &rng, 500, 1000000, 1.0), 1.0);
  ck_assert_double_gt(read_for(&noise, &rng, 100, 1000000, 30.0), 15.0);
  const double before = noise.most[IMU_GYRO];
  const double louder = read_for(&noise, &rng, 900, 1000000, 30.0);
  ck_assert(noise.follows);
  ck_assert_double_gt(noise.sd[IMU_GYRO], 15.0 * TOLD[IMU_GYRO]);
  ck_assert_double_lt(noise.sd[IMU_GYRO], 60.0 * TOLD[IMU_GYRO]);
  ck_assert_double_eq_tol(louder, noise.most[IMU_GYRO] / before, 1e-9);
  ck_assert_double_eq(noise.sd[IMU_ACCELEROMETER], TOLD[IMU_ACCELEROMETER]);
  read_for(&noise, &rng, 3000, 1000000, 1.0);
  ck_assert_double_eq(noise.sd[IMU_GYRO], TOLD[IMU_GYRO]);
  ck_assert_double_eq(noise.most[IMU_GYRO], TOLD[IMU_GYRO]);
}
END_TEST

/* A gyro four times as noisy as it was said to be jumped again and again, and was refused for most
 * of a walk: some readings alone do not tell as much from motion. */
START_TEST(a_little_more_noise_is_noticed_in_a_tenth_of_a_second) {
  static const double times[] = {3.0, 4.0, 5.0};
  for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
    struct random rng = random_from(test_seed() + i);
    struct imu_noise noise = as_told();
    ck_assert_double_eq(read_for(&noise, &rng, 20000, 1000000, 1.0), 1.0); /* and no less */
    read_for(&noise, &rng, 150, 1000000, times[i]);
    for (int k = 0; k < 2000; k++) {
      read_for(&noise, &rng, 1, 1000000, times[i]);
      ck_assert_double_gt(noise.sd[IMU_GYRO], 2.0 * TOLD[IMU_GYRO]);
      ck_assert_double_lt(noise.sd[IMU_GYRO], 3.0 * times[i] * TOLD[IMU_GYRO]);
    }
  }
}
END_TEST

START_TEST(whether_readings_tell_of_noise_is_asked_of_their_mean_distance) {
  struct random rng = random_from(test_seed());
  struct imu_noise noise = as_told();
  for (int k = 0; k < 200; k++) { /* 400 Hz, put at whole milliseconds */
    read_for(&noise, &rng, 1, k % 2 == 0 ? 2000000 : 3000000, 30.0);
    ck_assert(k < 2 || noise.follows);
  }
  ck_assert_double_gt(noise.sd[IMU_GYRO], 15.0 * TOLD[IMU_GYRO]);
  imu_noise_reset(&noise, TOLD);
  read_for(&noise, &rng, 1, 1000000, 1.0);
  ck_assert_double_eq(noise.sd[IMU_GYRO], TOLD[IMU_GYRO]);
  read_for(&noise, &rng, 1, 5000000000, 1.0); /* a silence */
  for (int k = 0; k < 40; k++) {
    read_for(&noise, &rng, 1, k % 2 == 0 ? 2000000 : 3000000, 1.0);
  }
  ck_assert(noise.follows);
}
END_TEST

/* Soles were believed to see a blow that an IMU of 100 Hz had seen one reading of. */
START_TEST(readings_that_were_held_up_and_come_at_once_are_still_far_apart) {
  struct random rng = random_from(test_seed());
  struct imu_noise noise = as_told();
  for (int k = 0; k < 100; k++) {
    read_for(&noise, &rng, 20, 10000000, 1.0);
    ck_assert(!noise.follows);
    read_for(&noise, &rng, 1, 24000000, 1.0);
    read_for(&noise, &rng, 1, 300000, 1.0);
    ck_assert(!noise.follows);
  }
}
END_TEST

START_TEST(readings_far_apart_tell_nothing_of_noise) {
  struct random rng = random_from(test_seed());
  struct imu_noise noise = as_told();
  ck_assert_double_eq(read_for(&noise, &rng, 500, 4000000, 30.0), 1.0);
  ck_assert(!noise.follows);
  ck_assert_double_eq(noise.sd[IMU_GYRO], TOLD[IMU_GYRO]);
}
END_TEST

SUITE(readings_that_were_held_up_and_come_at_once_are_still_far_apart,
      a_little_more_noise_is_noticed_in_a_tenth_of_a_second,
      whether_readings_tell_of_noise_is_asked_of_their_mean_distance,
      a_triad_is_as_noisy_as_its_noisiest_axis_and_says_once_how_much_louder_it_is,
      readings_far_apart_tell_nothing_of_noise)
