/* Joints that mimic another: fingers, coupled phalanges, parallel linkages. */
#ifndef FOLLOWERS_H
#define FOLLOWERS_H

#include "model/model.h"

#include <stddef.h>

/* q_j = offset + ratio q_leader, at the end of a chain of followers. */
struct follower {
  size_t leader; /* j itself when it mimics none */
  double ratio, offset;
};

/* What joint j follows. [start] */
struct follower follower_of(const struct model *model, size_t j);

#endif
