/* Asking the running daemon something over its control socket. */
#ifndef ASK_DAEMON_H
#define ASK_DAEMON_H

#include <stddef.h>

/* The control socket unless one is named: beside the socket of PROPRIOD_ENDPOINT, or the
 * service's. `path` has room for it. [main] */
const char *default_control_socket(char *path, size_t size);

/* Asks `words`, prints the answer, on standard error when it is no. [main] Returns an exit code
 * (commands.h); `command` is named in messages. */
int ask_daemon(const char *command, const char *socket, const char *words, int timeout_ms);

#endif
