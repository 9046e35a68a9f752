/* A real arm that carries something, started at any time, with gains that are not as they were when
 * they were fitted: what its last link is told to weigh, through the product's own path. Loads are
 * added to the logs' efforts (arm_load.h). Skips with a word where recordings are not here. */
#include "inertia/pseudo_inertia.h"
#include "report.h"
#include "support/arm_log.h"

#include <math.h>
#include <stdio.h>

/* kg; share by which all gains have changed; s of the log at which it starts. Settings were tuned
 * on other loads, centres and starts. */
enum { LOADS = 5, GAINS = 5, STARTS = 3 };
static const double LOAD[LOADS] = {0.0, 0.7, 1.5, 3.0, 7.0},
                    GAIN[GAINS] = {-0.1, -0.05, 0.0, 0.05, 0.1}, START[STARTS] = {0.0, 8.3, 13.7};
static const vec3 CENTRE = {0.04, -0.03, 0.1};
static const mat3 SHAPE = {{{3e-3, 0.0, 0.0}, {0.0, 3e-3, 0.0}, {0.0, 0.0, 3e-3}}};

/* Of all runs. */
struct worst {
  double wrong_s, sigmas, largest, smallest;
};

static void tell(struct table *table, const struct arm_log *arm, const struct arm_course *course) {
  const struct inertial_link_estimate *end = &course->last.result.link[0];
  char name[64];
  snprintf(name, sizeof(name), "%.1f kg, gains %+.0f %%, from %.1f s", arm->load.m,
           100.0 * arm->gain_wrong, arm->from_s);
  table_row(table, name);
  table_number(table, "%+.3f", course->error);
  table_number(table, "%.3f", course->sd);
  table_number(table, "%+.3f", end->estimate.m - course->reference);
  table_number(table, "%.3f", end->mass_sd);
  table_number(table, "%.2f", course->highest);
  table_number(table, "%.2f", course->lowest);
  table_number(table, "%.2f", course->sigmas_ok);
  table_number(table, "%.2f", course->longest_wrong_s);
  table_number(table, "%.0f",
               100.0 * (double)(course->judged - course->not_ok) / (double)course->judged);
  table_number(table, "%.0f", (double)course->last.result.counters.changes);
}

static void take(struct worst *worst, const struct arm_course *course) {
  worst->wrong_s = fmax(worst->wrong_s, course->longest_wrong_s);
  worst->sigmas = fmax(worst->sigmas, course->sigmas_ok);
  worst->largest = fmax(worst->largest, course->highest);
  worst->smallest = fmin(worst->smallest, course->lowest);
}

/* The k-th run of a log. False, with a word in `why`, when it is not here. */
static bool run(const struct arm_log *log, size_t k, struct table *table, struct worst *worst,
                char why[200]) {
  static struct arm_course course;
  struct arm_log arm = *log;
  const double load = LOAD[k / (GAINS * STARTS)];
  arm.gain_wrong = GAIN[k / STARTS % GAINS];
  arm.from_s = START[k % STARTS];
  arm.judged_s = 1.2; /* once the start has been measured */
  if (load > 0.0) {
    arm.load = inertia_of_body(load, CENTRE, &SHAPE);
  }
  if (!arm_log_run(&arm, &course, why)) {
    return false;
  }
  tell(table, &arm, &course);
  take(worst, &course);
  return true;
}

static void hold(struct report *report, const char *log, const struct worst *worst) {
  char name[128];
  snprintf(name, sizeof(name), "%s: ok and beyond three deviations", log);
  report_at_most(report, name, worst->wrong_s, 0.0, "s");
  snprintf(name, sizeof(name), "%s: worst error while ok", log);
  report_at_most(report, name, worst->sigmas, 3.0, "sd");
  snprintf(name, sizeof(name), "%s: largest mass", log);
  report_at_most(report, name, worst->largest, 5.0, "of the truth");
  snprintf(name, sizeof(name), "%s: smallest mass", log);
  report_at_least(report, name, worst->smallest, 0.1, "of the truth");
}

static void run_log(struct report *report, const struct arm_log *log) {
  struct worst worst = {.smallest = HUGE_VAL};
  char why[200];
  struct table *table =
      table_create(log->name, "run", "error at 10 s (kg)", "its sd", "error at the end (kg)",
                   "its sd", "most (of the truth)", "least", "worst while ok (sd)",
                   "ok, beyond 3 sd (s)", "ok (%)", "alarms", NULL);
  for (size_t k = 0; k < LOADS * GAINS * STARTS; k++) {
    if (!run(log, k, table, &worst, why)) {
      report_text(report, "%s: skipped.", why);
      return;
    }
  }
  report_table(report, table);
  hold(report, log->name, &worst);
}

int main(int argc, char **argv) {
  struct report *report = report_open(argc > 1 ? argv[1] : "build/evaluate", "inertial_arm_loads",
                                      "A real arm that carries something");
  run_log(report, &ARM_UR10E_EXCITE);
  run_log(report, &ARM_UR10E_POINTS);
  return report_close(report);
}
