/* The topics `state` and `centroidal` from shared memory, as they would have come over the socket:
 * who looks some times a second spares the daemon a thousand messages. */
#ifndef STATE_MESSAGES_H
#define STATE_MESSAGES_H

#include "live/live_feed.h"
#include "publish/wire.h"

#include "propriod/state.h"

#include <stdbool.h>
#include <stdint.h>

struct state_messages {
  char name[PROPRIOD_STATE_REASON]; /* as for propriod_state_open() */
  struct propriod_state_reader reader;
  struct propriod_state state;
  struct propriod_centroidal centroidal;
  struct wire wire;
  char *buffer;
  uint64_t seq;        /* of the newest that was taken */
  int64_t next_try_ns; /* of opening it */
};

/* Opens what the daemon shows beside the input segment `segment`. [start] False: there is none that
 * this user may read, or no memory. */
bool state_messages_open(struct state_messages *messages, const char *segment);

/* Puts both into the feed when they are new; opens the memory of a daemon that has come anew. */
void state_messages_take(struct state_messages *messages, struct live_feed *feed);

void state_messages_close(struct state_messages *messages); /* harmless when it is not open */

#endif
