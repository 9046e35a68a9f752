#include "joints/gyro_bias.h"

#include "support/suite.h"

#include <math.h>

static const double NOISE = 5e-3, DT = 1e-3; /* rad/s, s */

static vec3 reading(struct random *rng, vec3 truth) {
  return (vec3){truth.x + NOISE * random_normal(rng), truth.y + NOISE * random_normal(rng),
                truth.z + NOISE * random_normal(rng)};
}

START_TEST(rest_teaches_the_bias_and_says_how_well) {
  struct random rng = random_from(test_seed());
  const vec3 bias = {0.01, -0.03, 0.02};
  struct gyro_bias gyro;
  gyro_bias_reset(&gyro, NOISE);
  for (int step = 0; step < 3000; step++) {
    gyro_bias_step(&gyro, reading(&rng, bias), 0.0, DT);
  }
  ck_assert(gyro.known);
  ck_assert_double_le(vec3_norm(vec3_sub(gyro.bias, bias)), 5.0 * sqrt(3.0 * gyro.variance));
  ck_assert_double_le(sqrt(gyro.variance), 5e-4);
}
END_TEST

START_TEST(nothing_is_learned_while_joints_move_or_the_body_turns) {
  struct random rng = random_from(test_seed());
  struct gyro_bias gyro;
  gyro_bias_reset(&gyro, NOISE);
  for (int step = 0; step < 3000; step++) {
    gyro_bias_step(&gyro, reading(&rng, (vec3){0.0, 0.0, 0.05}), 0.5, DT);
  }
  for (int step = 0; step < 3000; step++) {
    gyro_bias_step(&gyro, reading(&rng, (vec3){0.0, 0.3 * sin(1e-3 * step), 0.0}), 0.0, DT);
  }
  ck_assert_double_le(vec3_norm(gyro.bias), 0.02);
  gyro_bias_reset(&gyro, NOISE);
  for (int step = 0; step < 3000; step++) {
    gyro_bias_step(&gyro, reading(&rng, (vec3){0.0, 0.0, 0.4}), 0.0, DT);
  }
  ck_assert(!gyro.known);
}
END_TEST

START_TEST(a_body_that_is_jolted_now_and_then_does_not_rest) {
  struct random rng = random_from(test_seed());
  struct gyro_bias gyro;
  gyro_bias_reset(&gyro, NOISE);
  for (int step = 1; step <= 3000; step++) {
    const vec3 jolt = {0.0, step % 300 == 0 ? 12.0 * NOISE : 0.0, 0.0};
    gyro_bias_step(&gyro, reading(&rng, jolt), 0.0, DT);
  }
  ck_assert(!gyro.known);
}
END_TEST

SUITE(a_body_that_is_jolted_now_and_then_does_not_rest, rest_teaches_the_bias_and_says_how_well,
      nothing_is_learned_while_joints_move_or_the_body_turns)
