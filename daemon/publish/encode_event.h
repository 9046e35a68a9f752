/* Topic `event`: something happened, in words for people and with a kind for programs. */
#ifndef ENCODE_EVENT_H
#define ENCODE_EVENT_H

#include "common/event.h"
#include "publish/fields.h"

#define EVENT_TOPIC "event"

/* Writes the whole map. `status` is the daemon's at the time of sending; `seq` counts events.
 * [worker] */
void encode_event(struct wire *wire, const struct event *event, uint64_t seq, int64_t epoch_ns,
                  enum propriod_status status);

/* Writes one map that describes each key, for `meta`. [worker] */
void describe_event(struct wire *wire);

#endif
