/* Where gravity is, by the accelerometer's mean alone: whether the base is turned wrongly, whatever
 * has turned it.
 *
 * What the base is pushed by on average over T changes its velocity, which feet tell, and what is
 * left of it is gravity:
 *
 *   R mean(f) - (v(T) - v(0)) / T = (0 0 g)
 *
 * Two such stretches in a row that agree are believed where the velocity does not account for most
 * of it: feet that are wrongly thought to stand tell one that is none. */
#ifndef BASE_LEAN_H
#define BASE_LEAN_H

#include "math/spatial.h"

#include <stdbool.h>
#include <stdint.h>

/* m/s^2, world axes as the estimate has them. */
struct lean_stretch {
  vec3 pushed; /* mean specific force; 0: nothing is known */
  vec3 up;     /* ... less what has changed the velocity: gravity */
};

struct base_lean {
  int64_t began_ns, read_ns; /* the stretch at hand; its newest reading; 0: none */
  vec3 sum;                  /* m/s: integral of the specific force since, world axes */
  vec3 speed;                /* m/s: as it began */
  struct lean_stretch before;
  bool leans; /* the base is turned wrongly: */
  vec3 up;    /* m/s^2: gravity is there, world axes as the estimate has them */
};

/* Nothing of what came before counts: the base is turned otherwise now. [real-time] */
void base_lean_reset(struct base_lean *lean);

/* One more reading. [real-time] An axis that is not given tells nothing.
 *   force  m/s^2, world axes
 *   speed  m/s, world axes: of the accelerometer, by all that tells it */
void base_lean_read(struct base_lean *lean, vec3 force, vec3 speed, int64_t t_ns);

/* The attitude that puts gravity where it is, turned about no vertical. [any] */
mat3 base_lean_upright(const struct base_lean *lean, const mat3 *R_WB);

#endif
