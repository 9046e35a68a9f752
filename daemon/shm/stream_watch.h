/* Says when a sensor stream falls silent, and when it is heard (again): what an operator wants to
 * find in the log, and a program as an event. */
#ifndef STREAM_WATCH_H
#define STREAM_WATCH_H

#include "common/diagnostics.h"
#include "common/message.h"

#include <stdbool.h>
#include <stdint.h>

/* A stream that was lost is heard again when it has come for so long without a silence: one that
 * flickers is lost once and not a line every time. */
#define STREAM_STEADY_NS 1000000000

/* What was said last of a stream, and what has come of it since. */
struct stream_said {
  bool heard, lost;   /* said last; ever said */
  uint64_t stale;     /* its counter of silences */
  uint64_t silences;  /* since it was said to be heard */
  int64_t trouble_ns; /* when it was last seen silent */
};

struct stream_watch { /* all zero: nothing has been said */
  struct stream_said said[PROPRIOD_SHM_STREAMS];
};

enum stream_word { STREAM_NO_WORD, STREAM_FOUND, STREAM_LOST };

/* Looks at stream `kind`. [main] FOUND or LOST with `text`: there is something to say. A silence
 * that is over by now is said too. */
enum stream_word stream_watch_look(struct stream_watch *watch, unsigned kind,
                                   const struct stream_diagnostics *stream, int64_t now_ns,
                                   struct message *text);

#endif
