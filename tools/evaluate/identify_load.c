/* propriod-identify payload and gains on a simulated TX40: what 2 kg weigh to torque sensors whose
 * gains are 1 % off, and what known 2 kg say of gains that are 10 % off. Ten runs each, with a
 * motion, gains and noise of their own. */
#include "identify/fit/load_fit.h"
#include "inertia/pseudo_inertia.h"
#include "report.h"
#include "sim_random.h"
#include "stock_robot.h"
#include "support/give_up.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 6, RUNS = 10, SAMPLES = 3000, MOST = 128, TEN = INERTIA_PARAMETERS };

static const double PERIOD = 1e-2, NOISE = 0.01; /* s; share of each joint's torque, of a sample */
static const bool all_kinds[DRIVE_KINDS] = {true, true, true, true};
static const vec3 up = {0.0, 0.0, STANDARD_GRAVITY}, com = {0.03, -0.02, 0.12};

struct world {
  const struct model *model;
  struct unknowns u;
  double truth[MOST];
  struct inertia load;
};

static double *numbers(size_t n) {
  double *block = calloc(n, sizeof(*block));
  if (block == NULL) {
    give_up("identify_load", "no memory");
  }
  return block;
}

static void make_world(struct world *w) {
  static const mat3 I = {{{4e-3, 0.0, 0.0}, {0.0, 5e-3, 0.0}, {0.0, 0.0, 3e-3}}};
  static const struct log_map map = {.rate_hz = 1e2};
  struct stock_robot stock;
  struct message error;
  if (stock_robot_load("tx40", "config/robots", &stock, &error) != STATUS_OK) {
    give_up("tx40", error.text);
  }
  w->model = &stock.robot->model;
  w->u = unknowns_of(w->model, &map, all_kinds);
  unknowns_prior(&w->u, w->truth);
  w->load = inertia_of_body(2.0, com, &I);
}

/* A sine of every joint. */
static struct log_motion motion_of(struct sim_random *random) {
  const size_t size = (size_t)SAMPLES * JOINTS;
  struct log_motion m = {.n_joints = JOINTS, .n = SAMPLES, .dt = PERIOD, .cutoff_hz = 10.0};
  m.q = numbers(size);
  m.dq = numbers(size);
  m.ddq = numbers(size);
  m.tau = numbers(size);
  for (size_t j = 0; j < JOINTS; j++) {
    const double w = sim_uniform(random, 1.0, 4.0), phase = sim_uniform(random, 0.0, 6.0);
    for (size_t k = 0; k < SAMPLES; k++) {
      const double angle = w * PERIOD * (double)k + phase;
      m.q[k * JOINTS + j] = 0.9 * sin(angle);
      m.dq[k * JOINTS + j] = 0.9 * w * cos(angle);
      m.ddq[k * JOINTS + j] = -0.9 * w * w * sin(angle);
    }
  }
  return m;
}

/* Rows of a motion, their torques as sensors of these gains tell them, with a load or without. */
static struct row_set measured(const struct world *w, const struct log_motion *motion, bool loaded,
                               const double *gain, struct sim_random *random) {
  const struct row_settings settings = row_defaults();
  struct row_set rows;
  double x[MOST], load[TEN];
  memcpy(x, w->truth, sizeof(x));
  inertia_to(&w->load, load);
  for (int k = 0; k < TEN && loaded; k++) {
    x[TEN * (JOINTS - 1) + k] += load[k];
  }
  if (row_set_make(&w->u, motion, up, &settings, &rows) != STATUS_OK) {
    give_up("identify_load", "no rows");
  }
  for (size_t j = 0; j < JOINTS; j++) {
    struct channel_rows *joint = &rows.channel[j];
    double squares = 0.0;
    for (size_t k = 0; k < rows.n; k++) {
      joint->tau[k] = 0.0;
      joint->tau[k] = -gain[j] * row_residual(joint, k, x);
      squares += joint->tau[k] * joint->tau[k] / (double)rows.n;
    }
    for (size_t k = 0; k < rows.n; k++) {
      joint->tau[k] += NOISE * sqrt(squares) * sim_normal(random);
    }
  }
  return rows;
}

static struct load_fit fit_of(const struct world *w, struct sim_random *random, double gain_error,
                              const struct load_settings *settings, double *gain) {
  struct log_motion motion = motion_of(random);
  struct load_fit fit;
  double prior[MOST];
  for (size_t j = 0; j < JOINTS; j++) {
    gain[j] = 1.0 + gain_error * sim_normal(random);
  }
  for (size_t i = 0; i < w->u.n; i++) { /* what is known of the robot is a tenth off */
    prior[i] = (i % 20 < 10 ? 1.1 : 0.9) * w->truth[i];
  }
  struct row_set without = measured(w, &motion, false, gain, random);
  struct row_set with = measured(w, &motion, true, gain, random);
  if (load_fit_make(&w->u, &without, &with, prior, settings, &fit) != STATUS_OK) {
    give_up("identify_load", "no load is found");
  }
  row_set_free(&without);
  row_set_free(&with);
  log_motion_free(&motion);
  return fit;
}

static void weigh(const struct world *w, struct report *report) {
  static const mat3 ball = {{{1e-3, 0.0, 0.0}, {0.0, 1e-3, 0.0}, {0.0, 0.0, 1e-3}}};
  const struct load_settings settings = {
      .link = JOINTS, .gain_sd = 0.01, .load = inertia_of_body(1.0, (vec3){0.0, 0.0, 0.05}, &ball)};
  double worst_mass = 0.0, worst_com = 0.0, sigmas = 0.0, cannot_be = 0.0;
  struct table *table = table_create("A load of 2 kg, sensors' gains 1 % off", "run", "mass (kg)",
                                     "deviation", "centre off by (mm)", "deviation", NULL);
  for (int run = 0; run < RUNS; run++) {
    struct sim_random random = sim_random_from((uint64_t)run, 1);
    double gain[JOINTS];
    const struct load_fit fit = fit_of(w, &random, 0.01, &settings, gain);
    const vec3 off = vec3_sub(fit.com, com);
    char label[16];
    snprintf(label, sizeof(label), "%d", run + 1);
    table_row(table, label);
    table_number(table, "%.4f", fit.load.m);
    table_number(table, "%.4f", fit.mass_sd);
    table_number(table, "%.2f", 1e3 * vec3_norm(off));
    table_number(table, "%.2f", 1e3 * vec3_norm(fit.com_sd));
    worst_mass = fmax(worst_mass, fabs(fit.load.m / 2.0 - 1.0));
    worst_com = fmax(worst_com, vec3_norm(off));
    sigmas = fmax(sigmas, fabs(fit.load.m - 2.0) / fit.mass_sd);
    sigmas = fmax(sigmas, fmax(fabs(off.x) / fit.com_sd.x,
                               fmax(fabs(off.y) / fit.com_sd.y, fabs(off.z) / fit.com_sd.z)));
    cannot_be += inertia_consistency(&fit.load, 0.0, NULL) != STATUS_OK;
  }
  report_table(report, table);
  report_at_most(report, "payload: mass, worst run", 100.0 * worst_mass, 2.0, "%");
  report_at_most(report, "payload: centre of mass, worst run", 1e3 * worst_com, 5.0, "mm");
  report_at_most(report, "payload: worst of mass and centre, own deviations", sigmas, 3.0, "");
  report_at_most(report, "payload: runs with a body that cannot be", cannot_be, 0.0, "");
}

static void find_gains(const struct world *w, struct report *report) {
  const struct load_settings settings = {
      .link = JOINTS, .gain_sd = 0.3, .known = true, .load = w->load};
  double worst[JOINTS] = {0.0}, sd[JOINTS] = {0.0}, told = 0.0;
  for (int run = 0; run < RUNS; run++) {
    struct sim_random random = sim_random_from((uint64_t)run, 2);
    double gain[JOINTS];
    const struct load_fit fit = fit_of(w, &random, 0.1, &settings, gain);
    for (size_t j = 0; j < JOINTS; j++) {
      worst[j] = fmax(worst[j], fabs(gain[j] / (1.0 + fit.gain[j]) - 1.0));
      sd[j] = fmax(sd[j], fit.gain_sd[j]);
    }
  }
  struct table *table = table_create("Gains that are 10 % off, by a known load of 2 kg", "joint",
                                     "left of the error, worst run (%)", "deviation (%)", NULL);
  for (size_t j = 0; j < JOINTS; j++) {
    table_row(table, w->model->joint[j].name);
    table_number(table, "%.3f", 100.0 * worst[j]);
    table_number(table, "%.3f", 100.0 * sd[j]);
    told = j >= 1 && j <= 4 ? fmax(told, worst[j]) : told; /* where the load's weight is felt */
  }
  report_table(report, table);
  report_at_most(report, "gains of joints that feel the load's weight, worst run", 100.0 * told,
                 1.0, "%");
  report_figure(report, "gain of the first joint, which feels no weight", 100.0 * worst[0], "%");
  report_figure(report, "gain of the last joint, 4 cm beside the load", 100.0 * worst[JOINTS - 1],
                "%");
}

int main(int argc, char **argv) {
  struct report *report = report_open(argc > 1 ? argv[1] : "build/evaluate", "identify_load",
                                      "A load, and torque sensors, identified by two logs");
  static struct world world;
  make_world(&world);
  report_text(report,
              "A TX40, two logs of 30 s without and with 2 kg at its flange, noise of %.0f %% of "
              "each joint's torque, bodies and drives known to a tenth; %d runs.",
              100.0 * NOISE, RUNS);
  weigh(&world, report);
  find_gains(&world, report);
  return report_close(report);
}
