/* proprioctl origin: shows where the world's origin lies, and places it. */
#include "ask_daemon.h"
#include "commands.h"
#include "service/control.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum { ANSWER_MS = 5000 };

static const char help[] =
    "usage: proprioctl origin [OPTION ...] [here | own | X Y [YAW]]\n"
    "\n"
    "Shows where the world of what is published lies, or places it.\n"
    "\n"
    "  here       the base stands at the origin now, and faces along x\n"
    "  X Y [YAW]  the base stands there now, in metres, and faces YAW, in radians\n"
    "             from x to the left (0)\n"
    "  own        the estimators' own world again: its origin lies below the base as\n"
    "             it stood when its estimate began\n"
    "\n"
    "All topics and the state in shared memory change world between the same two\n"
    "cycles; an `event` and `meta` say so, `meta` with the place of the own origin\n"
    "in the published world. Heights and the direction of gravity stay. Where only\n"
    "the attitude is estimated, the heading alone is placed. With a heading that is\n"
    "no multiple of a quarter turn, deviations along x and y are upper bounds.\n"
    "\n"
    "A reload keeps it; a restart, and a base whose estimate begins anew, do not.\n"
    "Recordings keep the estimators' own world. Only root and the service's user\n"
    "may place it, since every controller sees the world move.\n"
    "\n"
    "options:\n"
    "  --socket PATH    control socket (default beside the Unix socket that\n"
    "                   PROPRIOD_ENDPOINT names, or else\n"
    "                   /run/propriod/control.sock)\n"
    "  -h, --help       print this\n"
    "\n"
    "exit codes: 0 done, 1 refused, 2 the command line makes no sense, 3 no daemon\n"
    "or no answer, 4 this user may not connect\n";

static const struct option options[] = {
    {"socket", required_argument, NULL, 's'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static const double farthest = 1e6; /* m, rad; the daemon takes no more */

/* The request for what was asked. False: it makes no sense. */
static bool make_request(int argc, char *const *argv, char *request, size_t size) {
  double pose[3] = {0.0, 0.0, 0.0};
  if (argc == 0) {
    snprintf(request, size, "origin");
    return true;
  }
  if (argc == 1 && strcmp(argv[0], "own") == 0) {
    snprintf(request, size, "origin own");
    return true;
  }
  bool sensible = (argc == 1 && strcmp(argv[0], "here") == 0) || argc == 2 || argc == 3;
  for (int i = 0; i < argc && argc > 1; i++) {
    sensible = sensible && number_option(argv[i], -farthest, farthest, &pose[i]);
  }
  snprintf(request, size, "origin %.10g %.10g %.10g", pose[0], pose[1], pose[2]);
  return sensible;
}

/* A number may begin with a minus: options stand before the words. */
static bool is_number(const char *word) {
  double number;
  return word != NULL && number_option(word, -farthest, farthest, &number);
}

int run_origin(int argc, char **argv) {
  char beside[256], request[CONTROL_REQUEST_SIZE];
  const char *path = default_control_socket(beside, sizeof(beside));
  int option;
  while (!is_number(argv[optind]) &&
         (option = getopt_long(argc, argv, "+h", options, NULL)) != -1) {
    switch (option) {
    case 's':
      path = optarg;
      break;
    case 'h':
      fputs(help, stdout);
      return CTL_OK;
    default:
      return option_error("origin", argv);
    }
  }
  if (!make_request(argc - optind, argv + optind, request, sizeof(request))) {
    return usage_error("origin", "neither here, own nor X Y [YAW] within 1e6");
  }
  return ask_daemon("origin", path, request, ANSWER_MS);
}
