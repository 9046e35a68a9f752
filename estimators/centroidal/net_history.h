/* What the motion has said of late of the force on the whole robot: feet are felt late and seldom,
 * and are compared with what was then. */
#ifndef NET_HISTORY_H
#define NET_HISTORY_H

#include "math/spatial.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NET_HISTORY = 64 }; /* steps */

struct net_moment {
  int64_t t_ns;
  vec3 force_W;   /* N: on the whole robot */
  bool cop_known; /* it has a centre of pressure */
  vec3 cop_W;     /* m: that */
};

struct net_history {
  struct net_moment at[NET_HISTORY];
  size_t count; /* noted since the beginning */
};

/* The newest. [real-time] */
void net_history_note(struct net_history *history, const struct net_moment *now);

/* The newest that is not after t_ns; the oldest when all are. [real-time] NULL: there is none. */
const struct net_moment *net_history_at(const struct net_history *history, int64_t t_ns);

#endif
