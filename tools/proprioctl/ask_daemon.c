#include "ask_daemon.h"

#include "commands.h"
#include "service/control.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_SOCKET "/run/propriod/control.sock"

enum { GLANCE_MS = 500 };

/* control.sock beside the socket of an endpoint ipc://FOLDER/NAME. */
const char *control_socket_beside(const char *endpoint, char *path, size_t size) {
  static const char scheme[] = "ipc://";
  const char *slash = endpoint != NULL ? strrchr(endpoint, '/') : NULL;
  if (slash == NULL || strncmp(endpoint, scheme, sizeof(scheme) - 1) != 0 ||
      slash < endpoint + sizeof(scheme) - 1) {
    return DEFAULT_SOCKET;
  }
  const char *folder = endpoint + sizeof(scheme) - 1;
  snprintf(path, size, "%.*s/control.sock", (int)(slash - folder), folder);
  return path;
}

const char *default_control_socket(char *path, size_t size) {
  return control_socket_beside(getenv("PROPRIOD_ENDPOINT"), path, size);
}

bool daemon_waits(const char *endpoint, char *what, size_t size) {
  static const char line[] = "\nwaits_for ";
  char path[256], answer[CONTROL_ANSWER_SIZE];
  struct message error;
  if (control_ask(control_socket_beside(endpoint, path, sizeof(path)), "status", GLANCE_MS, answer,
                  &error) != STATUS_OK) {
    return false;
  }
  const char *found = strstr(answer, line);
  if (found == NULL) {
    return false;
  }
  found += sizeof(line) - 1;
  snprintf(what, size, "%.*s", (int)strcspn(found, "\n"), found);
  return true;
}

int ask_daemon(const char *command, const char *socket, const char *words, int timeout_ms) {
  char answer[CONTROL_ANSWER_SIZE];
  struct message error;
  const enum status status = control_ask(socket, words, timeout_ms, answer, &error);
  if (status != STATUS_OK) {
    fprintf(stderr, "proprioctl %s: %s\n", command, error.text);
    return status == STATUS_REFUSED ? CTL_FORBIDDEN : CTL_UNREACHABLE;
  }
  const bool done = strncmp(answer, "ok\n", 3) == 0;
  const char *body = strchr(answer, '\n');
  fputs(body != NULL ? body + 1 : answer, done ? stdout : stderr);
  return done ? CTL_OK : CTL_FAILED;
}

int read_ask_options(int argc, char **argv, const char *command, const char *help, int timeout_ms,
                     struct ask_options *options) {
  static const struct option known[] = {
      {"socket", required_argument, NULL, 's'},
      {"timeout", required_argument, NULL, 't'},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0},
  };
  options->socket = default_control_socket(options->beside, sizeof(options->beside));
  options->timeout_ms = timeout_ms;
  for (int option; (option = getopt_long(argc, argv, "h", known, NULL)) != -1;) {
    switch (option) {
    case 's':
      options->socket = optarg;
      break;
    case 't':
      options->timeout_ms = seconds_to_ms(optarg);
      if (options->timeout_ms <= 0) {
        return usage_error(command, "--timeout %s: not within 0.001 .. 3600 s", optarg);
      }
      break;
    case 'h':
      fputs(help, stdout);
      return -1;
    default:
      return option_error(command, argv);
    }
  }
  return CTL_OK;
}
