#include "publish/publish_pulse.h"

#include "common/clock.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include <zmq.h>

/* A name in the abstract namespace: no file that could be left behind. */
static void name_endpoint(const struct publish_pulse *pulse, char *name, size_t size) {
  snprintf(name, size, "ipc://@propriod-pulse-%ld-%p", (long)getpid(), (const void *)pulse);
}

enum status publish_pulse_open(struct publish_pulse *pulse, void *context, struct message *error) {
  const int no_linger = 0;
  const pid_t self = getpid();
  char name[80];
  *pulse = (struct publish_pulse){.far = zmq_socket(context, ZMQ_PAIR),
                                  .near = zmq_socket(context, ZMQ_PAIR),
                                  .heard_ns = clock_now_ns()};
  name_endpoint(pulse, name, sizeof(name));
  if (pulse->far == NULL || pulse->near == NULL ||
      zmq_setsockopt(pulse->far, ZMQ_LINGER, &no_linger, sizeof(no_linger)) != 0 ||
      zmq_setsockopt(pulse->near, ZMQ_LINGER, &no_linger, sizeof(no_linger)) != 0 ||
      zmq_setsockopt(pulse->far, ZMQ_IPC_FILTER_PID, &self, sizeof(self)) != 0 ||
      zmq_bind(pulse->far, name) != 0 || zmq_connect(pulse->near, name) != 0) {
    message_set(error, "publish: pulse: %s", zmq_strerror(errno));
    publish_pulse_close(pulse);
    return STATUS_REFUSED;
  }
  return STATUS_OK;
}

bool publish_pulse_beats(struct publish_pulse *pulse, int64_t now_ns) {
  char byte = 0;
  while (zmq_recv(pulse->far, &byte, 1, ZMQ_DONTWAIT) >= 0) {
    pulse->heard_ns = now_ns;
    pulse->under_way = false;
  }
  if (!pulse->under_way && now_ns - pulse->sent_ns >= PUBLISH_PULSE_INTERVAL_NS) {
    pulse->under_way = zmq_send(pulse->near, &byte, 1, ZMQ_DONTWAIT) == 1;
    pulse->sent_ns = now_ns;
  }
  return now_ns - pulse->heard_ns < PUBLISH_PULSE_PATIENCE_NS;
}

void publish_pulse_close(struct publish_pulse *pulse) {
  if (pulse->near != NULL) {
    zmq_close(pulse->near);
  }
  if (pulse->far != NULL) {
    zmq_close(pulse->far);
  }
  *pulse = (struct publish_pulse){.far = NULL};
}
