/* Asking the running daemon something over its control socket. */
#ifndef ASK_DAEMON_H
#define ASK_DAEMON_H

#include <stdbool.h>
#include <stddef.h>

/* The control socket unless one is named: beside the socket of PROPRIOD_ENDPOINT, or the
 * service's. `path` has room for it. [main] */
const char *default_control_socket(char *path, size_t size);

/* Beside the socket of an endpoint ipc://FOLDER/NAME; the service's for any other. [main] */
const char *control_socket_beside(const char *endpoint, char *path, size_t size);

/* True when the daemon beside `endpoint` runs without a robot; `what` then says what it waits for
 * and what to do. [main] Takes at most half a second. */
bool daemon_waits(const char *endpoint, char *what, size_t size);

/* Asks `words`, prints the answer, on standard error when it is no. [main] Returns an exit code
 * (commands.h); `command` is named in messages. */
int ask_daemon(const char *command, const char *socket, const char *words, int timeout_ms);

/* Whom to ask, and how long to wait. */
struct ask_options {
  char beside[256]; /* has the default socket */
  const char *socket;
  int timeout_ms;
};

/* Reads --socket, --timeout and --help of a command, up to its words at `optind`. [main]
 * `timeout_ms` unless another is given. Returns an exit code, or -1 when help was printed. */
int read_ask_options(int argc, char **argv, const char *command, const char *help, int timeout_ms,
                     struct ask_options *options);

#endif
