/* propriod-identify excite for every robot at hand: how much more its motion tells than the best of
 * sixty random ones within the same limits, and what the search takes. */
#include "identify/command/session.h"
#include "identify/fit/excitation_design.h"
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define MODELS "../shared/data/models/"

static const bool all_kinds[DRIVE_KINDS] = {true, true, true, true};

static const char *const robots[] = {
    "config/robots/tx40.urdf",         "config/robots/panda.urdf",
    MODELS "ur5/ur5_robot.urdf",       MODELS "icub/iCubGenova04.urdf",
    MODELS "tocabi/dyros_tocabi.urdf", MODELS "unitree_g1/g1_29dof.urdf"};

static double processor_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* As the program does it by default; false: `error` says why not. */
static bool design_of(const char *robot, struct excitation_design *design, size_t *told,
                      struct model *model, struct message *error) {
  static struct unknowns u;
  struct session_options o = session_defaults();
  struct session session = {0};
  struct base_parameters base = {0};
  struct clearance clear = {0};
  struct design_settings settings = design_defaults();
  struct clearance_settings between = clearance_defaults();
  const struct log_map map = {.rate_hz = 1e3};
  o.robot = robot;
  o.repair = true; /* most of TOCABI's bodies cannot be */
  between.up = (vec3){0.0, 0.0, 1.0};
  enum status status = session_model(&o, &session, error);
  if (status != STATUS_OK) {
    return false;
  }
  status = clearance_make(session.urdf, robot, &session.model, &between, &clear, error);
  settings.clearance = &clear;
  u = unknowns_of(&session.model, &map, all_kinds);
  if (status == STATUS_OK) {
    status = base_parameters_find(&u, o.up, &base);
  }
  double *sd = calloc(base.n_base + 1, sizeof(*sd));
  if (status == STATUS_OK && sd != NULL) {
    status = excitation_design_find(&u, &base, o.up, &settings, processor_time, design, sd);
    message_set(error, "%s", status_text(status));
  }
  *told = base.n_base;
  *model = session.model;
  free(sd);
  clearance_free(&clear);
  base_parameters_free(&base);
  session_close(&session);
  return status == STATUS_OK;
}

int main(int argc, char **argv) {
  struct report *report = report_open(argc > 1 ? argv[1] : "build/evaluate", "identify_excite",
                                      "Motions that tell most");
  struct table *table = table_create("Information of ten seconds (nats)", "robot", "joints",
                                     "base parameters", "best of 60 random", "designed", "more",
                                     "condition number", "processor (s)", NULL);
  double least = HUGE_VAL, longest = 0.0;
  report_text(report, "Twenty seconds of search for each, clear of the robot itself.");
  for (size_t i = 0; i < sizeof(robots) / sizeof(robots[0]); i++) {
    struct excitation_design design;
    struct message error;
    struct model model;
    size_t told;
    if (access(robots[i], R_OK) != 0) {
      report_text(report, "%s is not here: skipped.", robots[i]);
      continue;
    }
    const double begun = processor_time();
    if (!design_of(robots[i], &design, &told, &model, &error)) {
      report_text(report, "%s: %s", robots[i], error.text);
      least = -HUGE_VAL;
      continue;
    }
    const double took = processor_time() - begun, more = design.information - design.of_random;
    table_row(table, model.name);
    table_number(table, "%.0f", (double)design.n_joints);
    table_number(table, "%.0f", (double)told);
    table_number(table, "%.1f", design.of_random);
    table_number(table, "%.1f", design.information);
    table_number(table, "%.1f", more);
    table_number(table, "%.3g", design.condition);
    table_number(table, "%.1f", took);
    least = fmin(least, more);
    longest = fmax(longest, took);
  }
  report_table(report, table);
  report_at_least(report, "more than the best of 60 random motions, least of all robots", least,
                  30.0, "nats");
  report_at_most(report, "longest search", longest, 60.0, "s");
  return report_close(report);
}
