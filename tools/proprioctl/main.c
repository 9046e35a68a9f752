/* proprioctl: everything a person does with a running propriod. */
#include "commands.h"
#include "spelling.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct command commands[] = {
    {"calibrate", "Calibrates the skin's accelerometers from poses at rest", run_calibrate},
    {"check", "Checks a configuration and all that it names, without side effects", run_check},
    {"doctor", "Says what stands in the way of real time here, and how to mend it", run_doctor},
    {"echo", "Prints what is published on a topic", run_echo},
    {"fit-five-mass", "Fits the configured robot to five points of mass and writes them as YAML",
     run_fit_five_mass},
    {"hz", "Measures rate, gaps, jitter and delay of a topic", run_hz},
    {"inertia", "Shows, forgets or exports what was learned about the robot's weight", run_inertia},
    {"keys", "Makes CURVE keys for subscribers beyond this machine", run_keys},
    {"reload", "Puts the edited configuration into effect and waits for the result", run_reload},
    {"replay", "Runs the estimators over recorded sensor frames and says how they fared",
     run_replay},
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
         "Looks after propriod, the daemon that estimates how a robot moves and what it weighs.\n"
         "\n"
         "commands (each explains itself with --help):\n");
  for (int i = 0; i < N_COMMANDS; i++) {
    printf("  %-13s %s\n", commands[i].name, commands[i].summary);
  }
  printf("\n"
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

int seconds_to_ms(const char *text) {
  char *end;
  const double seconds = strtod(text, &end);
  const bool good = end != text && *end == '\0' && seconds >= 0.0 && seconds <= 3600.0;
  return good ? (int)(1000.0 * seconds) : -1;
}

/* The command whose name is nearest to what was typed, or NULL when more than one letter in three
 * differs. */
static const char *nearest_command(const char *typed) {
  const char *nearest = NULL;
  size_t least = LONGEST_WORD;
  for (int i = 0; i < N_COMMANDS && strlen(typed) < LONGEST_WORD; i++) {
    const size_t distance = spelling_distance(typed, commands[i].name);
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

int main(int argc, char **argv) {
  if (argc < 2) {
    return usage_error("", "which command?");
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
      strcmp(argv[1], "help") == 0) {
    print_help();
    return CTL_OK;
  }
  for (int i = 0; i < N_COMMANDS; i++) {
    if (strcmp(argv[1], commands[i].name) == 0) {
      return commands[i].run(argc - 1, argv + 1);
    }
  }
  return unknown_command(argv[1]);
}
