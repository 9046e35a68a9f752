/* Whether the machine keeps up: the share of cycles, over about the last second, that took longer
 * than their period. One that is late now and then is no news; one that cannot be done in time
 * makes what is published later than it says, and less often. */
#ifndef OVERLOAD_H
#define OVERLOAD_H

#include <stdbool.h>

#define OVERLOAD_BEGINS 0.05 /* share of cycles from which on the machine does not keep up */
#define OVERLOAD_ENDS   0.02 /* and below which it does again */

struct overload {
  double weight; /* of one cycle in the share: period over one second, at most 1 */
  double share;  /* of cycles that overran, fading */
  bool lasts;
};

/* [start] `period_s` of the cycle, s. */
void overload_init(struct overload *overload, double period_s);

/* Takes one cycle into account; true while the machine does not keep up. [real-time] */
bool overload_step(struct overload *overload, bool overran);

#endif
