/* What the slow stages of the joint filter learn from an instant that nothing can change any more:
 * biases of the links' skin, and how lively each joint is. */
#ifndef JOINT_SETTLE_H
#define JOINT_SETTLE_H

#include <stdint.h>

struct joint_filter;

/* Learns, once, from the instant that is the oldest of a whole window. [real-time] */
void joint_settle_step(struct joint_filter *filter);

/* An acceleration has jumped at t_ns: what rest has taught of how lively the joints are ends there,
 * of all of them, since a body begins to move as a whole and only the first joint shows as a jump.
 * Until the bank has seen that instant no joint is taken for quiet. [real-time] */
void joint_settle_wake(struct joint_filter *filter, int64_t t_ns);

/* All encoders together have begun to lean away at t_ns, read every dt s: likewise, and for a while
 * joint_filter_begins. [real-time] */
void joint_settle_begin(struct joint_filter *filter, int64_t t_ns, double dt);

/* Takes over what the cells at work say: how large biases may be and which joints are seen.
 * [real-time] */
void joint_settle_priors(struct joint_filter *filter);

#endif
