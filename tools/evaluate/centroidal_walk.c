/* Walking: Ficht and Behnke's Table I rebuilt, centre of pressure by phase, momentum, tilt and
 * height. Tuned on seed 99, evaluated on others. */
#include "report.h"
#include "support/centroidal_run.h"
#include "support/error_sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 3, AXES = 3, PHASES = 4, TRACE = 3000 };

static const uint64_t seeds[SEEDS] = {11, 12, 13};
static const uint64_t tuning_seed = 99;
static const double rest_s = 2.0, walk_s = 12.0, strike_s = 0.05;

/* A row of the paper's table: which robot, how fast, how it puts its feet down. */
struct walk_case {
  const char *name, *robot;
  double rate_hz, strike_speed;
  double gain; /* asked: acceleration along x at most this part of IMU only's, with skin */
};

static const struct walk_case cases[] = {
    {"18 joints, 100 Hz, soft", "humanoid18", 100.0, 0.0, 0.35},
    {"18 joints, 100 Hz, hard", "humanoid18", 100.0, 0.3, 0.55},
    {"30 joints, 1 kHz, soft", "humanoid30", 1000.0, 0.0, 0.35},
    {"30 joints, 1 kHz, hard", "humanoid30", 1000.0, 0.3, 0.55},
};
enum { CASES = sizeof(cases) / sizeof(cases[0]) };

/* What is collected over the seeds of one case. */
static struct collected {
  struct error_sample acceleration[WAYS][AXES], velocity[WAYS][AXES];
  struct error_sample cop[WAYS][PHASES], inside[PHASES]; /* m; 0 or 1: within two deviations */
  double momentum_error, momentum_size, five_error;      /* sums of squares */
  double tilt_sum, height_worst;
  size_t n, flagged, strikes;
} sum;

static struct trace {
  size_t n;
  double t[TRACE], truth[TRACE], way[WAYS][TRACE], cop[TRACE], cop_truth[TRACE], low[TRACE],
      high[TRACE];
} trace;

/* The phase that the truth is in: a strike is the time after a foot that was in the air has come
 * down. */
struct true_phase {
  bool contact[ROBOT_MAX_FEET];
  double since_strike, air[ROBOT_MAX_FEET];
};

static int step_phase(struct true_phase *phase, const struct sim_truth *truth, double dt) {
  int feet = 0;
  phase->since_strike += dt;
  for (size_t f = 0; f < truth->n_feet; f++) {
    if (truth->foot_contact[f] && !phase->contact[f] && phase->air[f] > strike_s) {
      phase->since_strike = 0.0;
    }
    phase->air[f] = truth->foot_contact[f] ? 0.0 : phase->air[f] + dt;
    phase->contact[f] = truth->foot_contact[f];
    feet += truth->foot_contact[f];
  }
  return phase->since_strike < strike_s ? SUPPORT_STRIKE : feet > 1 ? SUPPORT_DOUBLE : feet;
}

static void add_axes(struct error_sample sample[AXES], vec3 e) {
  error_add(&sample[0], e.x);
  error_add(&sample[1], e.y);
  error_add(&sample[2], e.z);
}

/* What the accelerometer alone gives: all mass accelerates as the IMU does, and nothing turns. */
static vec3 cop_of_imu(const struct propriod_centroidal *out, double ground) {
  const vec3 a = out->com_acceleration;
  const double h = out->com_position.z - ground, f_z = a.z + STANDARD_GRAVITY;
  return (vec3){out->com_position.x - h * a.x / f_z, out->com_position.y - h * a.y / f_z, ground};
}

static void score_cop(const struct centroidal_run *run, int w, int phase) {
  const struct sim_truth *truth = sim_truth(run->sim);
  const struct propriod_centroidal *out = &run->out[w];
  if ((out->estimated & PROPRIOD_CENTROIDAL_COP) == 0 || !truth->cop_valid) {
    return;
  }
  const vec3 cop = w == WAY_IMU ? cop_of_imu(out, out->cop_position.z) : out->cop_position;
  const vec3 e = point_error(run, w, cop, truth->cop_W);
  error_add(&sum.cop[w][phase], hypot(e.x, e.y));
  if (w == WAY_SKIN) {
    error_add(&sum.inside[phase],
              fabs(e.x) <= 2.0 * out->cop_sd.x && fabs(e.y) <= 2.0 * out->cop_sd.y);
  }
}

static void score_whole(const struct centroidal_run *run, int phase) {
  const struct sim_truth *truth = sim_truth(run->sim);
  const struct propriod_centroidal *out = &run->out[WAY_SKIN];
  const mat3 R = mat3_from_quat(run->state[WAY_SKIN].quat_xyzw);
  const vec3 up = vec3_from(R.m[2]), true_up = vec3_from(truth->base.X_WB.R.m[2]);
  const vec3 L = truth->angular_momentum_W;
  const vec3 e = vec3_sub(to_true_world(run, WAY_SKIN, out->angular_momentum), L),
             five = vec3_sub(to_true_world(run, WAY_SKIN, out->five_mass_angular_momentum), L);
  sum.momentum_error += vec3_dot(e, e);
  sum.five_error += vec3_dot(five, five);
  sum.momentum_size += vec3_dot(L, L);
  sum.tilt_sum += vec3_norm(vec3_cross(up, true_up)) * 180.0 / M_PI;
  sum.height_worst =
      fmax(sum.height_worst, fabs(run->state[WAY_SKIN].base_position.z - truth->base.X_WB.p.z));
  sum.n++;
  sum.strikes += phase == SUPPORT_STRIKE;
  sum.flagged += phase == SUPPORT_STRIKE && out->support_phase == SUPPORT_STRIKE;
}

static void keep_trace(const struct centroidal_run *run) {
  const struct sim_truth *truth = sim_truth(run->sim);
  if (trace.n == TRACE || run->t < 6.0) {
    return;
  }
  const size_t i = trace.n++;
  const struct propriod_centroidal *skin = &run->out[WAY_SKIN];
  trace.t[i] = run->t;
  trace.truth[i] = truth->com_acceleration_W.x;
  for (int w = 0; w < WAYS; w++) {
    trace.way[w][i] = to_true_world(run, w, run->out[w].com_acceleration).x;
  }
  const bool valid = (skin->estimated & PROPRIOD_CENTROIDAL_COP) != 0 && truth->cop_valid;
  const vec3 e = point_error(run, WAY_SKIN, skin->cop_position, truth->cop_W);
  trace.cop_truth[i] = truth->cop_valid ? truth->cop_W.y : (double)NAN;
  trace.cop[i] = valid ? truth->cop_W.y + e.y : (double)NAN;
  trace.low[i] = trace.cop[i] - 2.0 * skin->cop_sd.y;
  trace.high[i] = trace.cop[i] + 2.0 * skin->cop_sd.y;
}

static void walk(const struct stock_robot *stock, const struct sim_options *options,
                 const struct encoder_tuning *tuning, bool traced) {
  static struct centroidal_run run;
  struct true_phase phase = {.since_strike = 1.0};
  centroidal_run_begin(&run, stock, options, true, tuning);
  while (centroidal_run_step(&run)) {
    const struct sim_truth *truth = sim_truth(run.sim);
    const int now = step_phase(&phase, truth, run.dt);
    if (run.t < rest_s) {
      continue;
    }
    for (int w = 0; w < WAYS; w++) {
      const vec3 a = to_true_world(&run, w, run.out[w].com_acceleration),
                 v = to_true_world(&run, w, run.out[w].com_velocity);
      add_axes(sum.acceleration[w], vec3_sub(a, truth->com_acceleration_W));
      add_axes(sum.velocity[w], vec3_sub(v, truth->com_velocity_W));
      score_cop(&run, w, now);
    }
    score_whole(&run, now);
    if (traced) {
      keep_trace(&run);
    }
  }
  centroidal_run_end(&run);
}

static struct sim_options walk_options(const struct walk_case *c, const struct stock_robot *stock,
                                       uint64_t seed) {
  struct sim_options options = centroidal_run_options(stock, "walk", c->rate_hz, seed);
  options.duration_s = walk_s;
  options.walk.strike_speed = c->strike_speed;
  return options;
}

static void report_errors(struct report *report, const struct walk_case *c) {
  static const char axes[AXES] = "xyz";
  char title[96], name[128];
  snprintf(title, sizeof(title), "%s: centre of mass, error (mean absolute; median, deviation)",
           c->name);
  struct table *table =
      table_create(title, "way", "a x", "a y", "a z (m/s²)", "median a x", "sd a x", "sd a y",
                   "sd a z", "v x", "v y", "v z (m/s)", "sd v x", NULL);
  for (int w = 0; w < WAYS; w++) {
    table_row(table, way_name[w]);
    for (int a = 0; a < AXES; a++) {
      table_number(table, "%.3f", error_mean_absolute(&sum.acceleration[w][a]));
    }
    table_number(table, "%.3f", error_median(&sum.acceleration[w][0]));
    for (int a = 0; a < AXES; a++) {
      table_number(table, "%.3f", error_deviation(&sum.acceleration[w][a]));
    }
    for (int a = 0; a < AXES; a++) {
      table_number(table, "%.4f", error_mean_absolute(&sum.velocity[w][a]));
    }
    table_number(table, "%.4f", error_deviation(&sum.velocity[w][0]));
  }
  report_table(report, table);
  const double imu = error_mean_absolute(&sum.acceleration[WAY_IMU][0]);
  snprintf(name, sizeof(name), "%s: acceleration x with skin, of IMU only", c->name);
  report_at_most(report, name, error_mean_absolute(&sum.acceleration[WAY_SKIN][0]) / imu, c->gain,
                 "");
  static const double soft_gain[AXES] = {0.5, 1.0, 1.0}, hard_gain[AXES] = {0.55, 0.95, 0.6};
  const double *gain = c->strike_speed > 0.0 ? hard_gain : soft_gain;
  for (int a = 0; a < AXES; a++) {
    snprintf(name, sizeof(name), "%s: acceleration %c without skin, of IMU only", c->name, axes[a]);
    report_at_most(report, name,
                   error_mean_absolute(&sum.acceleration[WAY_ENCODERS][a]) /
                       error_mean_absolute(&sum.acceleration[WAY_IMU][a]),
                   gain[a], "");
  }
  for (int a = 0; a < AXES; a++) {
    snprintf(name, sizeof(name), "%s: acceleration %c with skin, of IMU only", c->name, axes[a]);
    report_at_most(report, name,
                   error_mean_absolute(&sum.acceleration[WAY_SKIN][a]) /
                       error_mean_absolute(&sum.acceleration[WAY_IMU][a]),
                   1.0, "");
    snprintf(name, sizeof(name), "%s: velocity %c with skin", c->name, axes[a]);
    if (c->strike_speed > 0.0) {
      report_figure(report, name, error_mean_absolute(&sum.velocity[WAY_SKIN][a]), "m/s");
    } else {
      report_at_most(report, name, error_mean_absolute(&sum.velocity[WAY_SKIN][a]), 0.01, "m/s");
    }
  }
}

static void report_cop(struct report *report, const struct walk_case *c) {
  char title[96], name[128];
  snprintf(title, sizeof(title), "%s: centre of pressure, mean error (mm)", c->name);
  struct table *table = table_create(title, "way", "single", "double", "strike", NULL);
  for (int w = 0; w < WAYS; w++) {
    table_row(table, way_name[w]);
    for (int phase = SUPPORT_SINGLE; phase <= SUPPORT_STRIKE; phase++) {
      table_number(table, "%.1f", 1e3 * error_mean_absolute(&sum.cop[w][phase]));
    }
  }
  report_table(report, table);
  static const char *const phases[PHASES] = {"", "single", "double", "strike"};
  for (int phase = SUPPORT_SINGLE; phase <= SUPPORT_DOUBLE; phase++) {
    snprintf(name, sizeof(name), "%s: centre of pressure, %s support, skin", c->name,
             phases[phase]);
    report_at_most(report, name, 1e3 * error_mean_absolute(&sum.cop[WAY_SKIN][phase]), 15.0, "mm");
    snprintf(name, sizeof(name), "%s: centre of pressure, %s support, encoders", c->name,
             phases[phase]);
    report_at_most(report, name, 1e3 * error_mean_absolute(&sum.cop[WAY_ENCODERS][phase]), 30.0,
                   "mm");
  }
  snprintf(name, sizeof(name), "%s: centre of pressure at strikes within two deviations", c->name);
  report_at_least(report, name, error_mean_absolute(&sum.inside[SUPPORT_STRIKE]), 0.9, "");
  snprintf(name, sizeof(name), "%s: centre of pressure in support within two deviations", c->name);
  report_figure(report, name, error_mean_absolute(&sum.inside[SUPPORT_SINGLE]), "");
  snprintf(name, sizeof(name), "%s: part of strikes' time flagged", c->name);
  report_figure(report, name, (double)sum.flagged / (double)sum.strikes, "");
}

static void report_whole(struct report *report, const struct walk_case *c) {
  char name[128];
  snprintf(name, sizeof(name), "%s: angular momentum, relative error", c->name);
  report_at_most(report, name, sqrt(sum.momentum_error / sum.momentum_size), 0.08, "");
  snprintf(name, sizeof(name), "%s: angular momentum of five masses, relative error", c->name);
  report_figure(report, name, sqrt(sum.five_error / sum.momentum_size), "");
  snprintf(name, sizeof(name), "%s: tilt, mean", c->name);
  report_at_most(report, name, sum.tilt_sum / (double)sum.n, c->strike_speed > 0.0 ? 0.3 : 0.1,
                 "degrees");
  snprintf(name, sizeof(name), "%s: height, worst", c->name);
  report_at_most(report, name, 1e3 * sum.height_worst, 15.0, "mm");
}

static void plot_trace(struct report *report, const char *name) {
  struct plot *plot = plot_create("Centre of mass and of pressure in walking", "time (s)");
  plot_panel(plot, "acceleration x (m/s²)");
  plot_line(plot, "truth", trace.t, trace.truth, trace.n);
  plot_line(plot, way_name[WAY_IMU], trace.t, trace.way[WAY_IMU], trace.n);
  plot_line(plot, way_name[WAY_SKIN], trace.t, trace.way[WAY_SKIN], trace.n);
  plot_panel(plot, "centre of pressure y (m)");
  plot_band(plot, "two deviations", trace.t, trace.low, trace.high, trace.n);
  plot_line(plot, "truth", trace.t, trace.cop_truth, trace.n);
  plot_line(plot, way_name[WAY_SKIN], trace.t, trace.cop, trace.n);
  report_plot(report, plot, name);
}

static void evaluate(struct report *report, const struct walk_case *c) {
  struct stock_robot stock;
  struct message error;
  if (stock_robot_load(c->robot, "config/robots", &stock, &error) != STATUS_OK) {
    give_up(c->robot, error.text);
  }
  const struct sim_options tune = walk_options(c, &stock, tuning_seed);
  const struct encoder_tuning tuning = tune_encoders(&stock, &tune);
  memset(&sum, 0, sizeof(sum));
  trace.n = 0;
  for (int s = 0; s < SEEDS; s++) {
    const struct sim_options options = walk_options(c, &stock, seeds[s]);
    walk(&stock, &options, &tuning, s == 0);
  }
  report_cop(report, c);
  report_whole(report, c);
  report_errors(report, c); /* sorts */
  plot_trace(report, c->rate_hz < 250.0 ? (c->strike_speed > 0.0 ? "18-hard" : "18-soft")
                                        : (c->strike_speed > 0.0 ? "30-hard" : "30-soft"));
  robot_destroy(stock.robot);
}

int main(int argc, char **argv) {
  struct report *report = report_open(argc > 1 ? argv[1] : "build/evaluate", "centroidal_walk",
                                      "Walking without force sensors: Table I rebuilt");
  report_text(report,
              "10 s of walking, seeds 11 to 13; encoder-only filters tuned on seed 99. Errors in "
              "the world's axes, yaw taken out. Strikes: 50 ms after a foot comes down.");
  for (int c = 0; c < CASES; c++) {
    if (argc < 3 || atoi(argv[2]) == c) {
      evaluate(report, &cases[c]);
    }
  }
  return report_close(report);
}
