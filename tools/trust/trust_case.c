#include "trust_case.h"

#include "sim_arguments.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double degree = M_PI / 180.0;

/* Link lengths, masses and centres as wrong as those of an ordinary description. */
#define WRONG_BODY "body-length=0.001", "body-mass=0.03", "body-com=0.005"

/* Biases of an ordinary MEMS: 0.5 m/s^2 and 0.03 rad/s in all. */
#define MEMS_BIAS                                                                                  \
  "imu-bias-x=0.3", "imu-bias-y=-0.3", "imu-bias-z=0.26", "gyro-bias-x=0.02",                      \
      "gyro-bias-y=-0.015", "gyro-bias-z=0.016"

static const struct case_run without_skin = {.no_skin = true};
static const struct case_run in_time = {.with = {NULL}};

/* With skin no worse than with encoders alone. */
#define NEVER_WORSE                                                                                \
  .against = &without_skin, .limit = {{MEASURE_RMS, QUANTITY_DQ, 1.05, true},                      \
                                      {MEASURE_RMS, QUANTITY_DDQ, 1.05, true},                     \
                                      {MEASURE_WORST, QUANTITY_Q, 6e-3, false}}

static const struct trust_case cases[] = {
    {.name = "healthy",
     .seconds = 32.0,
     .limit = {{MEASURE_OK, QUANTITY_Q, 0.02, false},
               {MEASURE_PUSHES, QUANTITY_Q, 0.01, false},
               {MEASURE_RESETS, QUANTITY_Q, 0.5, false},
               {MEASURE_LIE, QUANTITY_Q, 0.02, false}}},
    {.name = "healthy-hard-ground",
     .seconds = 32.0,
     .run = {.with = {"strike-speed=0.1"}},
     .limit = {{MEASURE_OK, QUANTITY_Q, 0.02, false},
               {MEASURE_PUSHES, QUANTITY_Q, 0.01, false},
               {MEASURE_RESETS, QUANTITY_Q, 0.5, false},
               {MEASURE_LIE, QUANTITY_Q, 0.02, false}}},
    {.name = "chattering-ground",
     .run = {.with = {"ground-time=0.02", "ground-damping=0.1"}},
     .limit = {{MEASURE_OK, QUANTITY_Q, 0.02, false},
               {MEASURE_PUSHES, QUANTITY_Q, 0.01, false},
               {MEASURE_LIE, QUANTITY_Q, 0.02, false}}},
    {.name = "imu-bias",
     .run = {.with = {MEMS_BIAS}},
     .limit = {{MEASURE_MEAN, QUANTITY_COM_VELOCITY, 5e-3, false},
               {MEASURE_NORM, QUANTITY_COP, 8e-3, false},
               {MEASURE_NORM, QUANTITY_TILT, 0.1 * degree, false},
               {MEASURE_NORM, QUANTITY_FORCE, 0.1, false},
               {MEASURE_LIE, QUANTITY_Q, 0.02, false}}},
    {.name = "imu-bias-no-forces",
     .run = {.with = {MEMS_BIAS}, .no_forces = true, .no_torques = true},
     .limit = {{MEASURE_MEAN, QUANTITY_COM_VELOCITY, 5e-3, false},
               {MEASURE_NORM, QUANTITY_COP, 8e-3, false},
               {MEASURE_NORM, QUANTITY_TILT, 0.1 * degree, false},
               {MEASURE_LIE, QUANTITY_Q, 0.02, false}}},
    {.name = "imu-bias-standing",
     .motion = MOTION_STAND,
     .run = {.with = {MEMS_BIAS}},
     .limit = {{MEASURE_BEYOND, QUANTITY_TILT, 1e-4, false},
               {MEASURE_BEYOND, QUANTITY_COM_VELOCITY, 1e-4, false},
               {MEASURE_BEYOND, QUANTITY_COP, 1e-4, false},
               {MEASURE_LIE, QUANTITY_Q, 0.02, false}}},
    {.name = "gyro-bias-without-rest",
     .run = {.with = {"gyro-bias-x=0.015", "gyro-bias-y=0.015", "gyro-bias-z=0.01", "rest=0"}},
     .limit = {{MEASURE_MEAN, QUANTITY_RATE, 5e-3, false}}},
    {.name = "wrong-model",
     .run = {.with = {WRONG_BODY}},
     .limit = {{MEASURE_NORM, QUANTITY_TILT, 0.15 * degree, false},
               {MEASURE_NORM, QUANTITY_COP, 10e-3, false},
               {MEASURE_LIE, QUANTITY_Q, 0.02, false}}},
    {.name = "wrong-model-no-forces",
     .run = {.with = {WRONG_BODY}, .no_forces = true, .no_torques = true},
     .limit = {{MEASURE_NORM, QUANTITY_TILT, 0.15 * degree, false},
               {MEASURE_NORM, QUANTITY_COP, 10e-3, false},
               {MEASURE_OK, QUANTITY_Q, 0.02, false},
               {MEASURE_LIE, QUANTITY_Q, 0.02, false}}},
    {.name = "wrong-model-blows",
     .run = {.with = {WRONG_BODY, "strike-speed=0.2"}, .no_forces = true, .no_torques = true},
     .limit = {{MEASURE_NORM, QUANTITY_VELOCITY, 15e-3, false},
               {MEASURE_OK, QUANTITY_Q, 0.1, false},
               {MEASURE_RESETS, QUANTITY_Q, 0.5, false}}},
    {.name = "wrong-model-bend",
     .run = {.with = {WRONG_BODY, "imu-bias=0.3", "gyro-bias=0.02", "step-turn=0.1"}},
     .limit = {{MEASURE_LIE, QUANTITY_Q, 0.02, false}}},
    {.name = "wrong-model-begins",
     .from_s = 0.3,
     .seconds = 5.0,
     .run = {.with = {WRONG_BODY, "imu-bias=0.3", "gyro-bias=0.02"}},
     .limit = {{MEASURE_LIE, QUANTITY_Q, 0.02, false}}},
    {.name = "wrong-model-begins-midway", /* the daemon, with feet in any phase of a walk */
     .from_s = 2.53,
     .seconds = 7.0,
     .run = {.with = {WRONG_BODY, "imu-bias=0.3", "gyro-bias=0.02"}, .begin_s = 2.23},
     .limit = {{MEASURE_LIE, QUANTITY_Q, 0.02, false}}},
    {.name = "uneven-ground",
     .run = {.with = {"ground-uneven=0.004"}},
     .limit = {{MEASURE_NORM, QUANTITY_TILT, 0.15 * degree, false},
               {MEASURE_NORM, QUANTITY_COP, 10e-3, false}}},
    {.name = "soft-ground",
     .run = {.with = {"ground-time=0.04"}},
     .limit = {{MEASURE_NORM, QUANTITY_TILT, 0.15 * degree, false},
               {MEASURE_NORM, QUANTITY_COP, 10e-3, false}}},
    {.name = "imu-late",
     .run = {.with = {"imu-latency=0.005"}},
     .against = &in_time,
     .limit = {{MEASURE_NORM, QUANTITY_TILT, 1.2, true},
               {MEASURE_RMS, QUANTITY_VELOCITY, 1.2, true}}},
    {.name = "imu-elsewhere", /* and the description does not say so: 2 cm, 1 degree */
     .run = {.with = {"imu-x=0.02", "imu-turn-z=0.017"}},
     .limit = {{MEASURE_NORM, QUANTITY_TILT, 0.15 * degree, false}}},
    {.name = "skin-gain", .run = {.with = {"skin-gain=0.15"}}, NEVER_WORSE},
    {.name = "skin-stamps-early", .run = {.with = {"skin-stamp=-0.004"}}, NEVER_WORSE},
    {.name = "skin-stamps-late",
     .run = {.with = {"skin-latency=0.006", "skin-stamp=0.004"}},
     NEVER_WORSE},
    {.name = "skin-links-late", .run = {.with = {"skin-link-delay=0.004"}}, NEVER_WORSE},
    {.name = "skin-mounting", .run = {.with = {"skin-link-tilt=0.052"}}, NEVER_WORSE},
    {.name = "skin-bias", .run = {.with = {"skin-bias=0.5"}}, NEVER_WORSE},
    {.name = "skin-stamps-coarse-encoders",
     .run = {.with = {"skin-stamp=-0.002", "encoder-noise=0.0175"}},
     .limit = {{MEASURE_WORST, QUANTITY_Q, 92.5e-3, false},
               {MEASURE_LIE, QUANTITY_Q, 0.02, false}}},
    {.name = "skin-gain-encoders",
     .run = {.with = {"skin-gain=0.15", "encoder-noise=0.005"}},
     .limit = {{MEASURE_WORST, QUANTITY_Q, 30e-3, false}, {MEASURE_LIE, QUANTITY_Q, 0.02, false}}},
    {.name = "cell-noise-told-truly",
     .run = {.with = {"skin-noise=0.05", "skin-rate=1000"}, .cell_noise = 0.05},
     .limit = {{MEASURE_RESETS, QUANTITY_Q, 0.5, false},
               {MEASURE_WORST, QUANTITY_Q, 6e-3, false},
               {MEASURE_RMS, QUANTITY_DDQ, 10.0, false}}},
    {.name = "no-skin-servos", /* 100 Hz, encoders of 12 bits, blows */
     .run = {.with = {"rate=100", "encoder-noise=0", "encoder-quantum=0.00153", "strike-speed=0.3"},
             .no_skin = true},
     .limit = {{MEASURE_WORST, QUANTITY_Q, 10e-3, false},
               {MEASURE_RESETS, QUANTITY_Q, 0.5, false},
               {MEASURE_NORM, QUANTITY_TILT, 0.3 * degree, false}}},
    {.name = "imu-silent",
     .from_s = 5.0,
     .seconds = 5.8,
     .run = {.burst = {BURST_IMU, BURST_SILENT, 5.0, 0.3, 1}},
     .limit = {{MEASURE_WORST, QUANTITY_TILT, 0.7 * degree, false},
               {MEASURE_NORM, QUANTITY_TILT, 0.2 * degree, false},
               {MEASURE_LIE, QUANTITY_Q, 0.02, false}}},
    {.name = "imu-silent-no-skin",
     .from_s = 5.0,
     .seconds = 5.8,
     .run = {.no_skin = true, .burst = {BURST_IMU, BURST_SILENT, 5.0, 0.3, 1}},
     .limit = {{MEASURE_WORST, QUANTITY_TILT, 1.0 * degree, false},
               {MEASURE_LIE, QUANTITY_Q, 0.02, false}}},
    {.name = "imu-silent-afterwards",
     .from_s = 5.8,
     .seconds = 8.0,
     .run = {.burst = {BURST_IMU, BURST_SILENT, 5.0, 0.3, 1}},
     .limit = {{MEASURE_WORST, QUANTITY_TILT, 0.3 * degree, false},
               {MEASURE_NORM, QUANTITY_TILT, 0.15 * degree, false}}},
};

static const char *const robots[] = {"humanoid30", "humanoid18", "humanoid30@0.6"};

const struct trust_case *trust_case(size_t i) {
  return i < sizeof(cases) / sizeof(cases[0]) ? &cases[i] : NULL;
}

const struct trust_case *trust_case_find(const char *name) {
  size_t i = 0;
  while (trust_case(i) != NULL && strcmp(trust_case(i)->name, name) != 0) {
    i++;
  }
  return trust_case(i);
}

const char *trust_case_robot(size_t i) {
  return i < sizeof(robots) / sizeof(robots[0]) ? robots[i] : NULL;
}

static enum status apply(const struct case_run *run, struct sim_options *options) {
  for (size_t i = 0; i < CASE_SPOILS && run->with[i] != NULL; i++) {
    char name[64];
    const char *equals = strchr(run->with[i], '=');
    snprintf(name, sizeof(name), "%.*s", (int)(equals - run->with[i]), run->with[i]);
    if (!sim_arguments_set(name, equals + 1, options)) {
      return STATUS_BAD_ARGUMENT;
    }
  }
  options->stream[PROPRIOD_SHM_SKIN].rate_hz *= !run->no_skin;
  options->stream[PROPRIOD_SHM_IMU].rate_hz *= !run->no_imu;
  options->stream[PROPRIOD_SHM_WRENCH].rate_hz *= !run->no_forces;
  options->joints.has_effort = options->joints.has_effort && !run->no_torques;
  return STATUS_OK;
}

static enum status run_tape(const struct tape *tape, const struct case_run *c, double from_s,
                            struct score *score) {
  struct pipeline_settings settings = trust_settings(tape);
  struct trust_run run;
  struct burst burst;
  const bool bursts = c->burst.length_s > 0.0;
  settings.joints.cell_noise = c->cell_noise > 0.0 ? c->cell_noise : settings.joints.cell_noise;
  enum status status = trust_run_init(&run, tape, &settings);
  if (status != STATUS_OK) {
    return status;
  }
  if (bursts && !burst_init(&burst, &c->burst, tape)) {
    trust_run_free(&run);
    return STATUS_OUT_OF_RANGE;
  }
  score_reset(score);
  run.next = (size_t)lround(c->begin_s / tape->period_s);
  while (trust_run_step(&run, bursts ? &burst : NULL)) {
    if (tape->period_s * (double)run.next > from_s) {
      const struct quantity_truth truth = trust_run_truth(&run);
      score_add(score, &run.out, &truth);
    }
  }
  if (bursts) {
    burst_free(&burst);
  }
  trust_run_free(&run);
  return STATUS_OK;
}

static enum status run_once(const struct trust_case *c, const struct case_run *run,
                            const struct stock_robot *stock, uint64_t seed, struct score *score,
                            struct message *error) {
  struct sim_options options = bench_options(stock, c->motion, seed);
  struct tape tape;
  options.duration_s = c->seconds > 0.0 ? c->seconds : 12.0;
  message_set(error, "case %s", c->name);
  enum status status = apply(run, &options);
  if (status == STATUS_OK) {
    status = tape_record(&tape, &options, error);
  }
  if (status == STATUS_OK) {
    status = run_tape(&tape, run, c->from_s > 0.0 ? c->from_s : 5.0, score);
    tape_free(&tape);
  }
  return status;
}

enum status trust_case_run(const struct trust_case *c, const char *robot, uint64_t seed,
                           struct score *score, struct score *reference, struct message *error) {
  struct stock_robot stock;
  enum status status = scaled_robot_load(robot, "config/robots", &stock, error);
  if (status != STATUS_OK) {
    return status;
  }
  status = run_once(c, &c->run, &stock, seed, score, error);
  if (status == STATUS_OK && c->against != NULL) {
    status = run_once(c, c->against, &stock, seed, reference, error);
  }
  scaled_robot_free(&stock);
  return status;
}

static double measure(const struct case_limit *limit, const struct score *score, double period_s) {
  const struct quantity_score *s = &score->of[limit->quantity];
  switch (limit->measure) {
  case MEASURE_MEAN:
    return score_mean(score, limit->quantity);
  case MEASURE_NORM:
    return score_norm(score, limit->quantity);
  case MEASURE_RMS:
    return score_rms(score, limit->quantity);
  case MEASURE_WORST:
    return s->worst;
  case MEASURE_NEES:
    return score_nees(score, limit->quantity);
  case MEASURE_BEYOND:
    return (double)s->beyond / (double)s->with_sd;
  case MEASURE_OK:
    return 1.0 - score_ok(score);
  case MEASURE_PUSHES:
    return (double)score->pushes / (period_s * (double)score->samples / 60.0);
  case MEASURE_RESETS:
    return (double)score->resets;
  default:
    return score_longest_lie(score, period_s, NULL);
  }
}

double trust_case_figure(const struct trust_case *c, const struct case_limit *limit,
                         const struct score *score, const struct score *reference) {
  const double period_s = 1e-3; /* of every case */
  const double figure = measure(limit, score, period_s);
  return limit->ratio && c->against != NULL ? figure / measure(limit, reference, period_s) : figure;
}

void trust_case_title(const struct case_limit *limit, char *text, size_t size, double *scale,
                      const char **unit) {
  static const char *const of_quantity[] = {"mean error of", "mean norm of the error of",
                                            "rms error of",  "worst error of",
                                            "NEES of",       "share beyond five deviations of"};
  const struct quantity_row *row = quantity_row(limit->quantity);
  *scale = 1.0;
  *unit = "";
  if (limit->measure <= MEASURE_BEYOND) {
    snprintf(text, size, "%s %s%s", of_quantity[limit->measure], row->name,
             limit->ratio ? ", times the reference" : "");
    if (limit->measure <= MEASURE_WORST && !limit->ratio) {
      *scale = row->scale;
      *unit = row->unit;
    }
    return;
  }
  snprintf(text, size, "%s",
           limit->measure == MEASURE_OK       ? "share that is not ok"
           : limit->measure == MEASURE_PUSHES ? "false pushes a minute"
           : limit->measure == MEASURE_RESETS ? "resets"
                                              : "longest stretch of ok and wrong, s");
}
