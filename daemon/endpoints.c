#include "endpoints.h"

#include "ipc_claim.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <zmq.h>

enum { IPC_MODE = 0660 };

static enum status bind_or_say(void *socket, const char *endpoint, const char *key,
                               struct message *error) {
  if (zmq_bind(socket, endpoint) == 0) {
    return STATUS_OK;
  }
  message_set(error, "%s: %s: %s", key, endpoint,
              errno == EADDRINUSE ? "another program serves this port" : zmq_strerror(errno));
  return STATUS_REFUSED;
}

enum status endpoint_bind_ipc(void *socket, const char *path, int *claim, struct message *error) {
  *claim = IPC_CLAIM_NONE;
  int lock;
  if (ipc_claim(path, &lock, error) != STATUS_OK) {
    return STATUS_REFUSED;
  }
  char endpoint[PUBLISH_IPC_SIZE + sizeof("ipc://")];
  snprintf(endpoint, sizeof(endpoint), "ipc://%s", path);
  const mode_t before = umask(0777 & ~IPC_MODE);
  enum status status = bind_or_say(socket, endpoint, "publish.ipc", error);
  umask(before);
  if (status == STATUS_OK && chmod(path, IPC_MODE) != 0) {
    message_set(error, "publish.ipc: mode of %s: %s", path, strerror(errno));
    status = STATUS_REFUSED;
  }
  if (status != STATUS_OK) {
    ipc_release(lock);
    return status;
  }
  *claim = lock;
  return STATUS_OK;
}

static bool begins_with(const char *text, const char *begin) {
  return strncmp(text, begin, strlen(begin)) == 0;
}

bool tcp_is_loopback(const char *address) {
  int first, bytes[3], port, length = 0;
  if (begins_with(address, "localhost:") || begins_with(address, "[::1]:")) {
    return true;
  }
  const int read = sscanf(address, "%3d.%3d.%3d.%3d:%5d%n", &first, &bytes[0], &bytes[1], &bytes[2],
                          &port, &length);
  return read == 5 && first == 127 && address[length] == '\0';
}

static enum status set_keys(void *socket, const struct curve_keys *keys, struct message *error) {
  const int server = 1;
  static const char domain[] = "propriod";
  if (zmq_setsockopt(socket, ZMQ_CURVE_SERVER, &server, sizeof(server)) != 0 ||
      zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, keys->secret, CURVE_KEY_SIZE) != 0 ||
      zmq_setsockopt(socket, ZMQ_ZAP_DOMAIN, domain, strlen(domain)) != 0) {
    message_set(error, "publish.curve_secret_key: %s", zmq_strerror(errno));
    return STATUS_REFUSED;
  }
  return STATUS_OK;
}

enum status endpoint_bind_tcp(void *socket, const char *address, const struct curve_keys *keys,
                              struct message *error) {
  if (keys == NULL && !tcp_is_loopback(address)) {
    message_set(error,
                "publish.tcp: %s is beyond loopback; that needs publish.curve_secret_key and "
                "publish.curve_clients",
                address);
    return STATUS_REFUSED;
  }
  if (keys != NULL && set_keys(socket, keys, error) != STATUS_OK) {
    return STATUS_REFUSED;
  }
  const int ipv6 = address[0] == '[';
  zmq_setsockopt(socket, ZMQ_IPV6, &ipv6, sizeof(ipv6));
  char endpoint[PUBLISH_TCP_SIZE + sizeof("tcp://")];
  snprintf(endpoint, sizeof(endpoint), "tcp://%s", address);
  return bind_or_say(socket, endpoint, "publish.tcp", error);
}
