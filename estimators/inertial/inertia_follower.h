/* What is published of an inertial estimate: it follows the estimate no faster than a controller
 * can bear, and is physically consistent all the way: a straight line in Rucker's coordinates, on
 * which mass, centre of mass and the volume of the pseudo-inertia stay between their end values. */
#ifndef INERTIA_FOLLOWER_H
#define INERTIA_FOLLOWER_H

#include "common/status.h"
#include "inertia/inertia.h"

struct inertia_follower_settings {
  double mass_rate;  /* kg/s */
  double com_rate;   /* m/s */
  double shape_rate; /* 1/s, logarithm of the radii of gyration */
};

/* Moves `published` towards `target` by one step of dt seconds. [real-time]
 * Both must be physically consistent: STATUS_NOT_CONSISTENT or STATUS_NOT_FINITE otherwise, and
 * `published` is untouched. */
enum status inertia_follow(const struct inertia_follower_settings *settings, double dt,
                           const struct inertia *target, struct inertia *published);

#endif
