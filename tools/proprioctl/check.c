/* proprioctl check FILE ...: would propriod start with this configuration? No side effects. */
#include "commands.h"
#include "configured.h"
#include "trial.h"
#include "understood.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: proprioctl check FILE ...\n"
    "\n"
    "Reads configurations and everything they name (robot, skin cells), builds the\n"
    "estimators, and says what is wrong, a line each: file:line:column: key: what,\n"
    "limit. For one that is good it shows what was understood, and measures how much\n"
    "of the period a cycle takes on this machine. Changes nothing and needs no\n"
    "running daemon.\n"
    "\n"
    "exit codes: 0 all good, 1 something is wrong, 2 no file named\n";

/* Says what a cycle takes; false when that is more than there is. */
static bool fits_the_period(const char *file, struct generation *generation) {
  const double period_s = generation->settings.pipeline.period_s;
  struct trial trial;
  const enum status status = trial_run(generation, &trial);
  if (status != STATUS_OK) {
    printf("  %-10s cannot be tried: %s\n", "cycle", status_text(status));
    return false;
  }
  printf("  %-10s %.3f ms of %g ms (%.0f %%) on this machine, %.3f ms at worst\n", "cycle",
         1e3 * trial.mean_s, 1e3 * period_s, 100.0 * trial.mean_s / period_s, 1e3 * trial.worst_s);
  if (trial.mean_s < period_s) {
    return true;
  }
  fprintf(stderr,
          "%s: cycle.period: %g s is shorter than the %.2g s that a cycle takes here; a longer "
          "period, fewer cells (motion.cells_per_link) or a faster processor\n",
          file, period_s, trial.mean_s);
  return false;
}

static bool check(const char *file) {
  struct generation *generation = configured(file);
  if (generation == NULL) {
    return false;
  }
  const struct robot *robot = generation->robot;
  const bool good = understood_doubts(stderr, file, generation) == 0;
  printf("%s: %s: %s, %zu joints, %zu cells, %zu feet\n", file, good ? "good" : "not good",
         robot->model.name, robot->model.n_joints, robot->n_cells, robot->n_feet);
  for (size_t i = 0; i < robot->notes.n && i < URDF_MAX_NOTES; i++) {
    printf("  note       %s\n", robot->notes.note[i].text);
  }
  understood_print(stdout, generation);
  const bool fits = fits_the_period(file, generation);
  generation_free(generation);
  return good && fits;
}

int run_check(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--help") == 0) {
    fputs(help, stdout);
    return CTL_OK;
  }
  if (argc < 2) {
    return usage_error("check", "which file?");
  }
  for (int i = 1; i < argc; i++) {
    if (argv[i][0] == '-') {
      return usage_error("check", "unknown option: %s", argv[i]);
    }
  }
  bool good = true;
  for (int i = 1; i < argc; i++) {
    good = check(argv[i]) && good;
  }
  return good ? CTL_OK : CTL_FAILED;
}
