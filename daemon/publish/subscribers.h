/* Who listens, and what they may do: counts connections, hears new subscriptions, and disconnects
 * whoever floods.
 *
 * libzmq keeps every subscription of every peer in memory (200 000 of them cost 1.3 GB and half a
 * second in one send). Three limits bound that: a short queue makes it take in only a few between
 * two looks, a message longer than any topic closes its connection, and a connection that has sent
 * SUBSCRIBERS_MAX_ASKED subscriptions is shut down; libzmq's clients connect again by themselves
 * and send what they still want. */
#ifndef SUBSCRIBERS_H
#define SUBSCRIBERS_H

#include "common/message.h"
#include "common/status.h"

#include <stdbool.h>
#include <stdint.h>

enum {
  SUBSCRIBERS_MAX_ASKED = 256,   /* subscriptions and cancellations in the life of one connection */
  SUBSCRIBERS_MAX_MESSAGE = 512, /* bytes; CURVE's longest greeting, with room, and any topic */
  SUBSCRIBERS_QUEUE = 8,    /* subscriptions that libzmq takes in at once from one connection */
  SUBSCRIBERS_MAX_FD = 4096 /* connections get descriptors below, and no more than there are to
                               spare (accept_limit.h); the rest are closed at once */
};

struct subscribers {
  void *socket;  /* the XPUB socket */
  void *monitor; /* what happens to its connections */
  uint16_t asked[SUBSCRIBERS_MAX_FD];
  uint64_t now;      /* connections open */
  uint64_t accepted; /* connections since the start */
  uint64_t
      failed; /* connections that ended before the greeting was over: malformed, or not admitted */
  uint64_t flooding; /* connections shut down for too many subscriptions */
};

/* Sets the limits of an XPUB socket that is not yet bound, and watches it. [start] REFUSED with
 * `error` set. */
enum status subscribers_watch(struct subscribers *subscribers, void *context, void *socket,
                              struct message *error);

/* Takes note of what has happened meanwhile; bounded, never waits. True when somebody subscribed
 * anew. [publisher] */
bool subscribers_look(struct subscribers *subscribers);

/* Ends watching; call before the socket is closed. */
void subscribers_forget(struct subscribers *subscribers);

#endif
