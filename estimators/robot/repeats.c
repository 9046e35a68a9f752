#include "robot/repeats.h"

#include <math.h>

/* It is frozen when it has repeated itself more often in a row than one in so many by chance. */
static const double BY_CHANCE = 1e-9;
enum { LEAST_RUN = 4 };
/* Memory of how often it repeats itself, readings: ordinarily, and of late. */
static const double REPEATS_MEMORY = 5000.0, REPEATS_LATELY = 200.0;

struct repeats repeats_unknown(void) {
  const struct repeat_share always = {.ordinarily = 1.0, .lately = 1.0};
  return (struct repeats){.at_rest = always, .moving = always};
}

static void learn(struct repeat_share *share, double equal) {
  const double seen = share->seen + 1.0;
  share->seen = fmin(seen, REPEATS_MEMORY);
  share->ordinarily += (equal - share->ordinarily) / (share->seen + 1.0);
  share->lately += (equal - share->lately) / (fmin(seen, REPEATS_LATELY) + 1.0);
}

void repeats_watch(struct repeats *r, bool equal, bool moving) {
  struct repeat_share *share = moving ? &r->moving : &r->at_rest;
  r->run = equal ? r->run + 1 : 0;
  r->log_chance = equal ? r->log_chance + log(fmax(share->ordinarily, share->lately)) : 0.0;
  r->frozen = r->run >= LEAST_RUN && r->log_chance < log(BY_CHANCE);
  if (!r->frozen) {
    learn(share, equal ? 1.0 : 0.0);
  }
}
