/* The published world's origin, and the orders that change it: from the main thread to the cycle.
 *
 * An order is carried out between two results and holds for all of a result. The origin outlives
 * the pipeline, so that a reload keeps it; where the base begins anew, below itself in a world of
 * its own, it is given up, since nobody knows any more where it was. */
#ifndef WORLD_KEEPER_H
#define WORLD_KEEPER_H

#include "cycle/world_origin.h"

#include <stdatomic.h>

/* All zero: the estimators' own world, no order. */
struct world_keeper {
  _Atomic int state;          /* of the order: enum in world_keeper.c */
  struct world_order order;   /* the main thread's, but the cycle's from given to done */
  struct world_origin placed; /* what came of it, likewise */
  struct world_origin origin; /* the cycle's */
  uint64_t resets;            /* of the estimate, as last seen */
  _Atomic uint64_t lost;
};

/* The origin for the result with this state; `resets` counts how often the estimate began anew.
 * [real-time] */
struct world_origin world_keeper_step(struct world_keeper *keeper,
                                      const struct propriod_state *state, uint64_t resets);

/* Has the next cycle carry out `order`. [main] Waits for that. OK with `placed`; REFUSED: no
 * attitude is estimated; STALE: no cycle came within `timeout_ns`. Unless OK nothing changes. */
enum status world_keeper_order(struct world_keeper *keeper, const struct world_order *order,
                               int64_t timeout_ns, struct world_origin *placed);

/* How often an origin that was set has been given up. [any] */
uint64_t world_keeper_lost(const struct world_keeper *keeper);

#endif
