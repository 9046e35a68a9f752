/* What noise in the accelerations does to the centre of mass of an 8 kg load, without and with the
 * correction learned at rest, and whether the estimate knows. */
#include "report.h"
#include "support/inertial_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SEEDS = 30, CASES = 4, FILTERS = 2 };

static const unsigned long FIRST_SEED = 73000; /* settings were tuned on others */
static const char *const FILTER[FILTERS] = {"not corrected", "corrected"};

static const struct noisy_case {
  const char *name, *axis;
  struct weighed_noise noise;
  double share; /* of the full motion */
} CASE[CASES] = {
    {"ddq 1, base 0.3 rad/s^2, white", "white (mm)", {1.0, 0.3, 0.05, 2.0, 0.3, 0.0}, 1.0},
    {"ddq 1, base 1 rad/s^2, 20 Hz", "20 Hz (mm)", {1.0, 1.0, 0.05, 2.0, 0.3, 20.0}, 1.0},
    {"the same, 60 Hz, little motion",
     "60 Hz, little motion (mm)",
     {1.0, 1.0, 0.05, 2.0, 0.3, 60.0},
     0.3},
    {"20 Hz, 0.1 m/s^2, little motion",
     "20 Hz, little motion (mm)",
     {1.0, 1.0, 0.1, 2.0, 0.3, 20.0},
     0.3}};

struct outcome {
  double bias, squares, believed, worst_sigmas, outside;
  double error[SEEDS], sd[SEEDS];
  uint64_t alarms;
};

static void run(const struct noisy_case *noisy, unsigned long first, unsigned long seed,
                struct outcome outcome[FILTERS]) {
  struct world world;
  struct inertial_filter_settings corrected = inertial_filter_defaults(), plain = corrected;
  plain.correct_regressor = false;
  world_begin(&world, "inertial_regressor", first + seed);
  struct weighed_robot *robot = world.robot;
  robot->noise = noisy->noise;
  sine_motion_choose(&robot->sines, &robot->robot->model, &robot->random);
  world_add_filter(&world, &plain);
  world_add_filter(&world, &corrected);
  world_run(&world, 10.0);
  sine_motion_turn(&robot->sines, robot->t, noisy->share, 1.0);
  world_run(&world, 1.0);
  weighed_robot_load(robot, world.link, 8.0, (vec3){0.2, 0.05, 0.25}, 0.3);
  world_run(&world, 10.0);
  for (size_t k = 0; k < FILTERS; k++) {
    const struct world_error e = world_error(&world, k);
    struct outcome *o = &outcome[k];
    o->error[seed] = 1e3 * e.com.z;
    o->sd[seed] = 1e3 * world.result[k].link[0].com_sd.z;
    o->bias += o->error[seed] / SEEDS;
    o->squares += o->error[seed] * o->error[seed] / SEEDS;
    o->believed += o->sd[seed] / SEEDS;
    o->worst_sigmas = fmax(o->worst_sigmas, e.sigmas);
    o->outside += e.sigmas > 3.0;
    o->alarms += world.result[k].counters.changes;
  }
  world_end(&world);
}

static void report_case(struct report *report, const struct noisy_case *noisy,
                        const struct outcome outcome[FILTERS]) {
  struct table *table = table_create(noisy->name, "regressor's noise", "bias of CoM z (mm)",
                                     "RMS (mm)", "believed (mm)", "worst of mass, CoM (sigma)",
                                     "runs beyond three", "alarms a run", NULL);
  for (size_t k = 0; k < FILTERS; k++) {
    const struct outcome *o = &outcome[k];
    table_row(table, FILTER[k]);
    table_number(table, "%.1f", o->bias);
    table_number(table, "%.1f", sqrt(o->squares));
    table_number(table, "%.1f", o->believed);
    table_number(table, "%.1f", o->worst_sigmas);
    table_number(table, "%.0f", o->outside);
    table_number(table, "%.2f", (double)o->alarms / SEEDS);
  }
  report_table(report, table);
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: %s FOLDER [FIRST_SEED]\n", argv[0]);
    return 2;
  }
  const unsigned long first = argc > 2 ? strtoul(argv[2], NULL, 10) : FIRST_SEED;
  static struct outcome outcome[CASES][FILTERS];
  double number[SEEDS];
  struct report *report = report_open(argv[1], "inertial_regressor",
                                      "Noise in the accelerations and the centre of mass");
  report_text(report,
              "The weighed humanoid rests 10 s, moves, takes up 8 kg; errors after 10 s with the "
              "load, %d seeds from %lu on.",
              SEEDS, first);
  struct plot *plot = plot_create("Vertical centre of mass of the loaded torso", "seed");
  for (size_t c = 0; c < CASES; c++) {
    for (unsigned long seed = 0; seed < SEEDS; seed++) {
      number[seed] = (double)seed;
      run(&CASE[c], first + 1000 * c, seed, outcome[c]);
    }
    report_case(report, &CASE[c], outcome[c]);
    double low[SEEDS], high[SEEDS];
    for (size_t seed = 0; seed < SEEDS; seed++) {
      low[seed] = outcome[c][1].error[seed] - 3.0 * outcome[c][1].sd[seed];
      high[seed] = outcome[c][1].error[seed] + 3.0 * outcome[c][1].sd[seed];
    }
    plot_panel(plot, CASE[c].axis);
    plot_band(plot, "corrected, 3 sigma", number, low, high, SEEDS);
    for (size_t k = 0; k < FILTERS; k++) {
      plot_points(plot, FILTER[k], number, outcome[c][k].error, SEEDS);
    }
    plot_level(plot, "truth", 0.0);
  }
  report_plot(report, plot, "z");
  for (size_t c = 0; c < CASES; c++) {
    char name[128];
    const double before = fabs(outcome[c][0].bias), after = fabs(outcome[c][1].bias);
    if (before > 10.0) { /* where there is a bias worth the name */
      snprintf(name, sizeof(name), "%s: bias left by the correction", CASE[c].name);
      report_at_most(report, name, after / before, 0.2, "of the bias");
    }
    snprintf(name, sizeof(name), "%s: runs beyond three sigma, corrected", CASE[c].name);
    report_at_most(report, name, outcome[c][1].outside, 0.0, "of 30");
  }
  return report_close(report);
}
