/* proprioctl reload: puts the edited configuration into effect and waits for the result. */
#include "commands.h"
#include "control.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_SOCKET     "/run/propriod/control.sock"
#define DEFAULT_TIMEOUT_MS 10000

static const char help[] =
    "usage: proprioctl reload [OPTION ...]\n"
    "\n"
    "Asks the running propriod to read its configuration again, and waits for the result. A bad\n"
    "configuration changes nothing: every error is shown, and the running one stays. Options\n"
    "that only take effect at the next start are named.\n"
    "\n"
    "options:\n"
    "  --socket PATH    control socket (default beside the Unix socket that PROPRIOD_ENDPOINT "
    "names,\n"
    "                   or else " DEFAULT_SOCKET ")\n"
    "  --timeout MS     how long to wait (default 10000)\n"
    "  -h, --help       print this\n"
    "\n"
    "exit codes: 0 in effect, 1 refused, 2 the command line makes no sense, 3 no daemon or no\n"
    "answer, 4 this user may not\n";

static const struct option options[] = {
    {"socket", required_argument, NULL, 's'},
    {"timeout", required_argument, NULL, 't'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* control.sock beside the socket of an endpoint ipc://FOLDER/NAME. */
static const char *socket_beside_endpoint(char *path, size_t size) {
  static const char scheme[] = "ipc://";
  const char *endpoint = getenv("PROPRIOD_ENDPOINT");
  const char *slash = endpoint != NULL ? strrchr(endpoint, '/') : NULL;
  if (slash == NULL || strncmp(endpoint, scheme, sizeof(scheme) - 1) != 0 ||
      slash < endpoint + sizeof(scheme) - 1) {
    return DEFAULT_SOCKET;
  }
  const char *folder = endpoint + sizeof(scheme) - 1;
  snprintf(path, size, "%.*s/control.sock", (int)(slash - folder), folder);
  return path;
}

static int ask(const char *path, int timeout_ms) {
  char answer[CONTROL_ANSWER_SIZE];
  struct message error;
  const enum status status = control_ask(path, "reload", timeout_ms, answer, &error);
  if (status != STATUS_OK) {
    fprintf(stderr, "proprioctl reload: %s\n", error.text);
    return status == STATUS_REFUSED ? CTL_FORBIDDEN : CTL_UNREACHABLE;
  }
  const bool done = strncmp(answer, "ok\n", 3) == 0;
  const char *body = strchr(answer, '\n');
  fputs(body != NULL ? body + 1 : answer, done ? stdout : stderr);
  return done ? CTL_OK : CTL_FAILED;
}

int run_reload(int argc, char **argv) {
  char beside[256];
  const char *path = socket_beside_endpoint(beside, sizeof(beside));
  long timeout_ms = DEFAULT_TIMEOUT_MS;
  int option;
  while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
    switch (option) {
    case 's':
      path = optarg;
      break;
    case 't':
      timeout_ms = strtol(optarg, NULL, 10);
      break;
    case 'h':
      fputs(help, stdout);
      return CTL_OK;
    default:
      return CTL_USAGE;
    }
  }
  if (optind < argc || timeout_ms < 1 || timeout_ms > 3600000) {
    return optind < argc ? usage_error("reload", "unexpected '%s'", argv[optind])
                         : usage_error("reload", "--timeout: not within 1 .. 3600000 ms");
  }
  return ask(path, (int)timeout_ms);
}
