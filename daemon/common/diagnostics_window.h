/* What was counted in the last seconds, beside what has been counted since the start: a fault of
 * last week and one of now look the same in a counter that never falls. */
#ifndef DIAGNOSTICS_WINDOW_H
#define DIAGNOSTICS_WINDOW_H

#include "common/diagnostics.h"

#include <stdint.h>

enum { DIAGNOSTICS_SNAPSHOTS = 6 };
#define DIAGNOSTICS_STEP_NS INT64_C(2000000000) /* between two snapshots: five are ten seconds */

struct diagnostics_window {
  struct diagnostics snapshot[DIAGNOSTICS_SNAPSHOTS]; /* a ring */
  int64_t taken_ns[DIAGNOSTICS_SNAPSHOTS];
  size_t kept, newest;
  struct diagnostics recent; /* counted since the oldest; what is no count, as it is now */
  double span_s;             /* s: since the oldest */
};

/* Begins with nothing kept: what is counted from now on. [start] All zero does the same. */
void diagnostics_window_reset(struct diagnostics_window *window);

/* Renews `recent` and `span_s`, and keeps a snapshot when it is time for one. [any] By the one
 * thread that owns the window; `now` may be counting up meanwhile. */
void diagnostics_window_step(struct diagnostics_window *window, const struct diagnostics *now,
                             int64_t now_ns);

/* `span`, `cycle` and `streams` of struct diagnostics_window. */
extern const struct field_table diagnostics_recent;

#endif
