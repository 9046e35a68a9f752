#include "publish/endpoints.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <zmq.h>

enum { IPC_MODE = 0660 };
static const char localhost[] = "localhost:";

static enum status bind_or_say(void *socket, const char *endpoint, const char *key,
                               struct message *error) {
  if (zmq_bind(socket, endpoint) == 0) {
    return STATUS_OK;
  }
  message_set(error, "%s: %s: %s", key, endpoint,
              errno == EADDRINUSE ? "another program serves this port" : zmq_strerror(errno));
  return STATUS_REFUSED;
}

/* -- the right to serve a path ---------------------------------------------------------------- */

/* libzmq binds over a live socket without a word, so that a second daemon would steal the first
 * one's subscribers; here a lock beside the path decides, and a socket file that nobody serves any
 * more is removed only by who holds the lock. */

static bool somebody_answers(const struct sockaddr_un *address) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const bool answered = connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 ||
                        errno == EAGAIN; /* its queue is full: alive */
  close(fd);
  return answered;
}

/* Only while holding the lock. */
static enum status clear_stale(const struct sockaddr_un *address, struct message *error) {
  struct stat found;
  if (lstat(address->sun_path, &found) != 0) {
    return STATUS_OK;
  }
  if (!S_ISSOCK(found.st_mode)) {
    message_set(error, "publish.ipc: %s exists and is not a socket", address->sun_path);
    return STATUS_REFUSED;
  }
  if (somebody_answers(address)) {
    message_set(error, "publish.ipc: %s is served by another program", address->sun_path);
    return STATUS_REFUSED;
  }
  if (unlink(address->sun_path) != 0) {
    message_set(error, "publish.ipc: removing the stale socket %s: %s", address->sun_path,
                strerror(errno));
    return STATUS_REFUSED;
  }
  return STATUS_OK;
}

/* Takes the lock PATH.lock and clears a stale socket away. */
static enum status ipc_claim(const char *path, struct pid_lock *claim, struct message *error) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (path[0] != '/' || strlen(path) >= sizeof(address.sun_path)) {
    message_set(error, "publish.ipc: %s: must be an absolute path of at most %zu bytes", path,
                sizeof(address.sun_path) - 1);
    return STATUS_REFUSED;
  }
  memcpy(address.sun_path, path, strlen(path));
  struct message why;
  if (pid_lock_take_for(claim, path, "publishes there", &why) != STATUS_OK) {
    message_set(error, "publish.ipc: %.400s", why.text);
    return STATUS_REFUSED;
  }
  if (clear_stale(&address, error) != STATUS_OK) {
    pid_lock_release(claim); /* what lies at the path stays */
    return STATUS_REFUSED;
  }
  return STATUS_OK;
}

void ipc_release(const char *path, struct pid_lock *claim) {
  if (claim->held) {
    unlink(path);
    pid_lock_release(claim);
  }
}

/* -- binding ---------------------------------------------------------------------------------- */

enum status endpoint_bind_ipc(void *socket, const char *path, struct pid_lock *claim,
                              struct message *error) {
  claim->held = false;
  if (ipc_claim(path, claim, error) != STATUS_OK) {
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
    ipc_release(path, claim);
  }
  return status;
}

/* The port behind the last colon, or -1 when there is none. */
static long port_of(const char *address) {
  const char *colon = strrchr(address, ':');
  char *end;
  const long port =
      colon != NULL && colon[1] >= '0' && colon[1] <= '9' ? strtol(colon + 1, &end, 10) : -1;
  return port >= 0 && port <= UINT16_MAX && *end == '\0' ? port : -1;
}

bool tcp_is_address(const char *address) {
  return port_of(address) >= 0 && address[0] != ':';
}

bool tcp_is_loopback(const char *address) {
  char host[PUBLISH_TCP_SIZE];
  struct in_addr ip;
  if (!tcp_is_address(address)) {
    return false;
  }
  snprintf(host, sizeof(host), "%.*s", (int)(strrchr(address, ':') - address), address);
  if (strcmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0) {
    return true;
  }
  return inet_pton(AF_INET, host, &ip) == 1 && ntohl(ip.s_addr) >> 24 == 127;
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
  if (!tcp_is_address(address)) {
    message_set(error, "publish.tcp: %s is not ADDRESS:PORT", address);
    return STATUS_REFUSED;
  }
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
  /* no name for libzmq */
  const bool local = strncmp(address, localhost, sizeof(localhost) - 1) == 0;
  snprintf(endpoint, sizeof(endpoint), "tcp://%s%s", local ? "127.0.0.1:" : "",
           local ? address + sizeof(localhost) - 1 : address);
  return bind_or_say(socket, endpoint, "publish.tcp", error);
}
