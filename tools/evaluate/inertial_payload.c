/* 8 kg taken up by a humanoid that moves its torso, weighed from base rows and foot wrenches alone;
 * with encoders of 19 bits, and with encoders of 2e-4 rad, where accelerations are worth most. */
#include "support/inertial_table.h"

#include <math.h>
#include <stdio.h>

static const double LOAD = 8.0;

static struct inertial_case payload(const char *name, const char *title, double encoder_white) {
  return (struct inertial_case){
      .name = name,
      .title = title,
      .scenario = "payload",
      .link = "torso_pitch_link",
      .wrenches = true,
      .load = {.mass = LOAD, .com = {0.18, 0.05, 0.22}, .size = {0.3, 0.3, 0.3}, .attach_s = 5.0},
      .end_s = 12.0,
      .encoder_white = encoder_white};
}

enum { OURS, OURS_TRUTH, OURS_DIFFERENCES, FOSTER, LINEAR, WAYS };

struct page {
  struct report *report;
  const struct inertial_case *what;
};

static void draw(void *context, const struct inertial_run *run) {
  static const size_t shown[] = {OURS, OURS_DIFFERENCES, FOSTER, LINEAR};
  const struct page *page = context;
  struct plot *plot = plot_create(page->what->title, "time (s)");
  plot_panel(plot, "mass (kg)");
  const struct window window = plot_window(run, 4.8, 8.4);
  plot_masses(plot, run, shown, sizeof(shown) / sizeof(shown[0]), window);
  plot_mass(plot, "ours, published", run, run->state[OURS].published, window);
  plot_y_range(plot, 14.0, 28.0);
  report_plot(page->report, plot, page->what->name);
}

static void show(struct report *report, const char *title, const struct inertial_way *way,
                 const struct summary *summary) {
  struct table *table =
      table_create(title, "filter", "accelerations", "unphysical (%)", "mass after 1 s (%)",
                   "published within 2 % (s)", "CoM after 5 s (%)", "rise (s)", "overshoot (%)",
                   "error (sigma)", "CoM (sigma)", "alarms", NULL);
  for (size_t w = 0; w < WAYS; w++) {
    table_row(table, way[w].name);
    table_text(table, motion_source_name[way[w].source]);
    table_pair(table, "%.0f", summary, w, OF_UNPHYSICAL, 100.0);
    table_pair(table, "%.2f", summary, w, OF_AFTER_1S, 100.0);
    table_pair(table, "%.2f", summary, w, OF_PUBLISHED, 1.0);
    table_pair(table, "%.1f", summary, w, OF_COM_AFTER_5S, 100.0);
    table_pair(table, "%.3f", summary, w, OF_RISE, 1.0);
    table_pair(table, "%.0f", summary, w, OF_OVERSHOOT, 100.0);
    table_pair(table, "%.1f", summary, w, OF_SIGMAS, 1.0);
    table_pair(table, "%.1f", summary, w, OF_COM_SIGMAS, 1.0);
    table_pair(table, "%.0f", summary, w, OF_ALARMS, 1.0);
  }
  report_table(report, table);
}

static void limit(struct report *report, const struct inertial_case *what,
                  const struct summary *summary, enum figure figure, const char *words, double most,
                  const char *unit) {
  char name[120];
  snprintf(name, sizeof(name), "%s: %s, worst seed", what->name, words);
  report_at_most(report, name, worst_of(summary, OURS, figure), most, unit);
}

static void judge(struct report *report, const struct inertial_case *what,
                  const struct summary *summary) {
  const double rate = inertial_filter_defaults().publish.mass_rate;
  limit(report, what, summary, OF_UNPHYSICAL, "time physically inconsistent", 0.0, "");
  limit(report, what, summary, OF_AFTER_1S, "mass error after 1 s", 0.02, "of the load");
  limit(report, what, summary, OF_PUBLISHED, "published within 2 %", LOAD / rate + 1.0, "s");
  limit(report, what, summary, OF_COM_AFTER_5S, "centre of mass after 5 s", 0.05,
        "of its distance");
  limit(report, what, summary, OF_OVERSHOOT, "overshoot", 0.2, "of the load");
  limit(report, what, summary, OF_SIGMAS, "mass error in its own deviations", 3.0, "");
  limit(report, what, summary, OF_COM_SIGMAS, "CoM error in its own deviations", 3.0, "");
}

static void evaluate(struct report *report, const struct inertial_case *what) {
  const struct inertial_filter_settings ours = inertial_filter_defaults();
  const struct inertial_way way[WAYS] = {
      [OURS] = {"ours", FROM_FILTER, 0.0, ours},
      [OURS_TRUTH] = {"ours", FROM_TRUTH, 0.0, ours},
      [OURS_DIFFERENCES] = {"ours", FROM_DIFFERENCES, 0.0, ours},
      [FOSTER] = {"Foster", FROM_FILTER, 0.0, as_printed(INERTIAL_FOSTER, INERTIAL_GATE_NONE)},
      [LINEAR] = {"linear", FROM_FILTER, 0.0, as_printed(INERTIAL_LINEAR, INERTIAL_GATE_NONE)}};
  struct page page = {report, what};
  const struct summary summary = run_case(what, way, WAYS, draw, &page);
  show(report, what->title, way, &summary);
  judge(report, what, &summary);
  char name[120];
  snprintf(name, sizeof(name), "%s: torso motion, smallest seed", what->name);
  report_at_least(report, name, summary.least_swing * 180.0 / M_PI, 20.0, "degrees");
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  struct report *report =
      report_open(argv[1], "inertial_payload", "Inertial parameters: 8 kg taken up");
  report_text(report,
              "The 30-joint humanoid moves its upper body slowly and takes 8 kg to its torso; foot "
              "wrenches, no joint torques; skin at 250 Hz and 2 ms late. Seeds %lu to %lu, "
              "settings tuned on others; each cell is median / worst seed. Deviations are the "
              "filter's own; errors count from 1 s after the load.",
              (unsigned long)FIRST_SEED, (unsigned long)FIRST_SEED + TABLE_SEEDS - 1);
  const struct inertial_case fine = payload("fine", "8 kg on the torso, encoders of 19 bits", 0.0);
  const struct inertial_case coarse =
      payload("coarse", "8 kg on the torso, encoder noise 2e-4 rad", 2e-4);
  evaluate(report, &fine);
  evaluate(report, &coarse);
  return report_close(report);
}
