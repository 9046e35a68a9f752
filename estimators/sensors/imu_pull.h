/* An accelerometer that reads that something pulls the base to the ground. Nothing does for longer
 * than a body rings from a strike but legs that are thrown up, and these for some ms more: one that
 * reads so for as long is wrong; sooner when feet seem to go along, not when they do not.
 *
 * It is refused until that is over. After a pull that no strike explains that is when something is
 * read to carry the body: while nothing does, one that is turned round reads the same as one that
 * is not, and strikes have it read the other for some ms. */
#ifndef IMU_PULL_H
#define IMU_PULL_H

#include "sensors/imu_judge.h"

#include <stdbool.h>
#include <stdint.h>

struct imu_pull {
  int64_t pulled_ns;  /* since when it reads a pull downwards; 0: it does not */
  int64_t carried_ns; /* ... that something carries the base */
  int64_t read_ns;    /* of the newest reading */
  double fell;        /* m/s: what the base has gained downwards since, when it is right */
  bool goes_on;       /* no strike has pulled so long, and nothing has carried it since */
  unsigned refused;   /* triads that are refused for it, bits */
};

/* A specific force that pulls a body to the ground. [any] up: m/s^2, along the world's vertical. */
bool imu_pull_is(double up);

/* One more reading. [real-time] up: m/s^2, along the world's vertical. An axis that is not given
 * tells nothing. */
void imu_pull_read(struct imu_pull *pull, double up, int64_t t_ns);

/* It is read for longer than a body rings; than any does unless the feet that stand seem to go
 * `along`, as they do when it is wrong. [real-time] */
bool imu_pull_lasts(const struct imu_pull *pull, bool along, int64_t t_ns);

/* Tells the judge what is known of its end to those that were refused for it. [real-time]
 *   accused  bits of triads that are so now
 *   soles    some stand, which tell how the base turns: the gyro beside it is refused too */
void imu_pull_refuse(struct imu_pull *pull, struct imu_judge *judge, unsigned accused, bool soles,
                     int64_t t_ns);

#endif
