/* Hearing a running propriod: connects, decodes, keeps the latest message of each topic. */
#ifndef SUBSCRIBER_H
#define SUBSCRIBER_H

#include "connection.h"

#include <msgpack.h>
#include <signal.h>
#include <stdbool.h>
#include <zmq.h>

enum { SUBSCRIBER_TOPICS = 7 };
#define SUBSCRIBER_TOPIC_NAMES "state, centroidal, inertia, skin, diag, event, meta"
extern const char *const subscriber_topics[SUBSCRIBER_TOPICS]; /* all that propriod publishes */

struct subscriber {
  const char *command;
  struct connection connection;
  void *context, *socket;
  zmq_msg_t
      frame[SUBSCRIBER_TOPICS]; /* the latest of each topic, in the order of subscriber_topics */
  msgpack_unpacked latest[SUBSCRIBER_TOPICS]; /* decoded; its texts lie in the frame */
  bool heard[SUBSCRIBER_TOPICS];
};

/* Index of a topic in subscriber_topics, or -1. */
int subscriber_topic(const char *name);

/* Connects and subscribes to the topics, a list that ends with NULL; `command` is named in
 * complaints. CTL_OK, or what to exit with after saying why on standard error: nobody has made the
 * socket, this user may not, or the keys are none. */
enum exit_code subscriber_open(struct subscriber *subscriber, const char *command,
                               const struct connection *connection, const char *const topics[]);

/* The same as soon as somebody serves the endpoint, waiting up to `wait_ms`, or until `interrupted`
 * is set. */
enum exit_code subscriber_open_when_there(struct subscriber *subscriber, const char *command,
                                          const struct connection *connection,
                                          const char *const topics[], int wait_ms,
                                          const volatile sig_atomic_t *interrupted);

/* Waits up to `timeout_ms` for a message; then its map is the latest of its topic. Returns the
 * topic's index, or -1 when nothing came. Messages that are not propriod's are passed over. */
int subscriber_hear(struct subscriber *subscriber, int timeout_ms);

/* Takes all that has already arrived. */
void subscriber_drain(struct subscriber *subscriber);

/* The latest map of a topic, or NULL. Stays until the next one of the same topic is heard. */
const msgpack_object *subscriber_latest(const struct subscriber *subscriber, const char *topic);

/* Says on standard error that nothing came, and, as far as can be found out, why. Returns what to
 * exit with. */
enum exit_code subscriber_silent(const struct subscriber *subscriber, int timeout_ms);

void subscriber_close(struct subscriber *subscriber);

#endif
