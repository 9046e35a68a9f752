/* Whether libzmq still carries messages.
 *
 * Sockets are served by a thread of libzmq's own; when that one hangs, sending succeeds and nothing
 * arrives. The heartbeat sends itself a byte through the same thread, over a Unix socket that
 * admits this process only, and misses it when it stays away. */
#ifndef ZMQ_HEARTBEAT_H
#define ZMQ_HEARTBEAT_H

#include "common/message.h"
#include "common/status.h"

#include <stdbool.h>
#include <stdint.h>

#define ZMQ_HEARTBEAT_INTERVAL_NS INT64_C(100000000) /* between two bytes */
/* for one to arrive, on a busy machine too */
#define ZMQ_HEARTBEAT_PATIENCE_NS INT64_C(500000000)

struct zmq_heartbeat {
  void *far, *near; /* a pair of sockets, bound and connected */
  int64_t sent_ns;
  int64_t heard_ns;
  bool under_way; /* the last byte sent has not arrived yet */
};

/* Opens the heartbeat in a context. [start] REFUSED with `error` set. */
enum status zmq_heartbeat_open(struct zmq_heartbeat *heartbeat, void *context,
                               struct message *error);

/* True while bytes arrive. [publisher] Never waits. */
bool zmq_heartbeat_is_heard(struct zmq_heartbeat *heartbeat, int64_t now_ns);

/* Harmless when it is not open. [start] */
void zmq_heartbeat_close(struct zmq_heartbeat *heartbeat);

#endif
