#include "model/joint_map.h"

struct joint_map joint_map_of(const struct joint *joint) {
  const mat3 *P = &joint->placement.R;
  const mat3 S = mat3_skew(joint->axis);
  const vec3 a = joint->axis, Pa = mat3_mul_vec3(P, a);
  if (joint->type == JOINT_PRISMATIC) {
    return (struct joint_map){.R0 = *P, .p0 = joint->placement.p, .d = Pa};
  }
  struct joint_map map = {.Rs = mat3_mul(P, &S), .p0 = joint->placement.p};
  map.R0 = (mat3){{{Pa.x * a.x, Pa.x * a.y, Pa.x * a.z},
                   {Pa.y * a.x, Pa.y * a.y, Pa.y * a.z},
                   {Pa.z * a.x, Pa.z * a.y, Pa.z * a.z}}};
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      map.Rc.m[i][k] = P->m[i][k] - map.R0.m[i][k];
    }
  }
  return map;
}
