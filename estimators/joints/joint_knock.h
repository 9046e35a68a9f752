/* A blow (blows.h) at an instant that has just been predicted. */
#ifndef JOINT_KNOCK_H
#define JOINT_KNOCK_H

#include "joints/blows.h"

struct instant;
struct joint_filter;

/* What the base has felt goes through all joints; those that stand apart take it with their next
 * reading. [real-time] Writes blow, adds to kick_q, kick, kick_ddq; learns, also when it is none.
 */
void joint_knock(struct joint_filter *filter, struct instant *now, struct blow blow);

#endif
