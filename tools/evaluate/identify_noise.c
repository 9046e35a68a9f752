/* propriod-identify on a simulated TX40 over encoder noise: is its default ever worse than what one
 * had? 20 runs per level, each with a motion, a prior and noise of its own. */
#include "identify/fit/robot_fit.h"
#include "report.h"
#include "sim_random.h"
#include "stock_robot.h"
#include "support/give_up.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 6, LEVELS = 7, RUNS = 20, SAMPLES = 8000, HARMONICS = 4, MOST = 128 };

static const double NOISE[LEVELS] = {1.7e-6, 3.7e-6, 7.9e-6, 1.7e-5, 3.7e-5, 7.9e-5, 1.7e-4};
static const double PERIOD = 1e-3, TORQUE_NOISE = 0.02; /* s; share of each joint's torque */
static const double PRIOR_OFF = 0.15; /* share, one deviation, of every body and drive */
static const bool all_kinds[DRIVE_KINDS] = {true, true, true, true};
static const vec3 up = {0.0, 0.0, STANDARD_GRAVITY};

/* What runs share. */
struct world {
  const struct model *model;
  struct unknowns u;
  struct log_map map;
  struct base_parameters base;
  double truth[MOST];
};

static void *memory(size_t bytes) {
  void *block = calloc(1, bytes);
  if (block == NULL) {
    give_up("identify_noise", "no memory");
  }
  return block;
}

static void make_world(struct world *w) {
  struct stock_robot stock;
  struct message error;
  if (stock_robot_load("tx40", "config/robots", &stock, &error) != STATUS_OK) {
    give_up("tx40", error.text);
  }
  w->model = &stock.robot->model;
  w->map = (struct log_map){.time_scale = 1.0, .rate_hz = 1.0 / PERIOD};
  for (size_t j = 0; j < JOINTS; j++) {
    struct log_joint *joint = &w->map.joint[j];
    joint->scale = joint->gain = joint->reduction = 1.0;
    snprintf(joint->position, sizeof(joint->position), "%zu", j + 1);
    snprintf(joint->torque, sizeof(joint->torque), "%zu", j + 1 + JOINTS);
  }
  w->u = unknowns_of(w->model, &w->map, all_kinds);
  unknowns_prior(&w->u, w->truth);
  if (base_parameters_find(&w->u, up, &w->base) != STATUS_OK) {
    give_up("identify_noise", "no base parameters");
  }
}

/* --- motion --- */

/* Sines of every joint, exact, and the truth's torques. */
static struct log_motion true_motion(const struct world *w, struct sim_random *random) {
  const size_t size = (size_t)SAMPLES * JOINTS * sizeof(double);
  struct log_motion m = {.n_joints = JOINTS, .n = SAMPLES, .dt = PERIOD, .cutoff_hz = 20.0};
  m.q = memory(size);
  m.dq = memory(size);
  m.ddq = memory(size);
  m.tau = memory(size);
  for (size_t j = 0; j < JOINTS; j++) {
    for (int h = 1; h <= HARMONICS; h++) {
      const double f = 2.0 * M_PI * 0.15 * h, size_h = 0.5 * sim_uniform(random, 0.3, 1.0) / h;
      const double phase = sim_uniform(random, 0.0, 2.0 * M_PI);
      for (size_t k = 0; k < SAMPLES; k++) {
        const double angle = f * PERIOD * (double)k + phase;
        m.q[k * JOINTS + j] += size_h * sin(angle);
        m.dq[k * JOINTS + j] += size_h * f * cos(angle);
        m.ddq[k * JOINTS + j] -= size_h * f * f * sin(angle);
      }
    }
  }
  const struct row_settings every = {.rate_hz = 1.0 / PERIOD};
  struct row_set rows;
  if (row_set_make(&w->u, &m, up, &every, &rows) != STATUS_OK) {
    give_up("identify_noise", "no torques");
  }
  for (size_t j = 0; j < JOINTS; j++) { /* row k is sample k + 1 */
    for (size_t k = 0; k < rows.n; k++) {
      m.tau[(k + 1) * JOINTS + j] = -row_residual(&rows.channel[j], k, w->truth);
    }
  }
  row_set_free(&rows);
  return m;
}

/* What encoders and torque sensors log of it, through the program's own door. */
static struct log_motion logged(const struct world *w, const struct log_motion *truth, double noise,
                                struct sim_random *random) {
  struct log_table table = {.n_columns = 2 * JOINTS, .n_rows = SAMPLES - 2};
  struct log_settings settings = {.border_s = -1.0};
  struct log_motion motion;
  struct message error;
  double scale[JOINTS] = {0.0};
  table.name = memory(2 * JOINTS * sizeof(*table.name));
  table.value = memory(table.n_rows * table.n_columns * sizeof(double));
  table.line = memory(table.n_rows * sizeof(size_t));
  for (size_t i = 0; i < table.n_columns; i++) {
    snprintf(table.name[i], LOG_NAME, "%zu", i + 1);
  }
  for (size_t i = 0; i < (size_t)SAMPLES * JOINTS; i++) {
    scale[i % JOINTS] += truth->tau[i] * truth->tau[i] / SAMPLES;
  }
  for (size_t k = 0; k < table.n_rows; k++) {
    double *row = table.value + k * table.n_columns;
    for (size_t j = 0; j < JOINTS; j++) {
      const size_t at = (k + 1) * JOINTS + j;
      row[j] = truth->q[at] + noise * sim_normal(random);
      row[JOINTS + j] = truth->tau[at] + TORQUE_NOISE * sqrt(scale[j]) * sim_normal(random);
    }
  }
  if (log_motion_make(&table, &w->map, w->model, &settings, "simulated", &motion, &error) !=
      STATUS_OK) {
    give_up("identify_noise", error.text);
  }
  log_table_free(&table);
  return motion;
}

static struct row_set rows_of(const struct world *w, const struct log_motion *motion) {
  const struct row_settings settings = row_defaults();
  struct row_set rows;
  if (row_set_make(&w->u, motion, up, &settings, &rows) != STATUS_OK) {
    give_up("identify_noise", "no rows");
  }
  return rows;
}

/* Every body and drive off by a share of its own, as a whole, so that bodies can still be. */
static void make_prior(const struct world *w, struct sim_random *random, double *prior) {
  double share = 1.0;
  for (size_t i = 0; i < w->u.n; i++) {
    const bool anew = i >= CONVEX_TEN * w->u.bodies || i % CONVEX_TEN == 0;
    share = anew ? fmax(0.3, 1.0 + PRIOR_OFF * sim_normal(random)) : share;
    prior[i] = share * w->truth[i];
  }
}

/* --- runs --- */

enum { PRIOR, WLS, DEFAULT, WAYS };

struct result {
  double error[WAYS]; /* on noise-free unseen motion */
  double lambda, gap; /* of the default; the gap as a share of its cost */
  bool physical;
};

static struct robot_fit fit_of(const struct world *w, const struct row_set *rows,
                               const double *prior, enum fit_method method) {
  struct fit_settings settings = fit_defaults();
  struct robot_fit fit;
  settings.method = method;
  settings.train_share = 1.0;
  if (robot_fit_make(&w->u, rows, &w->base, prior, &settings, &fit) != STATUS_OK) {
    give_up("identify_noise", "no fit");
  }
  return fit;
}

static struct result run(const struct world *w, int level, int seed) {
  struct sim_random random = sim_random_from((uint64_t)seed, (uint64_t)level);
  double prior[MOST];
  struct log_motion truth = true_motion(w, &random), unseen = true_motion(w, &random);
  struct log_motion log = logged(w, &truth, NOISE[level], &random);
  unseen.n -= 100; /* the last instants have no torque */
  struct row_set rows = rows_of(w, &log), judge = rows_of(w, &unseen);
  make_prior(w, &random, prior);
  struct robot_fit wls = fit_of(w, &rows, prior, FIT_WLS);
  struct robot_fit ours = fit_of(w, &rows, prior, FIT_PC_IRLS);
  const struct result result = {.error = {robot_fit_error(&judge, prior, 1, judge.n).total,
                                          robot_fit_error(&judge, wls.x, 1, judge.n).total,
                                          robot_fit_error(&judge, ours.x, 1, judge.n).total},
                                .lambda = ours.lambda,
                                .gap = ours.gap / ours.cost,
                                .physical = ours.physical};
  robot_fit_free(&wls);
  robot_fit_free(&ours);
  row_set_free(&rows);
  row_set_free(&judge);
  log_motion_free(&truth);
  log_motion_free(&unseen);
  log_motion_free(&log);
  return result;
}

int main(int argc, char **argv) {
  struct report *report = report_open(argc > 1 ? argv[1] : "build/evaluate", "identify_noise",
                                      "A simulated arm, identified over encoder noise");
  static struct world world;
  double mean[WAYS][LEVELS] = {{0.0}}, worst_level = 0.0, worst_gap = 0.0, unphysical = 0.0;
  make_world(&world);
  report_text(
      report,
      "A TX40, 8 s at 1 kHz, torques with %.0f %% noise, a prior whose bodies and drives are "
      "each %.0f %% off (one deviation); %d runs per level. Errors are shares of the torque "
      "on another motion without noise.",
      100.0 * TORQUE_NOISE, 100.0 * PRIOR_OFF, RUNS);
  struct table *table =
      table_create("Mean torque error on unseen motion (%)", "encoder noise (rad)", "prior",
                   "filtered WLS", "default", "to the better of both", "mean lambda", NULL);
  for (int level = 0; level < LEVELS; level++) {
    double lambda[RUNS];
    for (int seed = 0; seed < RUNS; seed++) {
      const struct result r = run(&world, level, seed);
      for (int way = 0; way < WAYS; way++) {
        mean[way][level] += r.error[way] / RUNS;
      }
      lambda[seed] = log10(r.lambda);
      worst_gap = fmax(worst_gap, r.gap);
      unphysical += !r.physical;
    }
    double middle = 0.0;
    for (int seed = 0; seed < RUNS; seed++) {
      middle += lambda[seed] / RUNS;
    }
    const double best = fmin(mean[PRIOR][level], mean[WLS][level]);
    const double ratio = mean[DEFAULT][level] / best;
    char label[32];
    snprintf(label, sizeof(label), "%.1e", NOISE[level]);
    table_row(table, label);
    for (int way = 0; way < WAYS; way++) {
      table_number(table, "%.3f", 100.0 * mean[way][level]);
    }
    table_number(table, "%.3f", ratio);
    table_number(table, "%.2g", pow(10.0, middle));
    worst_level = fmax(worst_level, ratio);
  }
  report_table(report, table);
  struct plot *plot = plot_create("Torque error on unseen motion", "encoder noise (log10 rad)");
  double x[LEVELS];
  static const char *const name[WAYS] = {"prior", "filtered WLS", "default"};
  plot_panel(plot, "share of the torque");
  plot_log_y(plot);
  for (int level = 0; level < LEVELS; level++) {
    x[level] = log10(NOISE[level]);
  }
  for (int way = 0; way < WAYS; way++) {
    plot_line(plot, name[way], x, mean[way], LEVELS);
  }
  report_plot(report, plot, "noise");
  report_at_most(report, "default's error to the better of prior and WLS, worst level", worst_level,
                 1.05, "");
  report_at_most(report, "runs without physical bodies, of 140", unphysical, 0.0, "");
  report_at_most(report, "worst gap to the cost", worst_gap, 1e-6, "");
  return report_close(report);
}
