/* The estimators over a recording, cycle by cycle, as the daemon ran them.
 *
 * With the recording's own configuration and a recording that begins with the daemon, each result
 * has the bits that were published, on the same instruction set: reloads, choices of cells and
 * resets happen where they happened. From where a cycle is missing, or in a recording that begins
 * later, the estimators see another past than the daemon's and come close to its results
 * instead. */
#ifndef REPLAYER_H
#define REPLAYER_H

#include "generation.h"
#include "recording/recording.h"

#include <stdbool.h>

struct replay_plan {
  const char *const *paths; /* [n_paths] parts of one session, in order */
  size_t n_paths;
  const char *config; /* the configuration to use; NULL: that of the recording */
};

/* One cycle, replayed. */
struct replayed {
  const struct recorded_cycle *cycle;
  const struct estimates *estimates; /* as the daemon would publish them */
  struct pipeline *pipeline;
  uint64_t digest; /* of estimates, to compare with the cycle's */
};

/* What stands in the way of equal bits, and how it went. */
struct replay_verdict {
  uint64_t cycles, losses, events;
  uint64_t compared, different; /* cycles whose digest is known; that have another */
  int64_t first_ns;             /* instant of the first that differs */
  uint64_t first_digests[2];    /* recorded, replayed */
  bool from_start;              /* the first cycle is the daemon's first */
  int64_t loss_ns;              /* instant of the cycle before the first loss */
  char program[128];            /* that recorded: version and instruction set, or "" */
  struct message note;          /* what was left out, or "" */
};

struct replayer;

/* Opens a recording and builds its robot. [main] STATUS_REFUSED with `error`. */
enum status replayer_open(struct replayer **replayer, const struct replay_plan *plan,
                          struct message *error);

/* Goes on to the next item; of a cycle `*replayed` is what came of it, valid until the next call.
 * [main] Denormals become zero in this thread, as in the daemon's cycle. STATUS_OUT_OF_RANGE: the
 * end; STATUS_REFUSED with `error`: a reload or a part that cannot be followed. */
enum status replayer_next(struct replayer *replayer, struct recording_item *item,
                          struct replayed *replayed, struct message *error);

/* The generation in use, of which the first stays until the end, and the file being read. [main] */
const struct generation *replayer_generation(const struct replayer *replayer);
const struct recording *replayer_recording(const struct replayer *replayer);

/* [main] */
const struct replay_verdict *replayer_verdict(const struct replayer *replayer);

/* [main] NULL is allowed. */
void replayer_close(struct replayer *replayer);

#endif
