/* Ground that is not flat: a slab under each foothold of the walker, higher or lower and tilted a
 * little. Each slab reaches half-way to the same foot's next foothold, so that no foot meets an
 * edge. */
#ifndef UNEVEN_GROUND_H
#define UNEVEN_GROUND_H

#include "mjcf.h"
#include "sim_options.h"
#include "walk_pattern.h"

/* Lays the slabs of a walk into `block`, at most `room` of them. [start] The ground about them lies
 * at `*ground_z`. Returns how many were laid; 0 when the ground is flat. */
size_t uneven_ground_lay(const struct sim_ground *ground, const struct walk_pattern *pattern,
                         double friction, uint64_t seed, size_t room, struct block *block,
                         double *ground_z);

#endif
