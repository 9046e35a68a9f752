/* What landings have told of the ground, beside whether each stood on it: how uneven it is, and
 * whether it is the level one that was known.
 *
 * Footholds are off their height by chance, and as much as of late; that is noise. On a slope, or
 * ground that rises, they are off as a plane is: each by less than chance might do it, so that step
 * by step a base is turned and moved along, to be on level ground. What a plane of height and slope
 * would explain of the last landings is chi-square of three where there is none. */
#ifndef GROUND_MEMORY_H
#define GROUND_MEMORY_H

#include "math/spatial.h"
#include "update/ground_judge.h"

#include <stdbool.h>

/* Sums over landings of which a plane explains `off` by `by` = (1, x, y): as high at the base, and
 * rising along x and y. Older ones count less. */
struct ground_memory {
  double uneven;       /* m^2: mean square of what it was off its height by of late */
  double toward[3];    /* by off / variance */
  double weight[3][3]; /* the covariance of that, where ground is level */
  bool other;          /* it is not that which was known: none is, until the base begins anew */
};

/* How far the ground may be off its height, m, that is said to be so by `told`. [any] */
double ground_memory_sd(const struct ground_memory *memory, double told);

/* Feet that were heard, with rows of that deviation; from_base: [heard->feet] m, where they stand
 * beside the base, along the world's axes. [real-time] */
void ground_memory_hear(struct ground_memory *memory, const struct ground_heard *heard, double told,
                        const vec3 from_base[ROBOT_MAX_FEET]);

/* What a plane would explain of what was heard: chi-square of three, or less. [any] */
double ground_memory_surprise(const struct ground_memory *memory);

#endif
