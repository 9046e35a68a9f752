/* The centre of pressure of a robot that stands and walks: what the net wrench says of it, weighed
 * with where such points ordinarily are.
 *
 * A wrench by joints' accelerations from encoders alone puts the point a decimetre off and says so.
 * The point itself is never far from below the centre of mass: its offset from there is a process
 * that returns to zero within `time_s` (Ornstein-Uhlenbeck) and deviates by `reach` times the
 * centre's height, which an acceleration of reach * g keeps up. A scalar Kalman filter along each
 * of the world's axes weighs both: a point that is known to millimetres passes unchanged. As a trot
 * or a step throws the point from foot to foot, memory is short: with .2 s the point of a small
 * quadruped was twice as far off as the wrench's own. */
#ifndef COP_FILTER_H
#define COP_FILTER_H

#include "common/status.h"
#include "math/spatial.h"

#include <stdbool.h>

struct cop_filter_settings {
  double reach;     /* of the centre of mass' height: one deviation of the offset; 0: no filter */
  double time_s;    /* s: within which the offset returns; 0: at once */
  double strike_sd; /* m: added to the point's deviation while a foot strikes */
};

struct cop_filter_settings cop_filter_defaults(void);

struct cop_filter {
  struct cop_filter_settings settings;
  double offset[2];   /* m: from below the centre of mass, along the world's x and y */
  double variance[2]; /* m^2: of that */
  bool started;
};

/* [start] OUT_OF_RANGE: a negative or non-finite setting. */
enum status cop_filter_init(struct cop_filter *filter, const struct cop_filter_settings *settings);

struct cop_surroundings {
  vec3 com_W;       /* m: centre of mass, below which the offset begins */
  double height;    /* m: of that above the ground; without any the point passes unchanged */
  double dt;        /* s, > 0: since the last step */
  double hidden[2]; /* m: what smoothing hides of the point, beside its deviation */
  bool strike;      /* a foot strikes */
};

/* Weighs this instant's point. [real-time] One that is not finite passes and leaves nothing behind.
 *   cop_W   in: by the wrench, out: the estimate, m
 *   sd      in, out: [2] m: one standard deviation of each along the world's x and y */
void cop_filter_step(struct cop_filter *filter, const struct cop_surroundings *now, vec3 *cop_W,
                     double sd[2]);

/* There is no such point: the next one starts anew. [real-time] */
static inline void cop_filter_lose(struct cop_filter *filter) {
  filter->started = false;
}

#endif
