/* An hour at rest, at 1 kHz with the default settings: nothing may move once settled, a foot sensor
 * that drifts must not become mass, and a load put on at its end must still be found. */
#include "report.h"
#include "support/inertial_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOUR_S = 3600, PLOT_EVERY_S = 10, POINTS = HOUR_S / PLOT_EVERY_S + 1 };

static const unsigned long SEED = 52000;
static const double LOAD = 3.0; /* kg, put on after the hour */

enum drift { DRIFT_NONE, DRIFT_FORCE, DRIFT_BACK, DRIFT_MOMENT, DRIFT_WARM };

static const struct rest_case {
  const char *name;
  enum drift drift;
} CASES[] = {{"no drift", DRIFT_NONE},
             {"5 N/h", DRIFT_FORCE},
             {"-5 N/h", DRIFT_BACK},
             {"1 N m/h", DRIFT_MOMENT},
             {"+-2.5 N, +-0.5 N m in 30 min", DRIFT_WARM}};
enum { CASES_N = sizeof(CASES) / sizeof(CASES[0]) };

struct outcome {
  double time[POINTS], mass[POINTS], com[POINTS]; /* h, kg, mm: errors */
  size_t points;
  double settled_s; /* after the last change of an estimate */
  double worst_mass, worst_com, moved_mass, load_error, load_sigmas;
  uint64_t alarms, alarms_after_load;
};

/* What the sensor of the carrying foot has drifted after t seconds. */
static struct force drifted(enum drift drift, double t) {
  const double h = t / 3600.0, warm = sin(2.0 * M_PI * t / 1800.0);
  struct force f = {VEC3_ZERO, VEC3_ZERO};
  switch (drift) {
  case DRIFT_NONE:
    break;
  case DRIFT_FORCE:
    f.lin.z = 5.0 * h;
    break;
  case DRIFT_BACK:
    f.lin = (vec3){0.0, 0.0, -5.0 * h};
    break;
  case DRIFT_MOMENT:
    f.ang = (vec3){h, -h, 0.0};
    break;
  case DRIFT_WARM:
    f.lin.z = 2.5 * warm;
    f.ang = (vec3){0.5 * warm, 0.5 * warm, 0.0};
    break;
  }
  return f;
}

static void note(const struct world *world, struct outcome *outcome) {
  const struct world_error e = world_error(world, 0);
  outcome->worst_mass = fmax(outcome->worst_mass, fabs(e.mass));
  outcome->worst_com = fmax(outcome->worst_com, vec3_norm(e.com));
  outcome->time[outcome->points] = world->robot->t / 3600.0;
  outcome->mass[outcome->points] = e.mass;
  outcome->com[outcome->points++] = 1e3 * vec3_norm(e.com);
}

/* The hour; the estimate's bits are compared in every cycle. */
static void rest(struct world *world, enum drift drift, struct outcome *outcome) {
  struct inertia last = {0};
  for (size_t k = 0; k < (size_t)HOUR_S * 1000; k++) {
    world->robot->drift = drifted(drift, world->robot->t);
    world_step(world);
    const struct inertia *now = &world->result[0].link[0].estimate;
    if (memcmp(&last, now, sizeof(last)) != 0) {
      last = *now;
      outcome->settled_s = world->robot->t;
    }
    if (k % (PLOT_EVERY_S * 1000) == 0) {
      note(world, outcome);
    }
  }
}

/* A load while it still stands, and a minute of motion afterwards. */
static void load_and_move(struct world *world, struct outcome *outcome) {
  weighed_robot_load(world->robot, world->link, LOAD, (vec3){0.1, 0.05, 0.2}, 0.2);
  const uint64_t before = world->result[0].counters.changes;
  world_run(world, 5.0);
  outcome->alarms_after_load = world->result[0].counters.changes - before;
  outcome->load_error = fabs(world_error(world, 0).mass);
  world_move(world);
  world_run(world, 20.0);
  const struct world_error e = world_error(world, 0);
  outcome->moved_mass = fabs(e.mass);
  outcome->load_sigmas = e.sigmas;
}

static void run_case(const struct rest_case *rest_case, unsigned long seed,
                     struct outcome *outcome) {
  struct world world;
  const struct inertial_filter_settings settings = inertial_filter_defaults();
  world_begin(&world, "inertial_rest", seed);
  sine_motion_choose(&world.robot->sines, &world.robot->robot->model, &world.robot->random);
  world_add_filter(&world, &settings);
  rest(&world, rest_case->drift, outcome);
  outcome->alarms = world.result[0].counters.changes;
  load_and_move(&world, outcome);
  world_end(&world);
}

static void report_case(struct report *report, const char *name, const struct outcome *o) {
  char figure[128];
  snprintf(figure, sizeof(figure), "%s: last change of the estimate", name);
  report_at_most(report, figure, o->settled_s, 30.0, "s");
  snprintf(figure, sizeof(figure), "%s: worst mass error in the hour", name);
  report_at_most(report, figure, o->worst_mass, 0.05, "kg");
  snprintf(figure, sizeof(figure), "%s: false alarms", name);
  report_at_most(report, figure, (double)o->alarms, 0.0, "");
  snprintf(figure, sizeof(figure), "%s: 3 kg put on afterwards, mass error after 5 s", name);
  report_at_most(report, figure, o->load_error, 0.1, "kg");
  snprintf(figure, sizeof(figure), "%s: mass error after 20 s of motion", name);
  report_at_most(report, figure, o->moved_mass, 0.1, "kg");
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: %s FOLDER [SEED]\n", argv[0]);
    return 2;
  }
  const unsigned long seed = argc > 2 ? strtoul(argv[2], NULL, 10) : SEED;
  static struct outcome outcome[CASES_N];
  struct report *report = report_open(argv[1], "inertial_rest", "An hour at rest");
  struct plot *plot = plot_create("An hour at rest, errors of the estimate", "time (h)");
  struct table *table = table_create(
      "An hour at rest, then 3 kg put on", "drift", "last change at (s)", "worst mass error (kg)",
      "worst CoM error (mm)", "false alarms", "alarms for the load", "mass error 5 s after it (kg)",
      "after 20 s of motion (kg)", "worst of mass, CoM (sigma)", NULL);
  report_text(report,
              "The weighed humanoid stands for 3600 s at 1 kHz with noisy sensors and "
              "accelerations, all settings as they come, seeds %lu and following. The sensor of "
              "the foot that carries it drifts; then 3 kg are put on the torso, and it moves.",
              seed);
  for (size_t k = 0; k < CASES_N; k++) {
    struct outcome *o = &outcome[k];
    run_case(&CASES[k], seed + k, o);
    table_row(table, CASES[k].name);
    table_number(table, "%.2f", o->settled_s);
    table_number(table, "%.4f", o->worst_mass);
    table_number(table, "%.2f", 1e3 * o->worst_com);
    table_number(table, "%.0f", (double)o->alarms);
    table_number(table, "%.0f", (double)o->alarms_after_load);
    table_number(table, "%.3f", o->load_error);
    table_number(table, "%.3f", o->moved_mass);
    table_number(table, "%.1f", o->load_sigmas);
  }
  report_table(report, table);
  plot_panel(plot, "mass error (kg)");
  for (size_t k = 0; k < CASES_N; k++) {
    plot_line(plot, CASES[k].name, outcome[k].time, outcome[k].mass, outcome[k].points);
  }
  plot_level(plot, "limit", 0.05);
  plot_panel(plot, "centre of mass error (mm)");
  for (size_t k = 0; k < CASES_N; k++) {
    plot_line(plot, CASES[k].name, outcome[k].time, outcome[k].com, outcome[k].points);
    report_case(report, CASES[k].name, &outcome[k]);
  }
  report_plot(report, plot, "hour");
  return report_close(report);
}
