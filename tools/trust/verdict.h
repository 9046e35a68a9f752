/* What became of a fault: how long until everything was right and `ok` again, and what was said
 * meanwhile. */
#ifndef VERDICT_H
#define VERDICT_H

#include "trust_run.h"

#define VERDICT_WATCH_S   1.3  /* s after the last bad sample that are looked at */
#define VERDICT_RECOVER_S 1.0  /* s: what is asked */
#define VERDICT_Q_WRONG_S 0.05 /* s: positions may be wrong that long while encoders are right */
#define VERDICT_LIE_S     0.02 /* s: `ok` and beyond five deviations */
#define VERDICT_HOLD_S    0.1  /* s: right that long counts as right again */

struct verdict {
  double right_s, ok_s; /* s after the last bad sample: right again, and right and ok; HUGE_VAL:
                           not while it was watched */
  double q_wrong_s;     /* s, longest stretch of wrong positions while their encoders were right */
  double lie_s;         /* s, longest stretch of ok and wrong */
  enum quantity liar;   /* of what */
  double worst_q, worst_tilt; /* rad, largest errors from the first bad sample on */
  uint32_t resets;
  bool finite;
};

/* Steps `run` from where it stands through the burst and the time after. [any] `score` gets every
 * instant from the burst's first on; NULL: not wanted. */
struct verdict verdict_of_burst(struct trust_run *run, struct burst *burst, struct score *score);

/* All that is asked of a fault. [any] */
bool verdict_passes(const struct verdict *verdict);

/* Stalls of all streams, 50 to 1500 ms apart, and as long as drawn between these. */
struct stalls {
  uint64_t seed;
  double shortest_s, longest_s;
};
/* What a feed may do that cannot keep up. */
#define STALLS_OF(seed) ((struct stalls){(seed), 0.02, 0.4})

/* Stalls until the tape's end is as near as they are watched afterwards; then that time. [any] */
struct verdict verdict_of_stalls(struct trust_run *run, const struct stalls *stalls,
                                 struct score *score);

#endif
