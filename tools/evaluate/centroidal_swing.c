/* Standing, arms swinging: the centre of mass that the IMU does not feel (the paper's figure 5),
 * and the one that rests while the IMU moves. */
#include "report.h"
#include "support/centroidal_run.h"

#include <math.h>
#include <string.h>

enum { TRACE = 8000, MOST_LAG = 40 };

static struct trace {
  size_t n;
  double t[TRACE], truth[TRACE], way[WAYS][TRACE];
  double error[WAYS], cop_sum, cop_n;
} trace;

static void record(const struct centroidal_run *run) {
  const struct sim_truth *truth = sim_truth(run->sim);
  const struct propriod_centroidal *skin = &run->out[WAY_SKIN];
  const size_t i = trace.n++;
  trace.t[i] = run->t;
  trace.truth[i] = truth->com_acceleration_W.x;
  for (int w = 0; w < WAYS; w++) {
    const vec3 a = to_true_world(run, w, run->out[w].com_acceleration);
    trace.way[w][i] = a.x;
    trace.error[w] += fabs(a.x - truth->com_acceleration_W.x);
  }
  if ((skin->estimated & PROPRIOD_CENTROIDAL_COP) != 0 && truth->cop_valid) {
    const vec3 e = point_error(run, WAY_SKIN, skin->cop_position, truth->cop_W);
    trace.cop_sum += hypot(e.x, e.y);
    trace.cop_n += 1.0;
  }
}

static void simulate(const struct stock_robot *stock, const char *scenario,
                     const struct encoder_tuning *tuning, uint64_t seed) {
  static struct centroidal_run run;
  struct sim_options options = centroidal_run_options(stock, scenario, 1000.0, seed);
  options.duration_s = 8.0;
  memset(&trace, 0, sizeof(trace));
  centroidal_run_begin(&run, stock, &options, true, tuning);
  while (centroidal_run_step(&run)) {
    if (run.t >= 3.0 && trace.n < TRACE) {
      record(&run);
    }
  }
  centroidal_run_end(&run);
}

static double rms(const double *x, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) {
    sum += x[i] * x[i];
  }
  return sqrt(sum / (double)n);
}

/* Correlation of the estimate with the truth `lag` samples before. */
static double correlation(const double *x, const double *truth, size_t n, size_t lag) {
  double xx = 0.0, yy = 0.0, xy = 0.0, mx = 0.0, my = 0.0;
  const double count = (double)(n - lag);
  for (size_t i = lag; i < n; i++) {
    mx += x[i] / count;
    my += truth[i - lag] / count;
  }
  for (size_t i = lag; i < n; i++) {
    const double a = x[i] - mx, b = truth[i - lag] - my;
    xx += a * a;
    yy += b * b;
    xy += a * b;
  }
  return xy / sqrt(xx * yy);
}

static size_t best_lag(const double *x) {
  size_t best = 0;
  for (size_t lag = 1; lag < MOST_LAG; lag++) {
    best = correlation(x, trace.truth, trace.n, lag) > correlation(x, trace.truth, trace.n, best)
               ? lag
               : best;
  }
  return best;
}

static void plot_trace(struct report *report, const char *title, const char *name) {
  struct plot *plot = plot_create(title, "time (s)");
  plot_panel(plot, "acceleration x (m/s²)");
  plot_line(plot, "truth", trace.t, trace.truth, trace.n);
  plot_line(plot, way_name[WAY_IMU], trace.t, trace.way[WAY_IMU], trace.n);
  plot_line(plot, way_name[WAY_SKIN], trace.t, trace.way[WAY_SKIN], trace.n);
  report_plot(report, plot, name);
}

static void evaluate_swing(struct report *report) {
  struct table *table = table_create("Arm swing: acceleration along x", "way", "correlation",
                                     "lag (ms)", "mean error (m/s²)", NULL);
  for (int w = 0; w < WAYS; w++) {
    table_row(table, way_name[w]);
    table_number(table, "%.3f", correlation(trace.way[w], trace.truth, trace.n, 0));
    table_number(table, "%.0f", (double)best_lag(trace.way[w]));
    table_number(table, "%.3f", trace.error[w] / (double)trace.n);
  }
  report_table(report, table);
  report_at_least(report, "arm swing: the centre of mass really accelerates, rms",
                  rms(trace.truth, trace.n), 0.3, "m/s²");
  report_at_least(report, "arm swing: correlation",
                  correlation(trace.way[WAY_SKIN], trace.truth, trace.n, 0), 0.95, "");
  report_at_most(report, "arm swing: lag", (double)best_lag(trace.way[WAY_SKIN]), 10.0, "ms");
  report_at_most(report, "standing with swinging arms: centre of pressure",
                 1e3 * trace.cop_sum / trace.cop_n, 5.0, "mm");
}

int main(int argc, char **argv) {
  struct stock_robot stock;
  struct message error;
  struct report *report = report_open(argc > 1 ? argv[1] : "build/evaluate", "centroidal_swing",
                                      "Arms that swing, with and without the centre of mass");
  if (stock_robot_load("humanoid30", "config/robots", &stock, &error) != STATUS_OK) {
    give_up("humanoid30", error.text);
  }
  struct sim_options tune = centroidal_run_options(&stock, "arm-swing", 1000.0, 99);
  tune.duration_s = 6.0;
  const struct encoder_tuning tuning = tune_encoders(&stock, &tune);
  simulate(&stock, "arm-swing", &tuning, 31);
  evaluate_swing(report);
  plot_trace(report, "Both arms swing", "swing");
  simulate(&stock, "arm-still", &tuning, 32);
  report_at_most(report, "centre of mass held still: error, of IMU only",
                 trace.error[WAY_SKIN] / trace.error[WAY_IMU], 0.2, "");
  report_figure(report, "centre of mass held still: error from encoders, of IMU only",
                trace.error[WAY_ENCODERS] / trace.error[WAY_IMU], "");
  plot_trace(report, "Arms swing, hips hold the centre of mass", "still");
  simulate(&stock, "stand", &tuning, 33);
  report_at_most(report, "standing: centre of pressure", 1e3 * trace.cop_sum / trace.cop_n, 5.0,
                 "mm");
  robot_destroy(stock.robot);
  return report_close(report);
}
