#include "subscriber.h"

#include "ask_daemon.h"
#include "common/clock.h"
#include "publish/curve.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { TOPIC_SIZE = 32, Z85_KEY_SIZE = 41 };

const char *const subscriber_topics[SUBSCRIBER_TOPICS] = {"state", "centroidal", "inertia", "skin",
                                                          "diag",  "event",      "meta"};

int subscriber_topic(const char *name) {
  for (int i = 0; i < SUBSCRIBER_TOPICS; i++) {
    if (strcmp(subscriber_topics[i], name) == 0) {
      return i;
    }
  }
  return -1;
}

static const char *ipc_path(const char *endpoint) {
  return strncmp(endpoint, "ipc://", 6) == 0 ? endpoint + 6 : NULL;
}

static enum exit_code complain(const char *command, const char *endpoint, int failed) {
  char what[512];
  if (failed != EACCES && daemon_waits(endpoint, what, sizeof(what))) {
    fprintf(stderr, "proprioctl %s: propriod waits for %s\n", command, what);
    return CTL_UNREACHABLE;
  }
  fprintf(stderr, "proprioctl %s: %s: %s%s\n", command, endpoint, strerror(failed),
          failed == EACCES ? "; is this user in group propriod?"
                           : "; is propriod running? PROPRIOD_ENDPOINT says where, if not there");
  return failed == EACCES ? CTL_FORBIDDEN : CTL_UNREACHABLE;
}

/* The client's half of a connection with CURVE; nothing to do without keys. */
static enum exit_code set_keys(const struct subscriber *s) {
  const struct connection *connection = &s->connection;
  struct curve_keys keys;
  struct message error;
  char secret[Z85_KEY_SIZE], mine[Z85_KEY_SIZE];
  if (connection->secret_file == NULL && connection->server_file == NULL) {
    return CTL_OK;
  }
  if (connection->secret_file == NULL || connection->server_file == NULL) {
    return (enum exit_code)usage_error(s->command, "--key and --server-key go together");
  }
  if (curve_read(connection->secret_file, connection->server_file, &keys, &error) != STATUS_OK) {
    fprintf(stderr, "proprioctl %s: %s\n", s->command, error.text);
    return CTL_FORBIDDEN;
  }
  zmq_z85_encode(secret, keys.secret, CURVE_KEY_SIZE);
  if (keys.n_peers != 1 || zmq_curve_public(mine, secret) != 0 ||
      zmq_setsockopt(s->socket, ZMQ_CURVE_SERVERKEY, keys.peer[0], CURVE_KEY_SIZE) != 0 ||
      zmq_setsockopt(s->socket, ZMQ_CURVE_SECRETKEY, keys.secret, CURVE_KEY_SIZE) != 0 ||
      zmq_setsockopt(s->socket, ZMQ_CURVE_PUBLICKEY, mine, sizeof(mine)) != 0) {
    fprintf(stderr, "proprioctl %s: %s: one public key is needed, %zu are there\n", s->command,
            connection->server_file, keys.n_peers);
    return CTL_FORBIDDEN;
  }
  return CTL_OK;
}

enum exit_code subscriber_open(struct subscriber *s, const char *command,
                               const struct connection *connection, const char *const topics[]) {
  const char *endpoint = connection->endpoint;
  memset(s, 0, sizeof(*s));
  s->command = command;
  s->connection = *connection;
  for (int i = 0; i < SUBSCRIBER_TOPICS; i++) {
    zmq_msg_init(&s->frame[i]);
  }
  const char *path = ipc_path(endpoint);
  if (path != NULL && access(path, R_OK | W_OK) != 0) { /* ZeroMQ would go on trying in silence */
    return complain(command, endpoint, errno);
  }
  s->context = zmq_ctx_new();
  s->socket = zmq_socket(s->context, ZMQ_SUB);
  const int linger = 0;
  zmq_setsockopt(s->socket, ZMQ_LINGER, &linger, sizeof(linger));
  for (int i = 0; topics[i] != NULL; i++) {
    zmq_setsockopt(s->socket, ZMQ_SUBSCRIBE, topics[i], strlen(topics[i]));
  }
  const enum exit_code keyed = set_keys(s);
  if (keyed != CTL_OK) {
    subscriber_close(s);
    return keyed;
  }
  if (zmq_connect(s->socket, endpoint) != 0) {
    const int failed = errno;
    subscriber_close(s);
    return (enum exit_code)usage_error(command, "--endpoint %s: %s", endpoint,
                                       zmq_strerror(failed));
  }
  return CTL_OK;
}

enum exit_code subscriber_open_when_there(struct subscriber *s, const char *command,
                                          const struct connection *connection,
                                          const char *const topics[], int wait_ms,
                                          const volatile sig_atomic_t *interrupted) {
  const char *path = ipc_path(connection->endpoint);
  const int64_t end_ns = clock_now_ns() + wait_ms * NS_PER_MS;
  while (path != NULL && !*interrupted && clock_now_ns() < end_ns && access(path, F_OK) != 0) {
    usleep(50000);
  }
  return subscriber_open(s, command, connection, topics);
}

enum exit_code subscriber_silent(const struct subscriber *s, int timeout_ms) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const char *path = ipc_path(s->connection.endpoint);
  const int fd = path != NULL ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
  if (fd >= 0) {
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    const int failed = connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 ? 0 : errno;
    close(fd);
    if (failed != 0) {
      return complain(s->command, s->connection.endpoint, failed);
    }
  }
  fprintf(stderr, "proprioctl %s: %s: nothing in %g s%s\n", s->command, s->connection.endpoint,
          1e-3 * timeout_ms,
          path != NULL ? ""
          : s->connection.secret_file == NULL
              ? "; is propriod there, and does it ask for keys (--key, --server-key)?"
              : "; does the robot know this key?");
  return CTL_UNREACHABLE;
}

static void skip_rest(void *socket) {
  int more = 1;
  size_t size = sizeof(more);
  while (zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size) == 0 && more) {
    zmq_recv(socket, (char[1]){0}, 1, ZMQ_DONTWAIT);
  }
}

/* Decodes the second frame into the topic's place, and takes the frame over. */
static bool keep(struct subscriber *s, int topic, zmq_msg_t *frame) {
  msgpack_unpacked unpacked;
  msgpack_unpacked_init(&unpacked);
  const bool good = msgpack_unpack_next(&unpacked, zmq_msg_data(frame), zmq_msg_size(frame),
                                        NULL) == MSGPACK_UNPACK_SUCCESS &&
                    unpacked.data.type == MSGPACK_OBJECT_MAP;
  if (!good) {
    msgpack_unpacked_destroy(&unpacked);
    return false;
  }
  msgpack_unpacked_destroy(&s->latest[topic]);
  s->latest[topic] = unpacked;
  zmq_msg_move(&s->frame[topic], frame);
  s->heard[topic] = true;
  return true;
}

/* Takes one message; the topic's index, -1 when there is none, -2 when it is nobody's. */
static int take(struct subscriber *s) {
  char name[TOPIC_SIZE];
  const int size = zmq_recv(s->socket, name, sizeof(name) - 1, ZMQ_DONTWAIT);
  if (size < 0) {
    return -1;
  }
  name[size < TOPIC_SIZE ? size : 0] = '\0';
  int topic = subscriber_topic(name);
  zmq_msg_t frame;
  zmq_msg_init(&frame);
  if (zmq_msg_recv(&frame, s->socket, ZMQ_DONTWAIT) < 0 || topic < 0 || !keep(s, topic, &frame)) {
    topic = -2;
  }
  zmq_msg_close(&frame);
  skip_rest(s->socket);
  return topic;
}

int subscriber_hear(struct subscriber *s, int timeout_ms) {
  const int64_t end_ns = clock_now_ns() + timeout_ms * NS_PER_MS;
  int64_t left_ns = timeout_ms * NS_PER_MS;
  while (left_ns >= 0) {
    zmq_pollitem_t item = {.socket = s->socket, .events = ZMQ_POLLIN};
    if (zmq_poll(&item, 1, (long)(left_ns / NS_PER_MS)) <= 0) {
      return -1;
    }
    const int topic = take(s);
    if (topic >= 0) {
      return topic;
    }
    left_ns = end_ns - clock_now_ns();
  }
  return -1;
}

void subscriber_drain(struct subscriber *s) {
  while (take(s) != -1) {
  }
}

const msgpack_object *subscriber_latest(const struct subscriber *s, const char *topic) {
  const int i = subscriber_topic(topic);
  return i >= 0 && s->heard[i] ? &s->latest[i].data : NULL;
}

void subscriber_close(struct subscriber *s) {
  for (int i = 0; i < SUBSCRIBER_TOPICS; i++) {
    msgpack_unpacked_destroy(&s->latest[i]);
    zmq_msg_close(&s->frame[i]);
  }
  if (s->socket != NULL) {
    zmq_close(s->socket);
    zmq_ctx_term(s->context);
  }
  memset(s, 0, sizeof(*s));
}
