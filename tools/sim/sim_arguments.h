/* The command line of propriod-sim. */
#ifndef SIM_ARGUMENTS_H
#define SIM_ARGUMENTS_H

#include "sim_options.h"

#include <stdio.h>

#define SIM_DEFAULT_CONFIG "/etc/propriod/propriod.yaml"

enum sim_action { SIM_ACTION_RUN, SIM_ACTION_HELP, SIM_ACTION_LIST, SIM_ACTION_VERSION };

struct sim_arguments {
  enum sim_action action;
  const char *config;     /* propriod's configuration; NULL: a stock robot, or the default file */
  const char *robot_name; /* stock robot; NULL: by configuration */
  const char *folder;     /* of stock robots; NULL: where they usually are */
  const char *segment;    /* NULL: what the configuration says */
  const char *truth, *record; /* files; NULL: none */
  bool headless, quiet;
  struct sim_options options; /* robot and urdf_path not set yet */
};

/* Reads the command line. [start] False: it makes no sense, and standard error says why. */
bool sim_arguments_read(int argc, char **argv, struct sim_arguments *arguments);

/* Sets the number, or the stream, that the option `name` (without dashes) sets. [start] False, said
 * on standard error: there is no such option, the text makes no sense or is beyond its limits. */
bool sim_arguments_set(const char *name, const char *text, struct sim_options *options);

/* What --help and --list show. [start] */
void sim_arguments_print_help(FILE *out);
void sim_arguments_print_list(FILE *out);

#endif
