/* propriod-identify's commands: one row each in main.c, one `run` each in a file named after it.
 *
 * `run` gets its own name in argv[0] and its words behind it, writes results to standard output and
 * complaints to standard error, and returns one of the exit codes below. */
#ifndef IDENTIFY_COMMANDS_H
#define IDENTIFY_COMMANDS_H

#include "identify/command/session.h"
#include "identify/fit/excitation_design.h"

/* What the program ends with. */
enum {
  IDENTIFY_OK = 0,     /* done, and written */
  IDENTIFY_FAILED = 1, /* a bad file, or data that tell too little: nothing is written */
  IDENTIFY_USAGE = 2   /* the command line makes no sense */
};

struct command {
  const char *name;
  const char *summary; /* one line, starts with a verb */
  int (*run)(int argc, char **argv);
};

int run_fit(int argc, char **argv);
int run_compare(int argc, char **argv);
int run_excite(int argc, char **argv);
int run_payload(int argc, char **argv);
int run_gains(int argc, char **argv);

/* Options that several commands share; `word` is one of them and takes `value`. */
struct identify_options {
  struct session_options session;
  struct fit_settings fit;
  const char *validate; /* another log, or NULL */
  const char *output, *settings, *yaml, *report;
  bool json;
  const char *loaded, *link;       /* another log, with a load; the link that carries it */
  double gain_error, mass, radius; /* share, 0: the command's; kg; m */
  vec3 com;                        /* m, link coordinates */
  struct design_settings design;   /* of excite, which takes no log */
  struct clearance_settings clearance;
};

/* Reads the command line of the command argv[0]. Returns IDENTIFY_OK, IDENTIFY_USAGE after saying
 * why, or -1 after having printed `help` and the command's options. */
int identify_options_read(int argc, char **argv, const char *help,
                          struct identify_options *options);

/* Says on standard error what is wrong, and returns IDENTIFY_FAILED. */
int identify_failed(const char *command, const struct message *why);

#endif
