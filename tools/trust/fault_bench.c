#include "fault_bench.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_MOMENT_S 4.5  /* three seconds after a walk has begun */
#define APART_S        0.37 /* between moments: no multiple of a stride */
#define LONGEST_S      0.8  /* a burst */

static const char *const motion_names[MOTIONS] = {"walk", "stand", "arm"};

const char *bench_motion_name(size_t motion) {
  return motion < MOTIONS ? motion_names[motion] : NULL;
}

/* Who has four feet walks in a trot. */
static const char *scenario_of(const struct robot *robot, enum bench_motion motion) {
  static const char *const free_base[MOTIONS] = {"walk", "stand", "arm-swing"},
                           *const held[MOTIONS] = {NULL, "rest", "medium"};
  if (robot->n_feet == 4 && motion == MOTION_WALK) {
    return "trot";
  }
  return robot->fixed_base ? held[motion] : free_base[motion];
}

double bench_moment_s(uint64_t seed) {
  return FIRST_MOMENT_S + APART_S * (double)(seed % BENCH_MOMENTS);
}

struct sim_options bench_options(const struct stock_robot *stock, enum bench_motion motion,
                                 uint64_t seed) {
  struct sim_options o = sim_defaults(stock->robot, stock->urdf, scenario_of(stock->robot, motion));
  o.seed = seed;
  o.duration_s = FIRST_MOMENT_S + BENCH_MOMENTS * APART_S + LONGEST_S + VERDICT_WATCH_S + 0.1;
  o.joints.white = 2e-4;
  o.imu = (struct sim_imu_noise){.force_white = 0.05,
                                 .rate_white = 5e-3,
                                 .force_offset = {0.05, -0.04, 0.03},
                                 .rate_offset = {4e-3, -3e-3, 2e-3}};
  o.skin.white = 0.34;
  o.skin.bias = 0.1;
  o.skin.scale = 0.02;
  o.skin.orientation = 0.035;
  return o;
}

enum status fault_bench_reach(struct fault_bench *bench, size_t last) {
  if (bench->reached > 0 && bench->reached <= last) { /* something else has been tried since */
    trust_run_restore(&bench->run, &bench->moment[bench->reached - 1]);
  }
  for (; bench->reached <= last; bench->reached++) {
    const double at_s = bench_moment_s((uint64_t)bench->reached);
    while (bench->run.next < (size_t)llround(at_s / bench->tape.period_s)) {
      if (!trust_run_step(&bench->run, NULL)) {
        return STATUS_OUT_OF_RANGE;
      }
      if (bench->run.next * bench->tape.period_s > 2.0) {
        const struct quantity_truth truth = trust_run_truth(&bench->run);
        score_add(&bench->healthy, &bench->run.out, &truth);
      }
    }
    const enum status status = trust_run_save(&bench->run, &bench->moment[bench->reached]);
    if (status != STATUS_OK) {
      return status;
    }
  }
  return STATUS_OK;
}

static enum status fill(struct fault_bench *bench, const char *robot,
                        const struct sim_options *options, uint64_t seed, struct message *error) {
  enum status status = scaled_robot_load(robot, "config/robots", &bench->stock, error);
  if (status != STATUS_OK) {
    return status;
  }
  struct sim_options o =
      options != NULL ? *options : bench_options(&bench->stock, bench->motion, seed);
  o.robot = bench->stock.robot;
  o.urdf_path = bench->stock.urdf;
  if (o.scenario == NULL) {
    message_set(error, "robot %s is bolted down and cannot %s", robot, motion_names[bench->motion]);
    return STATUS_BAD_ARGUMENT;
  }
  status = tape_record(&bench->tape, &o, error);
  if (status == STATUS_OK) {
    const struct pipeline_settings settings = trust_settings(&bench->tape);
    status = trust_run_init(&bench->run, &bench->tape, &settings);
  }
  score_reset(&bench->healthy);
  return status;
}

enum status fault_bench_init(struct fault_bench *bench, const char *robot, enum bench_motion motion,
                             const struct sim_options *options, uint64_t seed,
                             struct message *error) {
  *bench = (struct fault_bench){.motion = motion};
  message_set(error, "robot %s: the estimators refuse it", robot);
  const enum status status = fill(bench, robot, options, seed, error);
  if (status != STATUS_OK) {
    fault_bench_free(bench);
  }
  return status;
}

void fault_bench_free(struct fault_bench *bench) {
  for (int i = 0; i < BENCH_MOMENTS; i++) {
    trust_moment_free(&bench->moment[i]);
  }
  trust_run_free(&bench->run);
  tape_free(&bench->tape);
  if (bench->stock.robot != NULL) {
    scaled_robot_free(&bench->stock);
  }
  bench->stock.robot = NULL;
}

bool fault_bench_try(struct fault_bench *bench, const struct burst_fault *fault, uint64_t seed,
                     struct verdict *verdict, const char **target) {
  const struct trust_moment *moment = &bench->moment[seed % BENCH_MOMENTS];
  struct burst_fault placed = *fault;
  if (fault_bench_reach(bench, seed % BENCH_MOMENTS) != STATUS_OK) {
    return false;
  }
  struct burst burst;
  placed.start_s = bench->tape.period_s * (double)moment->next;
  placed.seed = seed;
  const bool exists = burst_init(&burst, &placed, &bench->tape);
  if (exists) {
    trust_run_restore(&bench->run, moment);
    *verdict = verdict_of_burst(&bench->run, &burst, NULL);
    if (target != NULL) {
      *target = burst_target(&burst);
    }
  }
  burst_free(&burst);
  return exists;
}
