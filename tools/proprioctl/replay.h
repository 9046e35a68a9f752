/* What the parts of proprioctl replay share: the order. */
#ifndef REPLAY_H
#define REPLAY_H

#include "replay/replayer.h"

#include <stdbool.h>

struct replay_order {
  struct replay_plan plan;
  const char *output;  /* CSV, or NULL */
  const char *compare; /* another configuration, or NULL */
  const char *segment; /* into which it is played, or NULL */
  const char *publish; /* path of the socket on which it is published, or NULL */
  double pace;         /* how many times as fast as it was recorded */
  bool checksum, quiet;
};

/* Replays with the recording's configuration and with another one, and says which quantities
 * differ, from when on and by how much. [main] Returns an exit code (commands.h). */
int replay_compare(const struct replay_order *order);

/* Plays recorded frames into a running daemon's segment. [main] Likewise. */
int replay_into_segment(const struct replay_order *order);

/* Publishes what is estimated. [main] Likewise. */
int replay_to_subscribers(const struct replay_order *order);

/* Where a replay has got to, on standard error once a second when that is a terminal. [main] */
void replay_progress(const struct replayer *replayer);

#endif
