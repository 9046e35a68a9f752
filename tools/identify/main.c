/* propriod-identify: what a robot weighs, from its own log. */
#include "common/version.h"
#include "common/word_distance.h"
#include "identify/command/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct command commands[] = {
    {"compare", "Fits by several methods and says which predicts best", run_compare},
    {"excite", "Designs a motion that tells as much as it can, within the limits", run_excite},
    {"fit", "Fits bodies and drives to a log, and writes them as URDF", run_fit},
    {"gains", "Finds the torque sensors' gains from logs without and with a known load", run_gains},
    {"payload", "Finds what a load weighs from logs without and with it", run_payload},
};
enum { N_COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static void print_help(void) {
  printf("usage: propriod-identify COMMAND [OPTION ...]\n"
         "\n"
         "Finds what a robot weighs and how its joints rub, from a log of its motion and\n"
         "torques: bodies that can be, as a URDF that propriod takes.\n"
         "\n"
         "commands:\n");
  for (int i = 0; i < N_COMMANDS; i++) {
    printf("  %-8s  %s\n", commands[i].name, commands[i].summary);
  }
  printf("\n"
         "Each explains itself: propriod-identify COMMAND --help.\n"
         "\n"
         "exit codes: 0 done, 1 a bad file or too little told: nothing is written,\n"
         "2 the command line makes no sense\n");
}

static int unknown_command(const char *typed) {
  const char *meant = NULL;
  for (int i = 0; i < N_COMMANDS && strlen(typed) < 32; i++) {
    meant = word_distance(typed, commands[i].name) <= 2 ? commands[i].name : meant;
  }
  fprintf(stderr, "propriod-identify: unknown command '%s'%s%s%s\n", typed,
          meant != NULL ? ", did you mean '" : "", meant != NULL ? meant : "",
          meant != NULL ? "'?" : "");
  return IDENTIFY_USAGE;
}

int main(int argc, char **argv) {
  if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    print_help();
    return argc < 2 ? IDENTIFY_USAGE : IDENTIFY_OK;
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("propriod-identify %s\n", propriod_version);
    return IDENTIFY_OK;
  }
  for (int i = 0; i < N_COMMANDS; i++) {
    if (strcmp(argv[1], commands[i].name) == 0) {
      return commands[i].run(argc - 1, argv + 1);
    }
  }
  return unknown_command(argv[1]);
}
