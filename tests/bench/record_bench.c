/* What the recorder costs the cycle: one humanoid's walk (30 joints, 1260 cells) stepped with and
 * without it by turns, a hundred cycles each, so that other work on the machine is in both; and
 * what a second of it costs the recorder's thread. */
#include "cycle/realtime.h"
#include "recording/recorder.h"

#include "stock_robot.h"
#include "support/bench_clock.h"
#include "support/suite.h"
#include "trust/tape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TURN = 100, ROUNDS = 40, RUNS = TURN * ROUNDS };

static struct tape tape;
static double without_us[RUNS], with_us[RUNS], taking_us[RUNS];

static struct recorder *make_recorder(const struct robot *robot, const char *folder) {
  static const struct record_settings settings = {
      .flight_s = 60.0, .flight_mib = 256, .buffer_mib = 8, .level = 1};
  struct recorder_plan plan = {.settings = &settings,
                               .folder = folder,
                               .flight_folder = folder,
                               .count = {(uint32_t)robot->model.n_joints, 1,
                                         (uint32_t)robot->n_cells, (uint32_t)robot->n_wrench},
                               .log = log_open(stderr, false)};
  struct recorder *recorder = NULL;
  struct message error;
  struct arena arena = {0};
  require(recorder_init(&recorder, &plan, &arena) == STATUS_OK);
  arena = arena_over(aligned_alloc(ARENA_ALIGN, arena.used), arena.used);
  require(recorder_init(&recorder, &plan, &arena) == STATUS_OK);
  require(recorder_start(recorder, &error) == STATUS_OK);
  return recorder;
}

static struct pipeline *make_pipeline(const struct robot *robot) {
  const struct pipeline_settings settings = pipeline_defaults();
  struct pipeline *pipeline = NULL;
  struct arena arena = {0};
  require(pipeline_init(&pipeline, robot, &settings, &arena) == STATUS_OK);
  arena = arena_over(aligned_alloc(ARENA_ALIGN, arena.used), arena.used);
  require(pipeline_init(&pipeline, robot, &settings, &arena) == STATUS_OK);
  return pipeline;
}

static void print(const char *name, double *us) {
  qsort(us, RUNS, sizeof(double), by_value);
  printf("{\"name\": \"%s\", \"value\": %.2f, \"unit\": \"us\", \"p99\": %.2f, \"runs\": %d}\n",
         name, us[RUNS / 2], us[RUNS * 99 / 100], RUNS);
}

/* One cycle, recorded or not; what it took, and the recorder's part of it. */
static double cycle(struct pipeline *pipeline, struct recorder *recorder,
                    const struct sensor_frame *frame, struct estimates *estimates,
                    double *recorder_us) {
  static struct sensor_input input;
  static struct cell_chooser chooser;
  const struct recorder_beside beside = {&input, &chooser, false};
  const struct cycle_latest latest = {frame, frame->t_ns, false, false};
  const double begin_us = now_us();
  pipeline_step(pipeline, frame, estimates);
  const double stepped_us = now_us();
  if (recorder != NULL) {
    recorder_take(recorder, &latest, &beside, estimates);
  }
  const double end_us = now_us();
  *recorder_us = end_us - stepped_us;
  return end_us - begin_us;
}

/* Processor time, s, of all threads but this one: of the recorder's. */
static double beside_s(void) {
  struct timespec all, own;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &all);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own);
  return (double)(all.tv_sec - own.tv_sec) + 1e-9 * (double)(all.tv_nsec - own.tv_nsec);
}

int main(void) {
  static struct estimates estimates;
  struct stock_robot stock;
  struct message error;
  char folder[] = "/tmp/record-bench-XXXXXX";
  require(mkdtemp(folder) != NULL);
  require(stock_robot_load("humanoid30", "config/robots", &stock, &error) == STATUS_OK);
  struct sim_options options = sim_defaults(stock.robot, stock.urdf, "walk");
  options.duration_s = 1e-3 * (2 * RUNS);
  require(tape_record(&tape, &options, &error) == STATUS_OK);
  struct recorder *recorder = make_recorder(stock.robot, folder);
  struct pipeline *pipeline = make_pipeline(stock.robot);
  size_t n[2] = {0, 0};
  denormals_become_zero(); /* as in the daemon's cycle */
  struct frame_copy copy;
  require(frame_copy_init(&copy, stock.robot) == STATUS_OK);
  const double begin_s = beside_s();
  for (size_t k = 0; k < 2 * RUNS && k < tape.count; k++) {
    const bool records = k / TURN % 2 == 1;
    double part_us;
    tape_take(&tape, k, &copy);
    const double us = cycle(pipeline, records ? recorder : NULL, &copy.frame, &estimates, &part_us);
    if (records) {
      with_us[n[1]] = us;
      taking_us[n[1]++] = part_us;
    } else {
      without_us[n[0]++] = us;
    }
  }
  require(n[0] >= RUNS - TURN && n[1] >= RUNS - TURN);
  printf("{\"name\": \"record_thread\", \"value\": %.2f, \"unit\": \"us a cycle\", \"runs\": %d}\n",
         1e6 * (beside_s() - begin_s) / RUNS, RUNS);
  qsort(with_us, RUNS, sizeof(double), by_value);
  qsort(without_us, RUNS, sizeof(double), by_value);
  printf("{\"name\": \"record_cycle_ratio\", \"value\": %.4f, \"unit\": \"\", \"p99\": %.4f, "
         "\"runs\": %d}\n",
         with_us[RUNS / 2] / without_us[RUNS / 2],
         with_us[RUNS * 99 / 100] / without_us[RUNS * 99 / 100], RUNS);
  print("record_take", taking_us);
  print("cycle_recorded", with_us);
  print("cycle_not_recorded", without_us);
  const struct recorder_counters counters = recorder_counters(recorder);
  printf("{\"name\": \"record_left_out\", \"value\": %llu, \"unit\": \"cycles\"}\n",
         (unsigned long long)counters.left_out);
  recorder_stop(recorder);
  rmdir(folder);
  return 0;
}
