/* A base that something else carries than its feet, or that lies: what hangs swings, and what has
 * fallen lies, so either comes to rest again and again. */
#ifndef BASE_HANGING_H
#define BASE_HANGING_H

#include <stdbool.h>
#include <stdint.h>

struct instant;
struct joint_filter;

struct base_hanging {
  bool hangs;       /* something else than the feet carries the robot */
  int64_t since_ns; /* it has not been seen to rest; 0: it does not hang */
};

/* One that is not seen to rest for long may have any velocity; one that has hung from the start any
 * height. Feet that were taken to stand at the start have told what is not so: the base begins
 * anew. [real-time] */
void base_hanging_step(struct joint_filter *filter, struct instant *now);

#endif
