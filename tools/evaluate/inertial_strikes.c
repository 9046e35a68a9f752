/* Foot strikes: the torso's square wave walked softly, hard and with blows, with and without
 * gating, with signals aligned and with wrenches 4 ms late. */
#include "support/inertial_table.h"

#include <math.h>
#include <stdio.h>

static const double LATE = 4e-3;

static const struct {
  const char *name, *title;
  double strike_speed;
} WALK[] = {
    {"soft", "Soft strikes", 0.0},
    {"hard", "Hard strikes, 0.1 m/s", 0.1},
    {"blows", "Blows, 0.3 m/s", 0.3},
};

enum { WALKS = sizeof(WALK) / sizeof(WALK[0]) };

static struct inertial_case walking(int i) {
  return (struct inertial_case){.name = WALK[i].name,
                                .title = WALK[i].title,
                                .scenario = "walk",
                                .link = "torso_pitch_link",
                                .wrenches = true,
                                .load = {.mass = 14.7,
                                         .amplitude = 5.0,
                                         .waveform = SIM_SQUARE,
                                         .rate_hz = 0.2,
                                         .com = {0.0, 0.0, 0.2},
                                         .size = {0.3, 0.3, 0.3},
                                         .attach_s = 1.5},
                                .end_s = 11.4,
                                .strike_speed = WALK[i].strike_speed};
}

/* Each filter gated and not, aligned and late. */
enum { OURS, FOSTER, LINEAR, FILTERS };
enum { GATED, GATED_LATE, OPEN, OPEN_LATE, MANNERS };
enum { WAYS = FILTERS * MANNERS };

static const char *const MANNER[MANNERS] = {"gated", "gated, 4 ms late", "not gated",
                                            "not gated, 4 ms late"};

static struct inertial_filter_settings settings_of(int filter, bool gated) {
  static const enum inertial_form form[FILTERS] = {
      [FOSTER] = INERTIAL_FOSTER, [LINEAR] = INERTIAL_LINEAR};
  if (filter != OURS) {
    return as_printed(form[filter], gated ? INERTIAL_GATE_HARD : INERTIAL_GATE_NONE);
  }
  struct inertial_filter_settings s = inertial_filter_defaults();
  s.gate = gated ? s.gate : INERTIAL_GATE_NONE;
  return s;
}

static void fill_ways(struct inertial_way way[WAYS]) {
  static const char *const name[FILTERS] = {"ours", "Foster", "linear"};
  for (int filter = 0; filter < FILTERS; filter++) {
    for (int manner = 0; manner < MANNERS; manner++) {
      const bool gated = manner == GATED || manner == GATED_LATE;
      const bool late = manner == GATED_LATE || manner == OPEN_LATE;
      way[filter * MANNERS + manner] = (struct inertial_way){
          name[filter], FROM_FILTER, late ? LATE : 0.0, settings_of(filter, gated)};
    }
  }
}

static void show(struct report *report, const char *title, const struct inertial_way *way,
                 const struct summary *summary) {
  struct table *table =
      table_create(title, "filter", "gating, wrenches", "unphysical (%)", "RMS (kg)",
                   "0.3 s after switches (kg)", "worst of it (kg)", "rise (s)", "overshoot (%)",
                   "delay told (ms)", "alarms", NULL);
  for (size_t w = 0; w < WAYS; w++) {
    table_row(table, way[w].name);
    table_text(table, MANNER[w % MANNERS]);
    table_pair(table, "%.0f", summary, w, OF_UNPHYSICAL, 100.0);
    table_pair(table, "%.3f", summary, w, OF_RMS, 1.0);
    table_pair(table, "%.3f", summary, w, OF_SETTLED, 1.0);
    table_pair(table, "%.3f", summary, w, OF_WORST, 1.0);
    table_pair(table, "%.3f", summary, w, OF_RISE, 1.0);
    table_pair(table, "%.0f", summary, w, OF_OVERSHOOT, 100.0);
    table_pair(table, "%.1f", summary, w, OF_DELAY, 1e3);
    table_pair(table, "%.0f", summary, w, OF_ALARMS, 1.0);
  }
  report_table(report, table);
}

/* How far the told delay is from the true one at worst, s; NaN when a seed did not tell. */
static double delay_error(const struct summary *summary, size_t way, double truth) {
  double worst = 0.0;
  for (size_t s = 0; s < summary->seeds; s++) {
    const double error = fabs(summary->value[way][OF_DELAY][s] - truth);
    worst = error > worst || isnan(error) ? error : worst;
  }
  return worst;
}

static void judge(struct report *report, const char *walk, const struct summary *summary) {
  char name[120];
  snprintf(name, sizeof(name), "%s: time physically inconsistent, any manner and seed", walk);
  double unphysical = 0.0;
  for (size_t w = 0; w < MANNERS; w++) {
    unphysical = fmax(unphysical, worst_of(summary, w, OF_UNPHYSICAL));
  }
  report_at_most(report, name, unphysical, 0.0, "");
  snprintf(name, sizeof(name), "%s: overshoot, gated and aligned, worst seed", walk);
  report_at_most(report, name, worst_of(summary, GATED, OF_OVERSHOOT), 0.2, "of a step");
  snprintf(name, sizeof(name), "%s: error of the delay told, aligned, worst seed", walk);
  report_at_most(report, name, delay_error(summary, GATED, 0.0), 5e-4, "s");
  snprintf(name, sizeof(name), "%s: error of the delay told, 4 ms late, worst seed", walk);
  report_at_most(report, name, delay_error(summary, GATED_LATE, LATE), 1e-3, "s");
}

static void draw(struct report *report, const struct summary summary[WALKS]) {
  static const char *const walk[WALKS] = {"soft", "hard", "blows"};
  static const char *const name[FILTERS] = {"ours", "Foster", "linear"};
  struct plot *plot =
      plot_create("Largest error of the mass, 0.3 s and more after a switch", "strikes");
  for (int manner = 0; manner < MANNERS; manner++) {
    char label[64];
    snprintf(label, sizeof(label), "%s (kg)", MANNER[manner]);
    plot_panel(plot, label);
    plot_log_y(plot);
    plot_y_range(plot, 0.01, 100.0);
    for (int filter = 0; filter < FILTERS; filter++) {
      double value[WALKS];
      for (int i = 0; i < WALKS; i++) {
        value[i] = median_of(&summary[i], (size_t)(filter * MANNERS + manner), OF_WORST);
      }
      plot_bars(plot, name[filter], walk, value, WALKS);
    }
  }
  report_plot(report, plot, "worst");
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  struct report *report =
      report_open(argv[1], "inertial_strikes", "Inertial parameters: foot strikes and delays");
  report_text(report,
              "The torso's 30 +- 5 kg while walking (inertial_waveforms), seeds %lu to %lu, "
              "settings tuned on others; each cell is median / worst seed. `gated`: rows beyond "
              "the chi-square bound are weighed down (ours), or left out, as are all for 40 ms "
              "after a strike (Foster, linear). `late`: wrenches are 4 ms older than their stamps.",
              (unsigned long)FIRST_SEED, (unsigned long)FIRST_SEED + TABLE_SEEDS - 1);
  struct inertial_way way[WAYS];
  struct summary summary[WALKS];
  fill_ways(way);
  for (int i = 0; i < WALKS; i++) {
    const struct inertial_case what = walking(i);
    summary[i] = run_case(&what, way, WAYS, NULL, NULL);
    show(report, what.title, way, &summary[i]);
    judge(report, what.name, &summary[i]);
  }
  draw(report, summary);
  return report_close(report);
}
