/* proprioctl reload: puts the edited configuration into effect and waits for the result. */
#include "commands.h"
#include "service/control.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_SOCKET     "/run/propriod/control.sock"
#define DEFAULT_TIMEOUT_MS 10000

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
    "  --timeout S      how long to wait (default 10)\n"
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
  return ask(path, timeout_ms);
}
