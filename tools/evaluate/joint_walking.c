/* Joint accelerations of a whole humanoid that walks and falls: 30 joints, 1260 cells, foot
 * strikes. */
#include "report.h"
#include "support/joint_run.h"

#include <stdio.h>
#include <stdlib.h>

enum { CASES = 6 };

/* What is asked, times KF3; 0: shown only, since no sensor at 250 Hz can follow these impacts, or
 * since a sample that has not arrived cannot help at its instant. */
static const struct {
  const char *name, *scenario;
  double skin_hz, skin_delay_s, strike_speed;
  double skin_errors; /* 1: bias 0.1 m/s^2, gain 2 %, 2 degrees */
  double limit_all, limit_at_skin;
  bool calm; /* NEES is held against its band */
} CASE[CASES] = {
    {"walking, skin 1 kHz", "walk", 1000.0, 0.0, 0.0, 0.0, 0.6, 0.2, true},
    {"walking, skin 250 Hz", "walk", 250.0, 0.0, 0.0, 0.0, 0.6, 0.2, true},
    {"walking, ordinary skin, 2 ms late", "walk", 250.0, 2e-3, 0.0, 1.0, 0.6, 0.0, true},
    {"hard ground, ordinary skin, 2 ms late", "walk", 250.0, 2e-3, 0.1, 1.0, 0.97, 0.0, false},
    {"blows, skin 250 Hz", "walk", 250.0, 0.0, 0.3, 0.0, 1.0, 0.0, false},
    {"pushed over, skin 250 Hz", "fall", 250.0, 0.0, 0.0, 0.0, 1.0, 0.0, false},
};

static const double NEES_LOW = 0.4, NEES_HIGH = 1.5;

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Median over joints of the mean squared error over its own variance. */
static double median_nees(const struct joint_run *run) {
  double nees[MODEL_MAX_JOINTS] = {0};
  for (size_t j = 0; j < run->n_joints; j++) {
    for (size_t k = run->from; k < run->n; k++) {
      const size_t i = j * run->n + k;
      const double e = run->estimate[BY_FILTER][OF_DDQ][i] - run->truth[OF_DDQ][i];
      nees[j] += e * e / (run->ddq_sd[i] * run->ddq_sd[i]) / (double)(run->n - run->from);
    }
  }
  qsort(nees, run->n_joints, sizeof(nees[0]), by_value);
  return nees[run->n_joints / 2];
}

enum { KNEE = 21 };

static void draw(struct report *report, const struct joint_run *run) {
  const size_t from = run->from + (size_t)(1.0 / run->dt), n = (size_t)(1.0 / run->dt);
  const size_t at = KNEE * run->n + from;
  struct plot *plot = plot_create("A leg joint in walking, encoder noise 1e-3 rad", "time (s)");
  static const char *const label[DERIVATIVES] = {"q (rad)", "dq (rad/s)", "ddq (rad/s²)"};
  for (int d = OF_DQ; d < DERIVATIVES; d++) {
    plot_panel(plot, label[d]);
    plot_line(plot, estimator_name[BY_KF3], run->t + from, run->estimate[BY_KF3][d] + at, n);
    plot_line(plot, estimator_name[BY_FILTER], run->t + from, run->estimate[BY_FILTER][d] + at, n);
    plot_line(plot, "truth", run->t + from, run->truth[d] + at, n);
  }
  report_plot(report, plot, "leg");
}

static void row_of(struct report *report, struct table *table, int i, const struct joint_run *run) {
  double at_skin[ESTIMATORS], all[ESTIMATORS];
  for (int e = 0; e < ESTIMATORS; e++) {
    at_skin[e] = joint_run_rms(run, (enum estimator)e, OF_DDQ, 0, true);
    all[e] = joint_run_rms(run, (enum estimator)e, OF_DDQ, 0, false);
  }
  table_row(table, CASE[i].name);
  table_number(table, "%.3f", all[BY_KF3]);
  table_number(table, "%.3f", joint_run_best_encoder(run));
  table_number(table, "%.3f", all[BY_FILTER]);
  table_number(table, "%.3f", at_skin[BY_FILTER] / at_skin[BY_KF3]);
  table_number(table, "%.3f", all[BY_FILTER] / all[BY_KF3]);
  table_number(table, "%.2f", 1e3 * joint_run_lag(run, BY_FILTER, OF_DDQ));
  table_number(table, "%.2f", median_nees(run));
  table_number(table, "%.2f", run->nis_skin);
  char name[128];
  if (CASE[i].limit_at_skin > 0.0) {
    snprintf(name, sizeof(name), "ddq error to KF3 at skin samples, %s", CASE[i].name);
    report_at_most(report, name, at_skin[BY_FILTER] / at_skin[BY_KF3], CASE[i].limit_at_skin, "");
  }
  snprintf(name, sizeof(name), "ddq error to KF3, all samples, %s", CASE[i].name);
  report_at_most(report, name, all[BY_FILTER] / all[BY_KF3], CASE[i].limit_all, "");
  if (CASE[i].calm) {
    snprintf(name, sizeof(name), "median NEES, %s", CASE[i].name);
    report_at_least(report, name, median_nees(run), NEES_LOW, "");
    report_at_most(report, name, median_nees(run), NEES_HIGH, "");
  }
  snprintf(name, sizeof(name), "resets, %s", CASE[i].name);
  report_at_most(report, name, (double)run->counters.resets, 0.0, "");
}

int main(int argc, char **argv) {
  struct report *report =
      report_open(argc > 1 ? argv[1] : ".", "joint_walking", "Joint accelerations in walking");
  report_text(report,
              "30 joints and a floating base, 1260 cells of 0.34 m/s² noise, encoders of "
              "1e-3 rad and IMU at 1 kHz, seed 201. KF3 with the best density for the run.");
  struct table *table =
      table_create("RMS error of ddq (rad/s²)", "case", "KF3", "best encoder", "skin UKF",
                   "to KF3 at skin", "to KF3, all", "lag (ms)", "NEES", "NIS skin", NULL);
  for (int i = 0; i < CASES; i++) {
    const struct joint_run_options options = {.robot = "humanoid30",
                                              .scenario = CASE[i].scenario,
                                              .encoder_noise = 1e-3,
                                              .rate_hz = 1000.0,
                                              .skin_hz = CASE[i].skin_hz,
                                              .skin_delay_s = CASE[i].skin_delay_s,
                                              .skin_errors = CASE[i].skin_errors,
                                              .strike_speed = CASE[i].strike_speed,
                                              .seconds = 6.0,
                                              .score_from_s = 1.0,
                                              .seed = 201};
    struct joint_run run = joint_run_of(&options);
    row_of(report, table, i, &run);
    if (i == 0) {
      draw(report, &run);
    }
    joint_run_free(&run);
  }
  report_table(report, table);
  return report_close(report);
}
