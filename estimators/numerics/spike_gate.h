/* A reading that stands alone: far from the one before it, and the next does not agree. An impact
 * lasts for more than a sample, a broken word does not.
 *
 * For what is integrated as it comes: a doubtful reading is replaced at once by the one before;
 * when the next one confirms it, what the integral lacks is owed. */
#ifndef SPIKE_GATE_H
#define SPIKE_GATE_H

#include "math/spatial.h"

#include <stdbool.h>
#include <stdint.h>

struct spike_gate {
  bool started;
  vec3 used;        /* the last reading that was believed, or what stands in its place */
  bool doubts;      /* the last reading was not believed ... */
  vec3 doubted;     /* ... and this is what it said */
  double unrest;    /* largest step from reading to reading of late */
  uint64_t refused; /* readings that stayed alone */
};

/* Two changes agree when they point within 60 degrees of each other and neither is `ratio` times
 * the other. [any] */
bool changes_agree(vec3 a, vec3 b, double ratio);

/* What to use for the new reading v, dt s after the last one. [real-time]
 * limit: a step beyond it is doubted, unless such steps are usual now
 * owed: what the reading before ought to have been more, now that it is confirmed; zero mostly */
vec3 spike_gate_step(struct spike_gate *gate, vec3 v, double limit, double dt, vec3 *owed);

#endif
