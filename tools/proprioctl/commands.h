/* proprioctl's commands: one row each in main.c, one `run` each in a file named after it.
 *
 * `run` gets its own name in argv[0] and its words behind it, answers `--help` when that is the
 * only one (main sees to it wherever it stands), writes results to standard output and complaints
 * to standard error, and returns one of the exit codes below. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include <stdbool.h>

/* What proprioctl ends with. Scripts rely on these: a number is never given another meaning. */
enum exit_code {
  CTL_OK = 0,          /* done; healthy */
  CTL_FAILED = 1,      /* answered, and the answer is no: unhealthy, a bad file, a reload refused */
  CTL_USAGE = 2,       /* the command line makes no sense; nothing was done */
  CTL_UNREACHABLE = 3, /* no daemon, segment or endpoint there, or it stayed silent */
  CTL_FORBIDDEN = 4    /* it is there, and this user may not */
};

struct command {
  const char *name;
  const char *summary; /* one line, starts with a verb */
  int (*run)(int argc, char **argv);
};

/* The commands, each in the file of its name. */
int run_calibrate(int argc, char **argv);
int run_check(int argc, char **argv);
int run_init(int argc, char **argv);
int run_doctor(int argc, char **argv);
int run_echo(int argc, char **argv);
int run_export(int argc, char **argv);
int run_fit_five_mass(int argc, char **argv);
int run_hz(int argc, char **argv);
int run_import(int argc, char **argv);
int run_inertia(int argc, char **argv);
int run_keys(int argc, char **argv);
int run_origin(int argc, char **argv);
int run_plot(int argc, char **argv);
int run_record(int argc, char **argv);
int run_reload(int argc, char **argv);
int run_replay(int argc, char **argv);
int run_serve(int argc, char **argv);
int run_shm(int argc, char **argv);
int run_status(int argc, char **argv);
int run_top(int argc, char **argv);
int run_tune(int argc, char **argv);

/* Says on standard error what is wrong with the command line and where help is. Returns
 * CTL_USAGE. */
int usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for what getopt_long refused: an option that is unknown, or lacks its value. */
int option_error(const char *command, char *const *argv);

/* Takes a number within low .. high. False, and `value` untouched, when `text` is none. */
bool number_option(const char *text, double low, double high, double *value);

/* The same for a whole number. */
bool count_option(const char *text, long low, long high, long *value);

/* Milliseconds of a time span written in seconds, or -1 when it is no number within 0 .. 3600. */
int seconds_to_ms(const char *text);

#endif
