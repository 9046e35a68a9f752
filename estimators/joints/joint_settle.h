/* What the slow stages of the joint filter learn from an instant that nothing can change any more:
 * biases of the links' skin, and how lively each joint is. */
#ifndef JOINT_SETTLE_H
#define JOINT_SETTLE_H

#include <stdint.h>

struct joint_filter;

/* Learns, once, from the instant that is the oldest of a whole window. [real-time] */
void joint_settle_step(struct joint_filter *filter);

/* All encoders together have begun to lean away at t_ns, read every dt s: what rest has taught of
 * how lively the joints are ends there. For as long as the bank takes to see it no joint is taken
 * for quiet, and joint_filter_begins. [real-time] */
void joint_settle_begin(struct joint_filter *filter, int64_t t_ns, double dt);

/* Takes over what the cells at work say: how large biases may be and which joints are seen.
 * [real-time] */
void joint_settle_priors(struct joint_filter *filter);

#endif
