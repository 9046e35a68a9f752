/* Joints that follow others.
 *
 * The algorithms over the tree know nothing of mimic joints: every joint is a coordinate of its
 * own. Whoever holds the independent coordinates expands them before a step and reduces torques
 * after it:
 *
 *   mimic_expand   q_i = ratio q_leader + offset, and dq_i, ddq_i likewise without the offset
 *   mimic_reduce   tau_leader += ratio tau_i, tau_i = 0 (virtual work)
 *
 * A chain of followers is resolved from its leader. */
#ifndef MIMIC_H
#define MIMIC_H

#include "model/model.h"

/* Overwrites the followers' entries. Arrays are [n_joints]; dq and ddq may be NULL. [real-time]
 * STATUS_BAD_ARGUMENT, nothing written: a joint follows itself, directly or round a circle. */
enum status mimic_expand(const struct model *model, double *q, double *dq, double *ddq);

/* Gives the followers' torques to their leaders. tau: [n_joints]. [real-time] Statuses as above. */
enum status mimic_reduce(const struct model *model, double *tau);

#endif
