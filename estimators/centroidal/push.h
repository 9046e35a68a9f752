/* External forces beside the ground's: when they begin, and how large they are.
 *
 * All contacts together give the net wrench. Where the feet's part of it is known, from sensors or
 * from leg torques, the rest is the push: force and impulse are estimated. Where it is not, the
 * ground takes a share that nobody sees; then a sudden change of the net horizontal force still
 * tells the onset and a lower bound, and `observable` is false.
 *
 * What the signal does ordinarily (offsets of sensors, unmodelled friction, gait) is learned from
 * the recent past, and how far it may be wrong at this instant is known: a push is what leaves both
 * by several deviations. */
#ifndef PUSH_H
#define PUSH_H

#include "common/status.h"
#include "math/spatial.h"

#include <stdbool.h>
#include <stdint.h>

struct push_settings {
  double least;      /* of the weight: smaller forces are no push */
  double deviations; /* of the recent signal, beyond which it is one */
  double memory_s;   /* s: how long the recent past is */
  double confirm_s;  /* s: for so long, and in two readings at least, before it is said */
  double over_s;     /* s: below half of the limit for so long, and it is over */
  double longest_s;  /* s: what lasts longer is a load, not a push, and is learned */
};

struct push_settings push_defaults(void);

struct push {
  struct push_settings settings;
  bool started;
  bool active;           /* a push goes on, or has just ended within over_s */
  bool observable;       /* force and impulse are estimates; else lower bounds */
  vec3 force_W;          /* N, beyond the ordinary; zero while nothing pushes */
  vec3 impulse_W;        /* N s since the onset; keeps the last push's until the next */
  uint64_t count;        /* pushes since the start */
  vec3 mean_W, variance; /* N, N^2: of the recent past */
  double lately_z;       /* N: mean of its vertical, of a tenth of a second */
  double learned_s, beyond_s, below_s, active_s;
  vec3 pending_W; /* N s: since it left the ordinary, not yet confirmed */
};

/* [start] OUT_OF_RANGE: a setting that is not positive. */
enum status push_init(struct push *push, const struct push_settings *settings);

/* How much more the feet feel than the motion needs, N, of late: the weight of a load that the
 * model does not have, or what their sensors are off by. 0 where they are not felt, or feel less:
 * then something else carries the robot, too. [any] */
double push_strange_weight(const struct push *push);

/* One instant. [real-time]
 *   net_W   N: force of all contacts
 *   feet_W  N: of the feet, or NULL where it is not known
 *   sd      N: one standard deviation of net_W less the feet's part, beyond what is learned
 *   weight  N
 *   dt      s, in (0, 0.1] */
void push_step(struct push *push, vec3 net_W, const vec3 *feet_W, vec3 sd, double weight,
               double dt);

#endif
