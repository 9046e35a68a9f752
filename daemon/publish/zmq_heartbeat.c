#include "publish/zmq_heartbeat.h"

#include "common/clock.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include <zmq.h>

/* A name in the abstract namespace: no file that could be left behind. */
static void name_endpoint(const struct zmq_heartbeat *heartbeat, char *name, size_t size) {
  snprintf(name, size, "ipc://@propriod-heartbeat-%ld-%p", (long)getpid(), (const void *)heartbeat);
}

enum status zmq_heartbeat_open(struct zmq_heartbeat *heartbeat, void *context,
                               struct message *error) {
  const int no_linger = 0;
  const pid_t self = getpid();
  char name[80];
  *heartbeat = (struct zmq_heartbeat){.far = zmq_socket(context, ZMQ_PAIR),
                                      .near = zmq_socket(context, ZMQ_PAIR),
                                      .heard_ns = clock_now_ns()};
  name_endpoint(heartbeat, name, sizeof(name));
  if (heartbeat->far == NULL || heartbeat->near == NULL ||
      zmq_setsockopt(heartbeat->far, ZMQ_LINGER, &no_linger, sizeof(no_linger)) != 0 ||
      zmq_setsockopt(heartbeat->near, ZMQ_LINGER, &no_linger, sizeof(no_linger)) != 0 ||
      zmq_setsockopt(heartbeat->far, ZMQ_IPC_FILTER_PID, &self, sizeof(self)) != 0 ||
      zmq_bind(heartbeat->far, name) != 0 || zmq_connect(heartbeat->near, name) != 0) {
    message_set(error, "publish: heartbeat: %s", zmq_strerror(errno));
    zmq_heartbeat_close(heartbeat);
    return STATUS_REFUSED;
  }
  return STATUS_OK;
}

bool zmq_heartbeat_is_heard(struct zmq_heartbeat *heartbeat, int64_t now_ns) {
  char byte = 0;
  while (zmq_recv(heartbeat->far, &byte, 1, ZMQ_DONTWAIT) >= 0) {
    heartbeat->heard_ns = now_ns;
    heartbeat->under_way = false;
  }
  if (!heartbeat->under_way && now_ns - heartbeat->sent_ns >= ZMQ_HEARTBEAT_INTERVAL_NS) {
    heartbeat->under_way = zmq_send(heartbeat->near, &byte, 1, ZMQ_DONTWAIT) == 1;
    heartbeat->sent_ns = now_ns;
  }
  return now_ns - heartbeat->heard_ns < ZMQ_HEARTBEAT_PATIENCE_NS;
}

void zmq_heartbeat_close(struct zmq_heartbeat *heartbeat) {
  if (heartbeat->near != NULL) {
    zmq_close(heartbeat->near);
  }
  if (heartbeat->far != NULL) {
    zmq_close(heartbeat->far);
  }
  *heartbeat = (struct zmq_heartbeat){.far = NULL};
}
