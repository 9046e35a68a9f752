#include "connection.h"

#include <stdlib.h>

struct connection connection_default(void) {
  const char *named = getenv("PROPRIOD_ENDPOINT");
  return (struct connection){.endpoint = named != NULL ? named : CONNECTION_ENDPOINT};
}

bool connection_option(struct connection *connection, int option, const char *value) {
  switch (option) {
  case 'E':
    connection->endpoint = value;
    return true;
  case 'K':
    connection->secret_file = value;
    return true;
  case 'S':
    connection->server_file = value;
    return true;
  default:
    return false;
  }
}
