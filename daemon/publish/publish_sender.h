/* What the publisher sends, topic by topic: encodes, stamps, numbers and counts. Of the publisher's
 * thread alone. */
#ifndef PUBLISH_SENDER_H
#define PUBLISH_SENDER_H

#include "common/event.h"
#include "cycle/estimator_report.h"
#include "cycle/handover.h"
#include "publish/topics.h"
#include "publish/wire.h"

#include <stdint.h>

/* bytes of a message; `skin` of ROBOT_MAX_CELLS needs half */
#define PUBLISH_LONGEST (256 * 1024)

struct publish_sender {
  void *socket; /* borrowed */
  int64_t period_ns;
  char *buffer; /* [PUBLISH_LONGEST] */
  struct wire wire;
  int64_t epoch_ns;                       /* CLOCK_REALTIME less CLOCK_MONOTONIC, now */
  int64_t newest_ns;                      /* when the newest result was handed over; 0: none yet */
  enum propriod_status state, centroidal; /* of the newest result */
  struct world_origin origin;             /* likewise */
  struct estimates room;                  /* for a result in the published world */
  uint64_t diag_seq, meta_seq, event_seq, skin_seq, inertia_seq;
  int64_t next_inertia_ns;
  uint64_t messages, bytes, too_long; /* as in struct publish_counters */
};

/* [start] NO_MEMORY. */
enum status publish_sender_init(struct publish_sender *sender, void *socket, int64_t period_ns);
void publish_sender_free(struct publish_sender *sender);

/* Once a turn: follows steps of the wall clock. [publisher] */
void publish_sender_look_at_clock(struct publish_sender *sender, int64_t now_ns);

/* Each sends one message; a result is two, `state` and `centroidal`, and
 * at its own rate `inertia` where links are estimated. [publisher] `meta` is what
 * encode_meta_body wrote, of `size` bytes; `skin_present` says whether the skin's stream is alive;
 * state and centroidal of `content` are filled in here. */
void publish_sender_result(struct publish_sender *sender, const struct cycle_result *result);
void publish_sender_event(struct publish_sender *sender, const struct event *event, int64_t now_ns);
void publish_sender_skin(struct publish_sender *sender, const struct estimator_report *report,
                         bool skin_present);
void publish_sender_diag(struct publish_sender *sender, struct diag_content content,
                         int64_t now_ns);
void publish_sender_meta(struct publish_sender *sender, const char *meta, size_t size,
                         int64_t now_ns);

/* The daemon's status: the worst of its estimates', or stale when the cycle is silent.
 * [publisher] */
enum propriod_status publish_sender_overall(const struct publish_sender *sender, int64_t now_ns);

/* The instant to sleep until before looking into the ring again: nothing wakes the publisher, since
 * waking is a system call that the cycle would pay. Just after the next result is due; when that is
 * already late, soon, and the later it is the longer, up to one period. [any] `newest_ns`: when the
 * newest result was handed over. All on CLOCK_MONOTONIC, ns. */
int64_t publish_next_look(int64_t newest_ns, int64_t period_ns, int64_t now_ns);

#endif
