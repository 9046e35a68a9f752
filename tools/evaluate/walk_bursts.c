/* A real iCub that walks, and short faults put into what its sensors said: how far the base tilts,
 * how far joints are off, and whether that was said; beside it how far the contact-aided invariant
 * filter tilts that others run. A SENSOR may be given behind the folder. */
#include "report.h"
#include "settings/settings.h"
#include "support/give_up.h"
#include "support/icub_walk.h"
#include "support/walk_burst.h"
#include "support/walk_invariant.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char folder[] = "../shared/data";
static const double lengths[] = {0.01, 0.1, 0.8}, /* s */
    starts[] = {6.1, 7.03, 8.41, 9.17};
enum {
  LENGTHS = sizeof(lengths) / sizeof(lengths[0]),
  STARTS = sizeof(starts) / sizeof(starts[0])
};

static struct walk_log walk;
static struct walk_said said, sound, invariant, invariant_sound;

struct bench {
  struct robot *robot;
  struct kinematics kin;
  struct settings settings;
};

static void run(struct bench *bench, const struct walk_burst *burst, struct walk_said *out,
                struct walk_said *others) {
  if (!icub_walk_read(&walk, folder)) {
    give_up(folder, "cannot be read again");
  }
  if (burst != NULL) {
    walk_burst_apply(burst, &walk);
  }
  if (!walk_run_pipeline(&walk, bench->robot, &bench->settings.pipeline, &bench->kin, out)) {
    give_up("icub", "the pipeline refuses it");
  }
  walk_run_invariant(&walk, bench->robot, others);
}

/* Of one sensor and fault, at all moments. */
struct found {
  double tilt, q, right_s, lie_s, passed, others_tilt;
};

static struct found try(struct bench *bench, enum walk_sensor sensor, enum burst_kind kind,
                        double length_s) {
  struct found found = {0};
  for (int i = 0; i < STARTS; i++) {
    const struct walk_burst burst = {sensor, kind, starts[i], length_s};
    run(bench, &burst, &said, &invariant);
    const struct walk_harm harm = walk_burst_harm(&burst, &walk, bench->robot, &said, &sound),
                           others = walk_burst_harm(&burst, &walk, bench->robot, &invariant,
                                                    &invariant_sound);
    found.others_tilt = fmax(found.others_tilt, others.tilt);
    found.tilt = fmax(found.tilt, harm.tilt);
    found.q = fmax(found.q, harm.q);
    found.right_s = fmax(found.right_s, harm.right_s);
    found.lie_s = fmax(found.lie_s, harm.lie_s);
    found.passed += walk_harm_passes(&harm);
  }
  return found;
}

static void evaluate(struct report *report, struct bench *bench, enum walk_sensor sensor) {
  struct table *table =
      table_create(walk_sensor_name(sensor), "reads", "for (ms)", "passed", "tilt (deg)",
                   "joint (rad)", "right after (s)", "ok and wrong (s)", "EKF's tilt (deg)", NULL);
  double passed = 0.0, tried = 0.0;
  for (size_t kind = 0; kind < BURST_SILENT; kind++) {
    for (int l = 0; l < LENGTHS; l++) {
      const struct found f = try(bench, sensor, (enum burst_kind)kind, lengths[l]);
      table_row(table, burst_kind_name(kind));
      table_number(table, "%.0f", 1e3 * lengths[l]);
      table_number(table, "%.0f", f.passed);
      table_number(table, "%.2f", f.tilt * 180.0 / M_PI);
      table_number(table, "%.3f", f.q);
      table_number(table, "%.2f", f.right_s);
      table_number(table, "%.2f", f.lie_s);
      table_number(table, "%.2f", f.others_tilt * 180.0 / M_PI);
      passed += f.passed;
      tried += STARTS;
    }
  }
  report_table(report, table);
  char name[96];
  snprintf(name, sizeof(name), "%s: share that is right within a second and never lies",
           walk_sensor_name(sensor));
  report_at_least(report, name, passed / tried, 0.99, "");
}

int main(int argc, char **argv) {
  static struct bench bench;
  struct report *report = report_open(argc > 1 ? argv[1] : "build/evaluate", "walk_bursts",
                                      "Short faults in a real walk");
  if (!icub_walk_read(&walk, folder)) {
    report_text(report, "%s is not here: skipped.", folder);
    return report_close(report);
  }
  bench.robot = icub_walk_robot(folder);
  bench.kin = icub_walk_kinematics(bench.robot);
  settings_defaults(&bench.settings);
  bench.settings.pipeline.period_s = 0.01;
  run(&bench, NULL, &sound, &invariant_sound);
  report_text(
      report,
      "Encoders and IMU at 100 Hz with stamps as logged, defaults. Each fault at %d moments "
      "of the walk; the worst of them, against what is said without it. Wrong: tilt by "
      "more than %.2f rad, a joint by more than %.2f. Last, the tilt of the "
      "invariant EKF, against its own without the fault.",
      STARTS, WALK_BURST_TILT, WALK_BURST_Q);
  for (size_t sensor = 0; sensor < WALK_SENSORS; sensor++) {
    if (argc < 3 || strcmp(argv[2], walk_sensor_name(sensor)) == 0) {
      evaluate(report, &bench, (enum walk_sensor)sensor);
    }
  }
  robot_destroy(bench.robot);
  return report_close(report);
}
