/* Many walks with biases and models as wrong as those of ordinary robots, drawn anew for each seed:
 * whether the published deviations are right, how often it is ok, pushes that nobody gave. */
#include "report.h"
#include "support/give_up.h"
#include "trust/fault_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DRAW_ERRORS = 950, SEEDS = 20, BATCH = 3 };

static const double from_s = 5.0, seconds = 15.0;

/* What a robot of the shop has, one standard deviation per axis: together about 0.5 m/s^2 and 0.03
 * rad/s; lengths of 1 mm, masses of 3 %, centres of 5 mm. */
#define FORCE_BIAS  0.29  /* m/s^2 */
#define RATE_BIAS   0.017 /* rad/s */
#define LENGTH      1e-3  /* m */
#define MASS_SHARE  0.03
#define MASS_CENTRE 5e-3 /* m */

/* Of walking, whose errors are not white. */
static const double NEES_LOW = 0.4, NEES_HIGH = 1.5;

static vec3 draw3(struct sim_random *random, double sd) {
  const double x = sim_normal(random), y = sim_normal(random), z = sim_normal(random);
  return (vec3){sd * x, sd * y, sd * z};
}

static struct sim_options ordinary(const struct stock_robot *stock, uint64_t seed) {
  struct sim_options options = bench_options(stock, MOTION_WALK, seed);
  struct sim_random random = sim_random_from(seed, DRAW_ERRORS);
  options.duration_s = seconds;
  options.imu.force_offset = draw3(&random, FORCE_BIAS);
  options.imu.rate_offset = draw3(&random, RATE_BIAS);
  options.body = (struct sim_body_error){.length = LENGTH, .mass = MASS_SHARE, .com = MASS_CENTRE};
  return options;
}

/* Adds one walk; the score keeps counting. False, with a word in the report: the simulated robot
 * fell, and nothing is added. */
static bool walk(struct report *report, const char *robot, const struct stock_robot *stock,
                 uint64_t seed, struct score *sum) {
  const struct sim_options options = ordinary(stock, seed);
  struct message error;
  struct tape tape;
  struct trust_run run;
  if (tape_record(&tape, &options, &error) != STATUS_OK) {
    report_text(report, "%s, seed %lu, is left out: %s", robot, (unsigned long)seed, error.text);
    return false;
  }
  const struct pipeline_settings settings = trust_settings(&tape);
  if (trust_run_init(&run, &tape, &settings) != STATUS_OK) {
    give_up(stock->robot->model.name, "the pipeline refuses it");
  }
  const uint64_t pushes = sum->pushes;
  const uint32_t resets = sum->resets;
  sum->begun = false; /* counts of this run begin anew, */
  while (trust_run_step(&run, NULL)) {
    if (tape.period_s * (double)run.next > from_s) {
      const struct quantity_truth truth = trust_run_truth(&run);
      score_add(sum, &run.out, &truth);
    }
  }
  sum->pushes += pushes; /* and are added */
  sum->resets += resets;
  trust_run_free(&run);
  tape_free(&tape);
  return true;
}

static void report_robot(struct report *report, const char *robot, int seeds) {
  static struct score sum;
  struct stock_robot stock;
  struct message error;
  char name[128];
  if (scaled_robot_load(robot, "config/robots", &stock, &error) != STATUS_OK) {
    give_up(robot, error.text);
  }
  score_reset(&sum);
  int fallen = 0;
  for (int s = 0; s < seeds; s++) {
    fallen += !walk(report, robot, &stock, 1000 + (uint64_t)s, &sum);
  }
  snprintf(name, sizeof(name), "%s: errors and deviations", robot);
  struct table *table = table_create(name, "quantity", "unit", "rms", "worst", "NEES",
                                     "worst in sd", "beyond 5 sd", "ok and wrong (s)", NULL);
  for (size_t i = 0; i < QUANTITIES; i++) {
    const struct quantity_row *row = quantity_row(i);
    const struct quantity_score *q = &sum.of[i];
    const double share = q->with_sd > 0 ? (double)q->beyond / (double)q->with_sd : (double)NAN;
    table_row(table, row->name);
    table_text(table, row->unit);
    table_number(table, "%.3g", row->scale * score_rms(&sum, (enum quantity)i));
    table_number(table, "%.3g", row->scale * q->worst);
    table_number(table, "%.2f", score_nees(&sum, (enum quantity)i));
    table_number(table, "%.1f", q->with_sd > 0 ? q->worst_sigma : (double)NAN);
    table_number(table, "%.2g", share);
    table_number(table, "%.3f", 1e-3 * (double)q->longest_lie);
    snprintf(name, sizeof(name), "%s: NEES of %s", robot, row->name);
    report_at_most(report, name, score_nees(&sum, (enum quantity)i), NEES_HIGH, "");
    report_at_least(report, name, score_nees(&sum, (enum quantity)i), NEES_LOW, "");
    snprintf(name, sizeof(name), "%s: %s beyond five deviations", robot, row->name);
    report_at_most(report, name, share, 1e-4, "");
  }
  report_table(report, table);
  snprintf(name, sizeof(name), "%s: share of walking that is ok", robot);
  report_at_least(report, name, score_ok(&sum), 0.98, "");
  snprintf(name, sizeof(name), "%s: false pushes in %.0f s", robot, 1e-3 * (double)sum.samples);
  report_at_most(report, name, (double)sum.pushes, 0.0, "");
  snprintf(name, sizeof(name), "%s: resets", robot);
  report_at_most(report, name, (double)sum.resets, 0.0, "");
  snprintf(name, sizeof(name), "%s: walks left out", robot);
  report_at_most(report, name, fallen, 0.0, "");
  scaled_robot_free(&stock);
}

int main(int argc, char **argv) {
  static const char *const robots[BATCH] = {"humanoid30", "humanoid18", "humanoid30@0.6"};
  const int seeds = argc > 2 ? atoi(argv[2]) : SEEDS;
  struct report *report = report_open(argc > 1 ? argv[1] : "build/evaluate", "trust_consistency",
                                      "Deviations of walks with ordinary errors");
  report_text(report,
              "%d seeds for each robot (a number behind the folder asks for others), 10 s of "
              "walking each from 3 s after the first step on; IMU biases, lengths, masses and "
              "centres of mass drawn for each.",
              seeds);
  for (size_t r = 0; r < BATCH; r++) {
    report_robot(report, robots[r], seeds);
  }
  return report_close(report);
}
