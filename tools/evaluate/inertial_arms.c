/* Real arms without a load: what their last link weighs, through the product's own path, bodies and
 * drives from propriod-identify. Skips with a word where recordings are not here. */
#include "report.h"
#include "support/arm_log.h"

#include <stdio.h>

/* -- reporting -------------------------------------------------------------------------------- */

static void limit(struct report *report, const char *arm, const char *words, double found,
                  double most, const char *unit) {
  char name[128];
  snprintf(name, sizeof(name), "%s: %s", arm, words);
  report_at_most(report, name, found, most, unit);
}

static void judge(struct report *report, const struct arm_log *arm, const struct arm_course *course,
                  double share) {
  const struct inertial_counters *counters = &course->last.result.counters;
  limit(report, arm->name, "mass against the fit", course->worst, share, "of it");
  limit(report, arm->name, "worst error in its own deviations", course->sigmas, 2.0, "sd");
  limit(report, arm->name, "alarms", (double)counters->changes, 0.0, "");
  limit(report, arm->name, "largest mass", course->highest, 3.0, "of the fit's");
  limit(report, arm->name, "instants unphysical", (double)course->unphysical, 0.0, "");
  limit(report, arm->name, "resets", (double)counters->resets, 0.0, "");
  char name[128];
  snprintf(name, sizeof(name), "%s: smallest mass", arm->name);
  report_at_least(report, name, course->lowest, 0.1, "of the fit's");
}

static void run(struct report *report, const struct arm_log *arm, double share) {
  static struct arm_course course;
  char why[200];
  if (!arm_log_run(arm, &course, why)) {
    report_text(report, "%s: skipped.", why);
    return;
  }
  const struct inertia_estimate *last = &course.last;
  report_text(
      report,
      "%s, %zu samples as stamped; %s, fitted: %.3f kg; streamed at the end: %.3f +- %.3f "
      "kg; noise %.1f times as told; settings, and drives as propriod-identify writes them:\n%s"
      "joints: ...\n%s",
      arm->name, course.frames, arm->link, course.reference, last->result.link[0].estimate.m,
      last->result.link[0].mass_sd, last->result.noise, arm->settings, arm->drives);
  char title[80];
  snprintf(title, sizeof(title), "Mass of the last link: %s", arm->name);
  struct plot *plot = plot_create(title, "time (s)");
  plot_panel(plot, "mass (kg)");
  plot_y_range(plot, 0.0, 2.0 * course.reference);
  plot_band(plot, "two deviations", course.t, course.low, course.high, course.n);
  plot_line(plot, "estimate", course.t, course.mass, course.n);
  plot_level(plot, "the fit's", course.reference);
  report_plot(report, plot, arm->name);
  judge(report, arm, &course, share);
}

int main(int argc, char **argv) {
  struct report *report =
      report_open(argc > 1 ? argv[1] : "build/evaluate", "inertial_arms", "Real arms");
  run(report, &ARM_UR10E_EXCITE, 1.0);
  run(report, &ARM_UR10E_POINTS, 1.0);
  run(report, &ARM_PANDA, 0.03);
  return report_close(report);
}
