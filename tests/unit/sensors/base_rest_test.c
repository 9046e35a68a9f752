#include "sensors/base_rest.h"

#include "support/random_model.h"
#include "support/suite.h"

#include <math.h>

/* What rests and what only turns steadily, as an IMU with ordinary noise reads it. */

static const double DT = 1e-3, RATE_SD = 0.002, FORCE_SD = 0.03, BIAS_SD = 0.03;

/* A base that turns about z and is shaken along x. */
struct motion_read {
  double rate;   /* rad/s */
  double shaken; /* m/s^2, at 3 Hz */
  double noise;  /* times what it is said to be */
  vec3 bias;     /* rad/s */
};

static void read_for(struct base_rest *rest, struct random *rng, double seconds,
                     const struct motion_read *m) {
  for (double t = 0.0; t < seconds; t += DT) {
    const double w = m->noise * RATE_SD, a = m->noise * FORCE_SD;
    const vec3 rate = vec3_add(m->bias, (vec3){w * random_normal(rng), w * random_normal(rng),
                                               m->rate + w * random_normal(rng)});
    const vec3 force = {m->shaken * sin(2.0 * M_PI * 3.0 * t) + a * random_normal(rng),
                        a * random_normal(rng), 9.81 + a * random_normal(rng)};
    base_rest_step(rest, rate, force, RATE_SD, FORCE_SD, DT);
  }
}

/* Whether it is said to rest, as fast as told, its bias known to `sd`. */
static bool is_at(struct base_rest *rest, vec3 bias, double sd, double speed) {
  const struct base_known known = {.gyro_bias = bias,
                                   .gyro_bias_sd = sd,
                                   .gyro_bias_start_sd = BIAS_SD,
                                   .speed = speed,
                                   .speed_sd = 0.01};
  return base_rest_is(rest, &known);
}

static bool is(struct base_rest *rest) {
  return is_at(rest, VEC3_ZERO, 0.001, 0.0);
}

/* The same after so long. */
static bool rests(double seconds, struct motion_read m, vec3 bias, double sd) {
  struct base_rest rest = {.begun = false};
  struct random rng = random_from(test_seed());
  read_for(&rest, &rng, seconds, &m);
  return is_at(&rest, bias, sd, 0.0);
}

START_TEST(a_base_that_lies_rests_some_time_after_it_was_struck) {
  struct base_rest rest = {.begun = false};
  struct random rng = random_from(test_seed());
  const struct motion_read blow = {.rate = 1.0, .shaken = 10.0, .noise = 1.0},
                           lies = {.noise = 1.0};
  read_for(&rest, &rng, 1.0, &blow);
  ck_assert(!is(&rest));
  read_for(&rest, &rng, 0.3, &lies);
  ck_assert(!is(&rest));
  read_for(&rest, &rng, 1.5, &lies);
  ck_assert(is(&rest));
}
END_TEST

START_TEST(what_moves_does_not_rest) {
  const struct motion_read swings = {.shaken = 0.3, .noise = 1.0}, loud = {.noise = 4.0};
  ck_assert(!rests(3.0, swings, VEC3_ZERO, BIAS_SD));
  ck_assert(!rests(3.0, loud, VEC3_ZERO, BIAS_SD)); /* a sensor worse than said: nobody knows */
}
END_TEST

START_TEST(a_steady_turn_is_no_rest_unless_a_bias_may_be_what_is_read) {
  const vec3 bias = {0.0, 0.0, 0.05};
  const struct motion_read biased = {.noise = 1.0, .bias = bias},
                           turns = {.rate = 0.4, .noise = 1.0};
  ck_assert(rests(0.8, biased, bias, 0.001));         /* it is known */
  ck_assert(!rests(0.8, biased, VEC3_ZERO, 0.001));   /* it is not, and may be a turn */
  ck_assert(!rests(0.8, biased, VEC3_ZERO, BIAS_SD)); /* nor now */
  ck_assert(rests(2.0, biased, VEC3_ZERO, BIAS_SD));
  ck_assert(rests(2.0, biased, VEC3_ZERO, 0.001)); /* what was known was wrong */
  ck_assert(!rests(4.0, turns, VEC3_ZERO, BIAS_SD));
}
END_TEST

/* What hangs on a rope feels its weight along itself: its gyro alone tells that it sways. */
START_TEST(what_sways_on_a_rope_does_not_rest_where_its_sway_turns) {
  const double amplitude = 0.02, turns = 1.8; /* rad/s, rad/s */
  struct base_rest rest = {.begun = false};
  struct random rng = random_from(test_seed());
  for (double t = 0.0; t < 20.0; t += DT) {
    const vec3 rate = {amplitude * sin(turns * t) + RATE_SD * random_normal(&rng),
                       RATE_SD * random_normal(&rng), RATE_SD * random_normal(&rng)};
    const vec3 force = {FORCE_SD * random_normal(&rng), FORCE_SD * random_normal(&rng),
                        9.81 + FORCE_SD * random_normal(&rng)};
    base_rest_step(&rest, rate, force, RATE_SD, FORCE_SD, DT);
    ck_assert(!is_at(&rest, VEC3_ZERO, BIAS_SD, 0.0));
  }
}
END_TEST

START_TEST(a_steady_carry_is_no_rest_unless_a_blow_has_made_its_speed_unknown) {
  struct base_rest rest = {.begun = false};
  struct random rng = random_from(test_seed());
  const struct motion_read quiet = {.noise = 1.0}, blow = {.shaken = 20.0, .noise = 1.0};
  read_for(&rest, &rng, 2.0, &quiet);
  ck_assert(!is_at(&rest, VEC3_ZERO, 0.001, 0.1));
  ck_assert(is_at(&rest, VEC3_ZERO, 0.001, 0.04)); /* that may be none */
  read_for(&rest, &rng, 0.5, &blow);
  read_for(&rest, &rng, 2.0, &quiet);
  ck_assert(is_at(&rest, VEC3_ZERO, 0.001, 0.1));
  ck_assert(is_at(&rest, VEC3_ZERO, 0.001, 0.0)); /* and now it is known again */
  base_rest_step(&rest, (vec3){(double)NAN, 0.0, 0.0}, VEC3_ZERO, RATE_SD, FORCE_SD, DT);
  ck_assert(!is_at(&rest, VEC3_ZERO, 0.001, 0.0));
  read_for(&rest, &rng, 2.0, &quiet);
  ck_assert(!is_at(&rest, VEC3_ZERO, 0.001, 0.1));
}
END_TEST

/* A robot that had fallen with a wrong tilt had rested for a moment, run off by it, and so been
 * carried, again and again: 3 degrees and .3 m/s for good. */
START_TEST(what_rests_does_so_until_it_stirs_whatever_is_said_of_its_speed) {
  struct base_rest rest = {.begun = false};
  struct random rng = random_from(test_seed());
  const struct motion_read quiet = {.noise = 1.0}, stirs = {.shaken = 0.5, .noise = 1.0};
  read_for(&rest, &rng, 2.0, &quiet);
  ck_assert(is_at(&rest, VEC3_ZERO, 0.001, 0.0));
  ck_assert(is_at(&rest, VEC3_ZERO, 0.001, 1.0));
  read_for(&rest, &rng, 0.3, &stirs);
  ck_assert(!is_at(&rest, VEC3_ZERO, 0.001, 1.0));
  read_for(&rest, &rng, 2.0, &quiet);
  ck_assert(!is_at(&rest, VEC3_ZERO, 0.001, 1.0));
}
END_TEST

START_TEST(a_reading_that_is_missing_or_comes_after_a_gap_begins_anew) {
  struct base_rest rest = {.begun = false};
  struct random rng = random_from(test_seed());
  const struct motion_read lies = {.noise = 1.0};
  read_for(&rest, &rng, 2.0, &lies);
  ck_assert(is(&rest));
  base_rest_step(&rest, (vec3){(double)NAN, 0.0, 0.0}, VEC3_ZERO, RATE_SD, FORCE_SD, DT);
  ck_assert(!is(&rest));
  read_for(&rest, &rng, 0.5, &lies);
  ck_assert(is(&rest));
  base_rest_step(&rest, VEC3_ZERO, (vec3){0.0, 0.0, 9.81}, RATE_SD, FORCE_SD, 2.0);
  ck_assert(!is(&rest));
}
END_TEST

SUITE(a_base_that_lies_rests_some_time_after_it_was_struck, what_moves_does_not_rest,
      a_steady_turn_is_no_rest_unless_a_bias_may_be_what_is_read,
      what_sways_on_a_rope_does_not_rest_where_its_sway_turns,
      a_steady_carry_is_no_rest_unless_a_blow_has_made_its_speed_unknown,
      what_rests_does_so_until_it_stirs_whatever_is_said_of_its_speed,
      a_reading_that_is_missing_or_comes_after_a_gap_begins_anew)
