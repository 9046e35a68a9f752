/* Whether libzmq still carries messages.
 *
 * Sockets are served by a thread of libzmq's own; when that one hangs, sending succeeds and nothing
 * arrives. The pulse sends itself a byte through the same thread, over a Unix socket that admits
 * this process only, and misses it when it stays away. */
#ifndef PUBLISH_PULSE_H
#define PUBLISH_PULSE_H

#include "common/message.h"
#include "common/status.h"

#include <stdbool.h>
#include <stdint.h>

#define PUBLISH_PULSE_INTERVAL_NS INT64_C(100000000) /* between two bytes */
#define PUBLISH_PULSE_PATIENCE_NS                                                                  \
  INT64_C(500000000) /* for one to arrive, on a busy machine too                                   \
                      */

struct publish_pulse {
  void *far, *near; /* a pair of sockets, bound and connected */
  int64_t sent_ns;
  int64_t heard_ns;
  bool under_way; /* the last byte sent has not arrived yet */
};

/* Opens the pulse in a context. [start] REFUSED with `error` set. */
enum status publish_pulse_open(struct publish_pulse *pulse, void *context, struct message *error);

/* True while bytes arrive. [publisher's thread] Never waits. */
bool publish_pulse_beats(struct publish_pulse *pulse, int64_t now_ns);

/* Harmless when it is not open. [start] */
void publish_pulse_close(struct publish_pulse *pulse);

#endif
