/* What kinematics.h computes, in the form of vector registers. */
#ifndef LINK_LANES_H
#define LINK_LANES_H

#include "math/lanes.h"

#include <stdbool.h>

/* Constants of a joint: R_LP(q) = R0 + cos(q) Rc + sin(q) Rs, transposed to joint_map.h's. */
struct joint_lanes {
  struct m3 R0, Rc, Rs;
  v3 p0;   /* m, parent coordinates */
  v3 axis; /* parent coordinates */
  bool slides;
};

/* A link at one instant. Velocities and accelerations are those of its origin. */
struct link_lanes {
  struct m3 R_BL, R_LB;
  v3 p;
  struct v6 v, a;     /* base coordinates */
  struct v6 v_L, a_L; /* link coordinates */
  struct v6 S;        /* axis of the link's joint, about the base origin; zero for the base */
};

#endif
