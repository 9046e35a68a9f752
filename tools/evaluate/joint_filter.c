/* Joint position, velocity and acceleration of the thesis' chain: nine joints, 312 cells, encoders
 * of three qualities, five classes of motion; next to the best that encoders alone give. */
#include "report.h"
#include "support/joint_run.h"

#include <stdio.h>
#include <string.h>

enum { CLASSES = 5, NOISES = 3, RATES = 2, SEEDS = 2, FIRST_SEED = 101 };

static const char *const CLASS[CLASSES] = {"slow", "medium", "fast", "saturation", "stops"};
static const double NOISE[NOISES] = {1.75e-2, 1e-3, 1.7453e-5}; /* rad */

/* What is asked of the RMS error of ddq relative to KF3, by class. */
static const double LIMIT_COARSE[CLASSES] = {0.7, 0.25, 0.25, 0.25, 0.1};
static const double LIMIT_MIDDLE[CLASSES] = {0.7, 0.35, 0.35, 0.35, 0.1};
static const double LIMIT_FINE[CLASSES] = {1.0, 1.0, 1.0, 1.0, 0.1};
static const double LIMIT_STOPS_1KHZ = 0.4, LIMIT_BEST_ENCODER = 0.6;
static const double LIMIT_LAG = 2e-3, LIMIT_ERRORS = 1.2;

static double limit_of(int noise, int rate, int class) {
  if (strcmp(CLASS[class], "stops") == 0 && rate == 1) {
    return LIMIT_STOPS_1KHZ;
  }
  const double *const limits[NOISES] = {LIMIT_COARSE, LIMIT_MIDDLE, LIMIT_FINE};
  return limits[noise][class];
}

static struct joint_run_options options_of(int noise, int rate, int class, unsigned long seed) {
  return (struct joint_run_options){.robot = "chain9",
                                    .scenario = CLASS[class],
                                    .encoder_noise = NOISE[noise],
                                    .rate_hz = rate == 0 ? 200.0 : 1000.0,
                                    .skin_hz = rate == 0 ? 200.0 : 250.0,
                                    .seconds = 13.0,
                                    .score_from_s = noise == 2 ? 10.0 : 2.0,
                                    .seed = seed};
}

/* Means over the seeds of one cell of the table. */
struct figures {
  double rms[ESTIMATORS], best, held, lag, nees, nis;
};

static struct figures add(struct figures sum, const struct joint_run *run) {
  for (int e = 0; e < ESTIMATORS; e++) {
    sum.rms[e] += joint_run_rms(run, (enum estimator)e, OF_DDQ, 0, false) / SEEDS;
  }
  sum.best += joint_run_best_encoder(run) / SEEDS;
  sum.held += joint_run_held_rms(run) / SEEDS;
  sum.lag += joint_run_lag(run, BY_FILTER, OF_DDQ) / SEEDS;
  sum.nees += joint_run_nees(run) / SEEDS;
  sum.nis += run->nis_encoders / SEEDS;
  return sum;
}

/* -- plots ------------------------------------------------------------------------------------ */

enum { ELBOW = 5 };
static const double PLOT_FROM = 6.0, PLOT_TO = 9.0; /* s */

static void draw(struct report *report, const struct joint_run *run, const char *class,
                 const char *name) {
  char title[96];
  snprintf(title, sizeof(title), "Elbow, %s, encoder noise 1.75e-2 rad, 200 Hz", class);
  const size_t from = (size_t)(PLOT_FROM / run->dt), n = (size_t)((PLOT_TO - PLOT_FROM) / run->dt);
  const size_t at = ELBOW * run->n + from;
  static const char *const label[DERIVATIVES] = {"q (rad)", "dq (rad/s)", "ddq (rad/s²)"};
  static const enum estimator shown[] = {BY_BUTTERWORTH, BY_ZERO_PHASE, BY_KF3, BY_FILTER};
  struct plot *plot = plot_create(title, "time (s)");
  for (int d = 0; d < DERIVATIVES; d++) {
    plot_panel(plot, label[d]);
    for (size_t e = 0; e < sizeof(shown) / sizeof(shown[0]); e++) {
      if (d != OF_DDQ || shown[e] != BY_BUTTERWORTH) { /* its noise would hide the rest */
        plot_line(plot, estimator_name[shown[e]], run->t + from, run->estimate[shown[e]][d] + at,
                  n);
      }
    }
    plot_line(plot, "truth", run->t + from, run->truth[d] + at, n);
  }
  report_plot(report, plot, name);
}

/* -- tables ----------------------------------------------------------------------------------- */

/* The thesis' own case in full: all three derivatives, error and delay of everybody. */
static void thesis_table(struct report *report, const struct joint_run *run, const char *class) {
  char title[96];
  snprintf(title, sizeof(title), "RMS error and lag, %s, 1.75e-2 rad, 200 Hz", class);
  struct table *table = table_create(title, "estimator", "q (rad)", "dq (rad/s)", "ddq (rad/s²)",
                                     "lag q (ms)", "lag dq (ms)", "lag ddq (ms)", NULL);
  for (int e = 0; e < ESTIMATORS; e++) {
    table_row(table, estimator_name[e]);
    for (int d = 0; d < DERIVATIVES; d++) {
      table_number(table, "%.4f",
                   joint_run_rms(run, (enum estimator)e, (enum derivative)d, 0, false));
    }
    for (int d = 0; d < DERIVATIVES; d++) {
      table_number(table, "%.1f", 1e3 * joint_run_lag(run, (enum estimator)e, (enum derivative)d));
    }
  }
  report_table(report, table);
}

static void row_of(struct table *table, const char *class, const struct figures *f) {
  table_row(table, class);
  for (int e = 0; e < ESTIMATORS; e++) {
    table_number(table, "%.3f", f->rms[e]);
  }
  table_number(table, "%.3f", f->rms[BY_FILTER] / f->rms[BY_KF3]);
  table_number(table, "%.3f", f->rms[BY_FILTER] / f->best);
  table_number(table, "%.3f", f->held / f->rms[BY_KF3]);
  table_number(table, "%.2f", 1e3 * f->lag);
  table_number(table, "%.2f", f->nees);
  table_number(table, "%.2f", f->nis);
}

static void judge(struct report *report, const struct figures *f, int noise, int rate, int class,
                  const char *where) {
  char name[160];
  snprintf(name, sizeof(name), "ddq error to KF3, %s", where);
  report_at_most(report, name, f->rms[BY_FILTER] / f->rms[BY_KF3], limit_of(noise, rate, class),
                 "");
  if (noise == 1 && class >= 1 && class <= 3) {
    snprintf(name, sizeof(name), "ddq error to best encoder-only, %s", where);
    report_at_most(report, name, f->rms[BY_FILTER] / f->best, LIMIT_BEST_ENCODER, "");
  }
  if (rate == 1 && noise < 2) {
    snprintf(name, sizeof(name), "lag, %s", where);
    report_at_most(report, name, f->lag, LIMIT_LAG, "s");
  }
  snprintf(name, sizeof(name), "NEES of ddq, %s", where);
  report_figure(report, name, f->nees, "");
}

static void configuration(struct report *report, int noise, int rate) {
  char title[96];
  snprintf(title, sizeof(title), "RMS error of ddq (rad/s²), encoders %.3g rad, %s", NOISE[noise],
           rate == 0 ? "200 Hz" : "1 kHz with skin at 250 Hz");
  struct table *table = table_create(title, "class", "KF3", "KF3 per joint", "KF4", "Butterworth",
                                     "zero phase", "skin UKF", "to KF3", "to best",
                                     "held skin to KF3", "lag (ms)", "NEES", "NIS", NULL);
  for (int class = 0; class < CLASSES; class ++) {
    const char *name = CLASS[class];
    struct figures f = {0};
    for (unsigned long s = 0; s < SEEDS; s++) {
      const struct joint_run_options options = options_of(noise, rate, class, FIRST_SEED + s);
      struct joint_run run = joint_run_of(&options);
      f = add(f, &run);
      if (noise == 0 && rate == 0 && s == 0) {
        thesis_table(report, &run, name);
        draw(report, &run, name, name);
      }
      joint_run_free(&run);
    }
    row_of(table, name, &f);
    char where[96];
    snprintf(where, sizeof(where), "%s, %.3g rad, %s", name, NOISE[noise],
             rate == 0 ? "200 Hz" : "1 kHz");
    judge(report, &f, noise, rate, class, where);
  }
  report_table(report, table);
}

/* The same with skin that is biased, scaled and askew. */
static void skin_errors(struct report *report) {
  struct table *table = table_create("Skin with bias 0.1 m/s², scale 2 %, orientation 2 degrees; "
                                     "encoders 1e-3 rad, 200 Hz; RMS of ddq to KF3",
                                     "class", "perfect skin", "with errors", "NEES", NULL);
  for (int class = 0; class < CLASSES; class ++) {
    const char *name = CLASS[class];
    double ratio[2], nees = 0.0;
    for (int errors = 0; errors < 2; errors++) {
      struct joint_run_options options = options_of(1, 0, class, FIRST_SEED);
      options.skin_errors = errors;
      struct joint_run run = joint_run_of(&options);
      ratio[errors] = joint_run_rms(&run, BY_FILTER, OF_DDQ, 0, false) /
                      joint_run_rms(&run, BY_KF3, OF_DDQ, 0, false);
      nees = joint_run_nees(&run);
      joint_run_free(&run);
    }
    table_row(table, name);
    table_number(table, "%.3f", ratio[0]);
    table_number(table, "%.3f", ratio[1]);
    table_number(table, "%.2f", nees);
    char what[96];
    snprintf(what, sizeof(what), "skin errors, %s: ddq error to KF3", name);
    report_at_most(report, what, ratio[1], LIMIT_ERRORS * limit_of(1, 0, class), "");
  }
  report_table(report, table);
}

int main(int argc, char **argv) {
  struct report *report = report_open(argc > 1 ? argv[1] : ".", "joint_filter",
                                      "Joint derivatives of the thesis' chain");
  report_text(
      report,
      "Nine joints, 312 cells of 0.34 m/s² noise, base still. 13 s per run, seeds %d to %d, "
      "none of which the settings were chosen on; scored from 2 s on (from 10 s on at "
      "1.7453e-5 rad). KF3 and KF4 are given the densities that are best for the very run "
      "they are judged on; the filter adapts its own.",
      FIRST_SEED, FIRST_SEED + SEEDS - 1);
  for (int noise = 0; noise < NOISES; noise++) {
    for (int rate = 0; rate < RATES; rate++) {
      configuration(report, noise, rate);
    }
  }
  skin_errors(report);
  return report_close(report);
}
