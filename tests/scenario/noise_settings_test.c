/* Noise that is told ten times too large or too small costs accuracy, never stability. */
#include "support/sim_fixture.h"
#include "support/suite.h"
#include "trust/fault_bench.h"

#include <stdio.h>

enum told { ENCODER, GYRO, ACCELEROMETER, CELL, GYRO_BIAS, FORCE_BIAS, FOOT, SOLE, TOLD };
static const char *const name_of[TOLD] = {"encoders", "gyroscope", "accelerometer",
                                          "cells",    "gyro bias", "accelerometer bias",
                                          "feet",     "soles"};

static double *noise_of(struct joint_filter_settings *s, enum told told) {
  double *const noise[TOLD] = {&s->encoder_noise,   &s->gyro_noise,     &s->accelerometer_noise,
                               &s->cell_noise,      &s->base.gyro_bias, &s->base.accelerometer_bias,
                               &s->base.foot_noise, &s->base.sole_noise};
  return noise[told];
}

/* True noise, but for the one told wrong by `factor`. */
static struct pipeline_settings settings_of(const struct tape *tape,
                                            const struct sim_options *options, enum told told,
                                            double factor) {
  struct pipeline_settings settings = trust_settings(tape);
  settings.joints.gyro_noise = options->imu.rate_white;
  settings.joints.accelerometer_noise = options->imu.force_white;
  settings.joints.cell_noise = options->skin.white;
  *noise_of(&settings.joints, told) *= factor;
  return settings;
}

struct fate {
  double q, tilt, velocity; /* rad, rad, m/s: root mean squares */
  uint32_t resets;
};

static struct fate walk(const struct tape *tape, const struct pipeline_settings *settings) {
  static struct score score;
  struct trust_run run;
  ck_assert_int_eq(trust_run_init(&run, tape, settings), STATUS_OK);
  score_reset(&score);
  while (trust_run_step(&run, NULL)) {
    if (tape->period_s * (double)run.next > 1.5) {
      const struct quantity_truth with = trust_run_truth(&run);
      score_add(&score, &run.out, &with);
    }
  }
  const struct fate fate = {score_rms(&score, QUANTITY_Q), score_rms(&score, QUANTITY_TILT),
                            score_rms(&score, QUANTITY_VELOCITY), score.resets};
  trust_run_free(&run);
  return fate;
}

/* Walks with this noise told `factor` times as large. */
static void walk_told(const struct tape *tape, const struct sim_options *options, enum told told,
                      double factor) {
  const struct pipeline_settings settings = settings_of(tape, options, told, factor);
  const struct fate fate = walk(tape, &settings);
  printf("noise of %s told %.1f times as large: q %.2f mrad, tilt %.2f degrees, velocity %.0f "
         "mm/s, %u resets\n",
         name_of[told], factor, 1e3 * fate.q, fate.tilt * 180.0 / M_PI, 1e3 * fate.velocity,
         fate.resets);
  ck_assert_uint_eq(fate.resets, 0);
  ck_assert_double_lt(fate.q, 1e-3);
  ck_assert_double_lt(fate.tilt, 1.0 * M_PI / 180.0);
  ck_assert_double_lt(fate.velocity, 0.05);
}

START_TEST(any_noise_told_ten_times_too_large_or_too_small_keeps_the_filter_stable) {
  struct message error;
  struct tape tape;
  const struct stock_robot stock = test_robot("humanoid18");
  struct sim_options options = bench_options(&stock, MOTION_WALK, 5);
  options.duration_s = 4.0;
  ck_assert_msg(tape_record(&tape, &options, &error) == STATUS_OK, "%s", error.text);
  walk_told(&tape, &options, ENCODER, 1.0); /* all of them as they are */
  for (int told = 0; told < TOLD; told++) {
    walk_told(&tape, &options, (enum told)told, 0.1);
    walk_told(&tape, &options, (enum told)told, 10.0);
  }
  tape_free(&tape);
}
END_TEST

SUITE(any_noise_told_ten_times_too_large_or_too_small_keeps_the_filter_stable)
