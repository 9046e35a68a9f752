#include "publish/subscribers.h"

#include "publish/accept_limit.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <zmq.h>

#define MONITOR "inproc://propriod.monitor"

enum {
  EVENTS_AT_ONCE = 256,
  HANDSHAKE_MS = 2000, /* a connection that has not introduced itself by then is closed */
  WATCHED = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
            ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH
};

static bool set_limits(void *socket) {
  const int all = 1, queue = SUBSCRIBERS_QUEUE, handshake = HANDSHAKE_MS;
  const int64_t longest = SUBSCRIBERS_MAX_MESSAGE;
  return zmq_setsockopt(socket, ZMQ_XPUB_VERBOSER, &all, sizeof(all)) == 0 &&
         zmq_setsockopt(socket, ZMQ_RCVHWM, &queue, sizeof(queue)) == 0 &&
         zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &longest, sizeof(longest)) == 0 &&
         zmq_setsockopt(socket, ZMQ_HANDSHAKE_IVL, &handshake, sizeof(handshake)) == 0;
}

enum status subscribers_watch(struct subscribers *s, void *context, void *socket,
                              struct message *error) {
  memset(s, 0, sizeof(*s));
  s->socket = socket;
  accept_limit_set(SUBSCRIBERS_MAX_FD);
  if (!set_limits(socket) || zmq_socket_monitor(socket, MONITOR, WATCHED) != 0) {
    message_set(error, "publish: %s", zmq_strerror(errno));
    return STATUS_REFUSED;
  }
  s->monitor = zmq_socket(context, ZMQ_PAIR);
  if (s->monitor == NULL || zmq_connect(s->monitor, MONITOR) != 0) {
    message_set(error, "publish: %s", zmq_strerror(errno));
    subscribers_forget(s);
    return STATUS_REFUSED;
  }
  return STATUS_OK;
}

static uint16_t *asked_by(struct subscribers *s, int fd) {
  return &s->asked[fd >= 0 && fd < SUBSCRIBERS_MAX_FD ? fd : SUBSCRIBERS_MAX_FD - 1];
}

/* An event is two frames: number (16 bits) with value (32 bits), then the address. */
static bool look_at_event(struct subscribers *s) {
  uint8_t frame[6];
  char address[256];
  if (zmq_recv(s->monitor, frame, sizeof(frame), ZMQ_DONTWAIT) != (int)sizeof(frame)) {
    return false;
  }
  zmq_recv(s->monitor, address, sizeof(address), ZMQ_DONTWAIT);
  uint16_t event;
  int32_t fd;
  memcpy(&event, frame, sizeof(event));
  memcpy(&fd, frame + sizeof(event), sizeof(fd));
  if (event == ZMQ_EVENT_ACCEPTED) {
    s->accepted++;
    s->now++;
    *asked_by(s, fd) = 0;
  } else if (event == ZMQ_EVENT_DISCONNECTED) {
    s->now -= s->now > 0;
  } else {
    s->failed++;
  }
  return true;
}

/* Ends a connection of ours; the number may have been given to somebody else's file meanwhile. */
static void disconnect(const struct subscribers *s, int fd) {
  int type;
  socklen_t size = sizeof(type);
  struct sockaddr_storage peer;
  socklen_t peer_size = sizeof(peer);
  if (fd >= 0 && fd < SUBSCRIBERS_MAX_FD && s->asked[fd] >= SUBSCRIBERS_MAX_ASKED &&
      getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM &&
      getpeername(fd, (struct sockaddr *)&peer, &peer_size) == 0) {
    shutdown(fd, SHUT_RDWR);
  }
}

/* Takes one subscription or cancellation; false when there is none. */
static bool look_at_subscription(struct subscribers *s, bool *anew) {
  zmq_msg_t message;
  zmq_msg_init(&message);
  const int size = zmq_msg_recv(&message, s->socket, ZMQ_DONTWAIT);
  if (size > 0) {
    const int fd = zmq_msg_get(&message, ZMQ_SRCFD);
    uint16_t *asked = asked_by(s, fd);
    *anew = *anew || *(const char *)zmq_msg_data(&message) == 1;
    *asked += *asked < SUBSCRIBERS_MAX_ASKED;
    if (*asked == SUBSCRIBERS_MAX_ASKED) {
      disconnect(s, fd);
      *asked = 0;
      s->flooding++;
    }
  }
  zmq_msg_close(&message);
  return size >= 0;
}

bool subscribers_look(struct subscribers *s) {
  for (int i = 0; i < EVENTS_AT_ONCE && look_at_event(s); i++) {
  }
  bool anew = false;
  for (int i = 0; i < EVENTS_AT_ONCE && look_at_subscription(s, &anew); i++) {
  }
  return anew;
}

void subscribers_forget(struct subscribers *s) {
  if (s->socket != NULL) {
    zmq_socket_monitor(s->socket, NULL, 0);
  }
  if (s->monitor != NULL) {
    zmq_close(s->monitor);
  }
  s->socket = NULL;
  s->monitor = NULL;
}
