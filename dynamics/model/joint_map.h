/* What a joint adds to the pose of its link, as constants of the model. */
#ifndef JOINT_MAP_H
#define JOINT_MAP_H

#include "model/model.h"

/* R_PL(q) = R0 + cos(q) Rc + sin(q) Rs,   p_PL(q) = p0 + q d
 *
 * Revolute, Rodrigues' formula about any axis a, placed by P: R0 = P a a^T, Rc = P - R0,
 * Rs = P S(a), d = 0. Prismatic: R0 = P, Rc = Rs = 0, d = P a. */
struct joint_map {
  mat3 R0, Rc, Rs;
  vec3 p0, d; /* m, and m per m */
};

/* [start] */
struct joint_map joint_map_of(const struct joint *joint);

/* R_PL from the cosine and sine of q. [any] */
static inline mat3 joint_map_rotation(const struct joint_map *map, double c, double s) {
  mat3 R;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      R.m[i][k] = map->R0.m[i][k] + c * map->Rc.m[i][k] + s * map->Rs.m[i][k];
    }
  }
  return R;
}

#endif
