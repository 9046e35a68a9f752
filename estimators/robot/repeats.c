#include "robot/repeats.h"

#include <math.h>

/* It is frozen when it has repeated itself more often in a row than one in so many by chance. */
static const double BY_CHANCE = 1e-9;
enum { LEAST_RUN = 4 };
/* Memory of how often it repeats itself, readings: ordinarily, and of late. */
static const double REPEATS_MEMORY = 5000.0, REPEATS_LATELY = 200.0;

struct repeats repeats_unknown(void) {
  return (struct repeats){.ordinarily = 1.0, .lately = 1.0};
}

void repeats_watch(struct repeats *r, bool equal, bool moving) {
  const double seen = r->seen + 1.0, now = equal ? 1.0 : 0.0;
  r->run = equal ? r->run + moving : 0;
  r->frozen =
      r->run >= LEAST_RUN && (double)r->run * log(fmax(r->ordinarily, r->lately)) < log(BY_CHANCE);
  if (!r->frozen) {
    r->seen = fmin(seen, REPEATS_MEMORY);
    r->ordinarily += (now - r->ordinarily) / (r->seen + 1.0);
    r->lately += (now - r->lately) / (fmin(seen, REPEATS_LATELY) + 1.0);
  }
}
