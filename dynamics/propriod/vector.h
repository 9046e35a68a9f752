/* Vectors and rotations as propriod holds and shows them: plain doubles. C11 or C++11, nothing
 * else. */
#ifndef PROPRIOD_VECTOR_H
#define PROPRIOD_VECTOR_H

typedef struct {
  double x, y, z;
} propriod_vec3;

/* A unit quaternion, scalar last as in ROS. */
typedef struct {
  double x, y, z, w;
} propriod_quat;

#endif
