/* What the slow stages of the joint filter learn from an instant that nothing can change any more:
 * biases of the links' skin, and how lively each joint is. */
#ifndef JOINT_SETTLE_H
#define JOINT_SETTLE_H

struct joint_filter;

/* Learns, once, from the instant that is the oldest of a whole window. [real-time] */
void joint_settle_step(struct joint_filter *filter);

/* Takes over what the cells at work say: how large biases may be and which joints are seen.
 * [real-time] */
void joint_settle_priors(struct joint_filter *filter);

#endif
