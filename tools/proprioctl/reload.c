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

int run_reload(int argc, char **argv) {
  struct ask_options options;
  const int code = read_ask_options(argc, argv, "reload", help, DEFAULT_TIMEOUT_MS, &options);
  if (code != CTL_OK) {
    return code < 0 ? CTL_OK : code;
  }
  if (optind < argc) {
    return usage_error("reload", "unexpected '%s'", argv[optind]);
  }
  return ask_daemon("reload", options.socket, "reload", options.timeout_ms);
}
