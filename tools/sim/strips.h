/* Ground for who trots: strips across a lane for the left feet and one for the right, each higher
 * or lower and tilted a little, that rise from the first of them on. */
#ifndef STRIPS_H
#define STRIPS_H

#include "mjcf.h"
#include "sim_options.h"

enum { STRIPS_MAX = 60 }; /* of a lane */

struct strips {
  double from;                 /* m, x: where the first begins */
  double middle;               /* m, y: between the lanes */
  double climb;                /* rad */
  size_t n;                    /* of a lane, the last of which goes on; 0: the ground is flat */
  double above[2][STRIPS_MAX]; /* m: of a strip's middle beside the slope; left lane, right lane */
  vec3 tilt[2][STRIPS_MAX];    /* rotation vectors, rad: likewise */
};

/* Strips as the ground is asked for, from `from` on. [start] */
struct strips strips_of(const struct sim_ground *ground, double from, double middle, uint64_t seed);

/* Height of the ground at a place, m. [any] */
double strips_height(const struct strips *strips, double x, double y);

/* Lays them into `block`, at most MJCF_MAX_BLOCKS. [start] The ground about them lies at
 * `*ground_z`. Returns how many were laid. */
size_t strips_lay(const struct strips *strips, double friction, struct block *block,
                  double *ground_z);

#endif
