/* proprioctl check FILE ...: would propriod start with this configuration? No side effects. */
#include "commands.h"
#include "configured.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: proprioctl check FILE ...\n"
    "\n"
    "Reads configurations and everything they name (robot, skin cells), builds the\n"
    "estimators, and says what is wrong, a line each: file:line:column: key: what,\n"
    "limit. Changes nothing and needs no running daemon.\n"
    "\n"
    "exit codes: 0 all good, 1 something is wrong, 2 no file named\n";

static bool check(const char *file) {
  struct generation *generation = configured(file);
  if (generation == NULL) {
    return false;
  }
  const struct robot *robot = generation->robot;
  printf("%s: good: %s, %zu joints, %zu cells, %zu feet\n", file, robot->model.name,
         robot->model.n_joints, robot->n_cells, robot->n_feet);
  generation_free(generation);
  return true;
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
