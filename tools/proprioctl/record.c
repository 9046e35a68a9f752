/* proprioctl record: has the running daemon record, or keep its flight record. */
#include "ask_daemon.h"
#include "commands.h"
#include "service/control.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_TIMEOUT_MS 60000

static const char help[] =
    "usage: proprioctl record [OPTION ...] start [NAME] | stop | mark TEXT |\n"
    "                         save [NAME] | status\n"
    "\n"
    "Has the running propriod record what its sensors say, into files that hold all\n"
    "that is needed to replay them (proprioctl replay).\n"
    "\n"
    "  start [NAME]     begin a recording, NAME-1.rec and further parts, in\n"
    "                   record.folder; without NAME the time of day\n"
    "  stop             end it, and say what it came to\n"
    "  mark TEXT        an event in the recording and in the flight record\n"
    "  save [NAME]      keep the flight record, the last half minute that is always\n"
    "                   there, as NAME.rec\n"
    "  status           what is being recorded\n"
    "\n"
    "options:\n"
    "  --socket PATH    control socket (default beside the Unix socket that\n"
    "                   PROPRIOD_ENDPOINT names, or else\n"
    "                   /run/propriod/control.sock)\n"
    "  --timeout S      how long to wait (default 60)\n"
    "  -h, --help       print this\n"
    "\n"
    "exit codes: 0 done, 1 refused, or cycles were lost, 2 the command line makes no\n"
    "sense, 3 no daemon or no answer, 4 this user may not\n";

/* The words of the command line, as the daemon is asked. False: too long. */
static bool join(char *const *words, int n, char *request, size_t size) {
  size_t used = (size_t)snprintf(request, size, "record");
  for (int i = 0; i < n && used < size; i++) {
    used += (size_t)snprintf(request + used, size - used, " %s", words[i]);
  }
  return used + 1 < size;
}

int run_record(int argc, char **argv) {
  char request[CONTROL_REQUEST_SIZE];
  struct ask_options options;
  const int code = read_ask_options(argc, argv, "record", help, DEFAULT_TIMEOUT_MS, &options);
  if (code != CTL_OK) {
    return code < 0 ? CTL_OK : code;
  }
  if (optind == argc) {
    return usage_error("record", "what? start, stop, mark, save or status");
  }
  if (!join(argv + optind, argc - optind, request, sizeof(request))) {
    return usage_error("record", "longer than %d characters", CONTROL_REQUEST_SIZE - 8);
  }
  return ask_daemon("record", options.socket, request, options.timeout_ms);
}
