/* A blow (blows.h) at an instant that has just been predicted. */
#ifndef JOINT_KNOCK_H
#define JOINT_KNOCK_H

#include "process/blows.h"

struct instant;
struct joint_filter;

/* What the base has felt goes through all joints; those that stand apart take it with their next
 * reading. [real-time] Writes blow, adds to kick_q, kick, kick_ddq; learns, also when it is none.
 */
void joint_knock(struct joint_filter *filter, struct instant *now, struct blow blow);

/* An accelerometer that has become noisy does not feel a blow of less than `square`, (m/s^2)^2,
 * which comes some times a second: an error that the filter does not know of (aftershock.h).
 * [real-time] dt: s since the reading before. */
void joint_knock_unfelt(struct joint_filter *filter, double square, double dt);

#endif
