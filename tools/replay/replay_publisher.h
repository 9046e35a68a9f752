/* A recording published as a running daemon publishes: the estimators go over it at the pace of its
 * clock, and what they estimate goes out over the same sockets in the same messages.
 *
 * Stamps are moved to now, so that ages and delays are what they were. Where this machine is too
 * slow for the pace, time goes slower; nothing is left out. */
#ifndef REPLAY_PUBLISHER_H
#define REPLAY_PUBLISHER_H

#include "common/message.h"
#include "common/status.h"
#include "replay/replayer.h"

#include <signal.h>

struct replay_publishing {
  struct replay_plan plan;
  const char *ipc; /* path of the Unix socket, whose folder must exist */
  double pace;     /* how many times as fast as it was recorded */
  bool again;      /* from its beginning when it has ended */
  const volatile sig_atomic_t *interrupted;
};

/* Publishes until the end, or until `interrupted` is set. [main] STATUS_REFUSED with `error`: the
 * recording or the socket cannot be opened, or its robot changes on the way. */
enum status replay_publish(const struct replay_publishing *publishing, struct message *error);

#endif
