/* The command line of propriod. */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include "settings/settings.h"

#include <stdbool.h>

#define PROPRIOD_DEFAULT_CONFIG "/etc/propriod/propriod.yaml"

enum action {
  ACTION_RUN,
  ACTION_CHECK_CONFIG,
  ACTION_PRINT_SETTINGS,
  ACTION_PRINT_REFERENCE,
  ACTION_PRINT_TOPICS,
  ACTION_HELP,
  ACTION_VERSION
};

struct arguments {
  enum action action;
  const char *config;
  struct settings_overrides overrides;
};

/* Reads the command line. [start] False: it makes no sense, and standard error says why. */
bool arguments_read(int argc, char **argv, struct arguments *arguments);

/* Writes what --help shows. [start] */
void arguments_print_help(FILE *out);

#endif
