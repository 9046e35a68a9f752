/* How propriod's health looks to a person: the same lines in `status` and `top`. */
#ifndef VIEW_H
#define VIEW_H

#include "subscriber.h"

#include <stdio.h>

/* Where the lines' words begin, behind their labels. */
#define VIEW_INDENT 15

/* Where and how it is drawn. */
struct view {
  FILE *out;
  bool colours;
  bool recent; /* counters of the last seconds, and not since the start */
};

/* Cycles a second between two `diag` messages; remembers the newer one. */
struct cycle_rate {
  double cycles, overruns_before, t_s; /* of the last diag; NaN: none yet */
  double hz;                           /* NaN until there were two */
  double n, overruns;                  /* cycles between the two, and those that overran */
};
struct cycle_rate cycle_rate_unknown(void);
void cycle_rate_update(struct cycle_rate *rate, const msgpack_object *diag);

/* A word in the colour of its meaning: green for ok, yellow for degraded, init, stale, silent, red
 * for the rest. */
void view_word(const struct view *view, const char *word);

/* " 1.2 ms", " 774 ms", "  44 s": four places and the unit */
void view_age(const struct view *view, double seconds);

/* A stream of `diag` in one word: ok, silent (has been heard), never. */
const char *view_stream_word(const msgpack_object *stream);

/* "propriod: ok  humanoid30, 30 joints, 1260 cells  up 3 h 12 min" */
void view_headline(const struct view *view, const struct subscriber *subscriber);
/* Status of the estimates, and what is not estimated. */
void view_estimates(const struct view *view, const struct subscriber *subscriber);
/* Rate, time used, lateness, and the cycle's counters. */
void view_cycle(const struct view *view, const msgpack_object *diag, const struct cycle_rate *rate);
/* What the kernel grants the running daemon: scheduling class, locked memory, processor. */
void view_real_time(const struct view *view, const msgpack_object *diag);
/* One line a stream: alive, age, frames, and the faults that have occurred. */
void view_streams(const struct view *view, const msgpack_object *diag);
/* Cells in each state; nothing when the skin has not spoken. */
void view_skin(const struct view *view, const msgpack_object *skin);
/* The same without its label: "1258 ok, 2 faulty; 3 outliers so far". */
void view_cells(const struct view *view, const msgpack_object *skin);
/* What the estimated links weigh, a line each, below how that is known; nothing when none is. */
void view_inertia(const struct view *view, const msgpack_object *inertia);
/* "torso_pitch_link 17.02 +- 0.04 kg at 0.012 -0.001 0.213 m": link k of `inertia`. */
void view_weighed_link(const struct view *view, const msgpack_object *inertia, size_t k);
/* What the joint filter has met with since the start, as far as it has. */
void view_filter(const struct view *view, const msgpack_object *diag);
/* Subscribers, and what was lost on the way to them. */
void view_publish(const struct view *view, const msgpack_object *diag);
/* Reloads so far, and how the last one ended. */
void view_reload(const struct view *view, const msgpack_object *diag);

/* Writes why the daemon is not healthy, at most `most` reasons; returns how many there are. A cycle
 * much slower than the period that `meta` names is one. */
int view_reasons(const struct subscriber *subscriber, const struct cycle_rate *rate,
                 char reason[][128], int most);

#endif
