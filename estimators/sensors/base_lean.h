/* Where gravity is, by the accelerometer's mean and by what stands: whether the base is turned
 * wrongly, whatever has turned it.
 *
 * What the base is pushed by on average over T changes its velocity, and what is left of it is
 * gravity:
 *
 *   R mean(f) - (v(T) - v(0)) / T = (0 0 g)
 *
 * Two such stretches in a row that agree are believed where the soles that stand lie level by them,
 * rather than by the attitude: an accelerometer that is off, feet that are wrongly thought to stand
 * and tell a velocity that is none, all lack that witness; soles on a slope, the accelerometer. */
#ifndef BASE_LEAN_H
#define BASE_LEAN_H

#include "math/spatial.h"

#include <stdbool.h>
#include <stdint.h>

struct base_lean {
  int64_t began_ns, read_ns; /* the stretch at hand; its newest reading; 0: none */
  vec3 sum;                  /* m/s: integral of the specific force since, world axes */
  vec3 speed;                /* m/s: as it began */
  vec3 before; /* m/s^2: gravity by the one before, world axes as the estimate has them; 0: none */
  bool leans;  /* the base is turned wrongly: */
  vec3 up;     /* m/s^2: gravity is there, likewise */
};

/* What an accelerometer reads, and what the estimate holds beside it; world axes. */
struct lean_reading {
  vec3 force;  /* m/s^2; an axis that is not given tells nothing */
  vec3 speed;  /* m/s: of the accelerometer */
  vec3 normal; /* unit: of the soles that stand, on average; 0: none does */
};

/* Nothing of what came before counts: the base is turned otherwise now. [real-time] */
void base_lean_reset(struct base_lean *lean);

/* One more reading. [real-time] */
void base_lean_read(struct base_lean *lean, const struct lean_reading *reading, int64_t t_ns);

/* The attitude that puts gravity where it is, turned about no vertical. [any] */
mat3 base_lean_upright(const struct base_lean *lean, const mat3 *R_WB);

#endif
