/* Skin that has misled the base: all of it is off at once, and the IMU has been refused because of
 * it.
 *
 * What all skin has in common is a slow error of some tenths of a m/s^2. One that is eight times as
 * large is no such error but what a wrong attitude needs to agree with the skin: without a bound
 * both fit each other for good. */
#ifndef SKIN_MISLEADS_H
#define SKIN_MISLEADS_H

#include <stdbool.h>

struct instant;
struct joint_filter;

/* The accelerometer is refused, and what all skin has in common is off by what no skin is off by.
 * [real-time] */
bool skin_misleads(const struct joint_filter *filter, const struct instant *newest);

/* At all instants: what skin has in common is not known, nor how far it has turned and moved the
 * base; the IMU is heard again, off by what it was off by before. [real-time] */
void skin_misled_forget(struct joint_filter *filter);

#endif
