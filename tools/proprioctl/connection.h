/* Where propriod publishes and with which keys one may hear it: the options of every command that
 * subscribes. */
#ifndef CONNECTION_H
#define CONNECTION_H

#include "commands.h"

#include <stdbool.h>

#define CONNECTION_ENDPOINT "ipc:///run/propriod/pub.sock"

struct connection {
  const char *endpoint;    /* what to connect to */
  const char *secret_file; /* CURVE: this client's secret key, or NULL */
  const char *server_file; /* CURVE: the robot's public key, or NULL */
};

/* The endpoint that PROPRIOD_ENDPOINT names, or else CONNECTION_ENDPOINT; no keys. */
struct connection connection_default(void);

/* For a table of getopt_long, and the lines that `--help` shows of them. */
#define CONNECTION_OPTIONS                                                                         \
  {"endpoint", required_argument, NULL, 'E'}, {"key", required_argument, NULL, 'K'}, {             \
    "server-key", required_argument, NULL, 'S'                                                     \
  }

#define CONNECTION_HELP                                                                            \
  "  --endpoint E     where propriod publishes (default PROPRIOD_ENDPOINT from the\n"              \
  "                   environment, or " CONNECTION_ENDPOINT ")\n"                                  \
  "  --key F          over the network: this client's secret key (see proprioctl\n"                \
  "                   keys --help),\n"                                                             \
  "  --server-key F   and the robot's public key\n"

/* Takes one of CONNECTION_OPTIONS. False: `option` is none of them. */
bool connection_option(struct connection *connection, int option, const char *value);

#endif
