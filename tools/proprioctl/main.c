/* proprioctl: everything a person does with a running propriod. */
#include "commands.h"
#include "common/version.h"
#include "common/word_distance.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct command commands[] = {
    {"calibrate", "Calibrates the skin's accelerometers from poses at rest", run_calibrate},
    {"check", "Checks a configuration and all that it names", run_check},
    {"doctor", "Says what stands in the way of real time, and how to mend it", run_doctor},
    {"echo", "Prints what is published on a topic", run_echo},
    {"export", "Writes a recording as MCAP, CSV, NPZ or MAT", run_export},
    {"fit-five-mass", "Fits five points of mass to the robot, as YAML", run_fit_five_mass},
    {"hz", "Measures rate, gaps, jitter and delay of a topic", run_hz},
    {"import", "Makes a recording of a log: CSV, MCAP, rosbag2", run_import},
    {"inertia", "Shows, forgets or exports what was learned about weights", run_inertia},
    {"init", "Prints a first configuration for the robot of a URDF", run_init},
    {"keys", "Makes CURVE keys for subscribers beyond this machine", run_keys},
    {"origin", "Shows where the world's origin lies, or places it", run_origin},
    {"plot", "Draws a recording, measured and estimated, as a page", run_plot},
    {"record", "Has the daemon record, or keep its flight record", run_record},
    {"reload", "Puts the edited configuration into effect, or says why not", run_reload},
    {"replay", "Runs the estimators over recorded sensor frames", run_replay},
    {"serve", "Shows the robot as it moves, in a browser", run_serve},
    {"shm", "Dumps, watches or fakes a stream of the sensors' shared memory", run_shm},
    {"status", "Shows whether all is well, and ends with 0 only then", run_status},
    {"top", "Shows joints, balance and rates as they change", run_top},
    {"tune", "Measures the sensors' noise, and how lively the joints move", run_tune},
};
enum {
  N_COMMANDS = sizeof(commands) / sizeof(commands[0]),
  LONGEST_WORD = 32 /* nothing longer is compared with the commands' names */
};

static void print_help(void) {
  printf("usage: proprioctl COMMAND [OPTION ...]\n"
         "\n"
         "Looks after propriod, the daemon that estimates how a robot moves and what it\n"
         "weighs.\n"
         "\n"
         "commands:\n");
  for (int i = 0; i < N_COMMANDS; i++) {
    printf("  %-13s  %s\n", commands[i].name, commands[i].summary);
  }
  printf("\n"
         "Each explains itself: proprioctl help COMMAND. proprioctl --version prints the\n"
         "version.\n"
         "\n"
         "exit codes:\n"
         "  0  done; healthy\n"
         "  1  answered, and the answer is no: unhealthy, a bad file, a reload refused\n"
         "  2  the command line makes no sense; nothing was done\n"
         "  3  no daemon, segment or endpoint there, or it stayed silent\n"
         "  4  it is there, and this user may not\n");
}

int usage_error(const char *command, const char *format, ...) {
  fprintf(stderr, "proprioctl%s%s: ", command[0] != '\0' ? " " : "", command);
  va_list args;
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fprintf(stderr, " (proprioctl%s%s --help explains)\n", command[0] != '\0' ? " " : "", command);
  return CTL_USAGE;
}

int option_error(const char *command, char *const *argv) {
  return usage_error(command, "unknown option or missing value: %s", argv[optind - 1]);
}

bool number_option(const char *text, double low, double high, double *value) {
  char *end;
  const double number = strtod(text, &end);
  if (end == text || *end != '\0' || !(number >= low && number <= high)) {
    return false;
  }
  *value = number;
  return true;
}

bool count_option(const char *text, long low, long high, long *value) {
  char *end;
  errno = 0;
  const long number = strtol(text, &end, 10);
  if (end == text || *end != '\0' || errno != 0 || number < low || number > high) {
    return false;
  }
  *value = number;
  return true;
}

int seconds_to_ms(const char *text) {
  double seconds;
  return number_option(text, 0.0, 3600.0, &seconds) ? (int)(1000.0 * seconds) : -1;
}

/* The command whose name is nearest to what was typed, or NULL when more than one letter in three
 * differs. */
static const char *nearest_command(const char *typed) {
  const char *nearest = NULL;
  size_t least = LONGEST_WORD;
  for (int i = 0; i < N_COMMANDS && strlen(typed) < LONGEST_WORD; i++) {
    const size_t distance = word_distance(typed, commands[i].name);
    if (distance < least && distance <= 1 + strlen(commands[i].name) / 3) {
      nearest = commands[i].name;
      least = distance;
    }
  }
  return nearest;
}

static int unknown_command(const char *typed) {
  const char *meant = nearest_command(typed);
  if (meant != NULL) {
    return usage_error("", "unknown command '%s', did you mean '%s'?", typed, meant);
  }
  return usage_error("", "unknown command '%s'", typed);
}

static bool is_help(const char *word) {
  return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* Runs a command, or has it explain itself when that is asked for anywhere among its words. */
static int run(int argc, char **argv) {
  bool explain = false;
  for (int i = 1; i < argc; i++) {
    explain = explain || is_help(argv[i]);
  }
  for (int i = 0; i < N_COMMANDS; i++) {
    if (strcmp(argv[0], commands[i].name) == 0) {
      char *help[] = {argv[0], (char[]){"--help"}, NULL};
      return explain ? commands[i].run(2, help) : commands[i].run(argc, argv);
    }
  }
  return unknown_command(argv[0]);
}

int main(int argc, char **argv) {
  opterr = 0; /* commands say themselves what is wrong */
  if (argc < 2) {
    return usage_error("", "which command?");
  }
  const bool help = is_help(argv[1]) || strcmp(argv[1], "help") == 0;
  if (help && argc == 3) { /* help COMMAND */
    char *asked[] = {argv[2], (char[]){"--help"}, NULL};
    return run(2, asked);
  }
  if (help) {
    print_help();
    return CTL_OK;
  }
  if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
    printf("proprioctl %s\n", propriod_version);
    return CTL_OK;
  }
  return run(argc - 1, argv + 1);
}
