/* A sensor that repeats its last reading to the bit: some do so ordinarily, one that is frozen goes
 * on for longer than they do by chance. */
#ifndef REPEATS_H
#define REPEATS_H

#include <stdbool.h>

/* How often it repeats itself. */
struct repeat_share {
  double ordinarily, lately; /* share of the readings */
  double seen;               /* readings that `ordinarily` is made of */
};

struct repeats {
  struct repeat_share at_rest, moving;
  unsigned run;      /* readings in a row */
  double log_chance; /* of such a run */
  bool frozen;
};

/* Nothing is known yet. [any] */
struct repeats repeats_unknown(void);

/* Takes one fresh reading. [real-time] equal: to the one before; moving: the robot does. Sets
 * `frozen`. A sensor of few bits, or one that is read more often than it measures, repeats itself
 * ordinarily, and one without noise does at rest; how often is learned, unless it is frozen. */
void repeats_watch(struct repeats *repeats, bool equal, bool moving);

#endif
