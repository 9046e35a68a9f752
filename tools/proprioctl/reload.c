/* proprioctl reload: puts the edited configuration into effect and waits for the result. */
#include "ask_daemon.h"
#include "commands.h"

#include <getopt.h>
#include <stdio.h>

#define DEFAULT_SOCKET     "/run/propriod/control.sock"
#define DEFAULT_TIMEOUT_MS 25000 /* the daemon gives up after 20 s */

static const char help[] =
    "usage: proprioctl reload [OPTION ...]\n"
    "\n"
    "Asks the running propriod to read its configuration again, and waits for the\n"
    "result. A bad configuration changes nothing: every error is shown, and the\n"
    "running one stays. Options that only take effect at the next start are named.\n"
    "\n"
    "options:\n"
    "  --socket PATH    control socket (default beside the Unix socket that\n"
    "                   PROPRIOD_ENDPOINT names, or else\n"
    "                   " DEFAULT_SOCKET ")\n"
    "  --timeout S      how long to wait (default 25)\n"
    "  -h, --help       print this\n"
    "\n"
    "exit codes: 0 in effect, 1 refused, 2 the command line makes no sense, 3 no\n"
    "daemon or no answer, 4 this user may not\n";

static const struct option options[] = {
    {"socket", required_argument, NULL, 's'},
    {"timeout", required_argument, NULL, 't'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

int run_reload(int argc, char **argv) {
  char beside[256];
  const char *path = default_control_socket(beside, sizeof(beside));
  int timeout_ms = DEFAULT_TIMEOUT_MS;
  int option;
  while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
    switch (option) {
    case 's':
      path = optarg;
      break;
    case 't':
      timeout_ms = seconds_to_ms(optarg);
      if (timeout_ms <= 0) {
        return usage_error("reload", "--timeout %s: not within 0.001 .. 3600 s", optarg);
      }
      break;
    case 'h':
      fputs(help, stdout);
      return CTL_OK;
    default:
      return option_error("reload", argv);
    }
  }
  if (optind < argc) {
    return usage_error("reload", "unexpected '%s'", argv[optind]);
  }
  return ask_daemon("reload", path, "reload", timeout_ms);
}
