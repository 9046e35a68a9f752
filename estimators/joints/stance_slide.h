/* Feet that stand, as witnesses of a triad of the IMU that is on trial (imu_judge.h), where soles
 * do not tell better (stance_witness.h): they slide as they would if it were wrong
 * (stance_speed.h), and have done so for most of the trial. What a foot's speed is off by from
 * instant to instant speaks as much for them as against. */
#ifndef STANCE_SLIDE_H
#define STANCE_SLIDE_H

#include "math/spatial.h"
#include "sensors/imu_judge.h"

#include <stdint.h>

struct instant;
struct joint_filter;

struct stance_slide {
  vec3 gained;              /* m/s, base axes: by what is on trial of the accelerometer */
  double way[IMU_TRIADS];   /* m: how far feet have slid as they would if a jump were wrong */
  double for_s[IMU_TRIADS]; /* s: for how long */
  int64_t seen_ns;          /* newest instant */
};

/* Sees how they slide at one more instant. [real-time] Returns the triads against which they speak,
 * bits 1 << enum imu_triad. */
unsigned stance_slide_step(struct joint_filter *filter, const struct instant *now);

#endif
