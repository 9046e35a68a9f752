/* What the estimator of inertial parameters learns from rows.
 *
 * The update is an iterated extended Kalman filter in information form: an iteration costs the same
 * for any number of rows, and one update can be spread over several cycles, an iteration in each.
 *
 * With `memory` the rows since the last re-opening are kept as normal equations in the parameters,
 * in which they are linear, and each update is the best fit to all of them and to the prior.
 * Without it rows are frozen into the covariance where they were linearised, as in the textbook's
 * filter, and it is too small by a factor of two after a large change.
 *
 * [real-time]: no allocation, bounded. */
#ifndef INERTIAL_UPDATE_H
#define INERTIAL_UPDATE_H

#include "inertial/inertial_core.h"

/* Starts an update with rows that inertial_core_innovation found sound, their information weighed
 * by `weight` in (0, 1]. STATUS_SINGULAR: the prior's covariance is not positive definite. */
enum status inertial_core_begin(struct inertial_core *core, const struct inertial_rows *rows,
                                double weight);
/* One iteration. True when another is needed. */
bool inertial_core_iterate(struct inertial_core *core);
/* Takes the result over. STATUS_NOT_FINITE, _SINGULAR: rejected, the estimate is as before. */
enum status inertial_core_finish(struct inertial_core *core);

/* Fits what is remembered to a prior that has changed, all at once, which takes about two updates.
 * Statuses as inertial_core_finish. Not while an update is on its way. */
enum status inertial_core_refit(struct inertial_core *core);

/* How well a prior foretold the rows that are remembered, which tells a load that was there from
 * the start from biases: a wide prior can foretell anything, and each single thing less. It is the
 * logarithm of their density, nats, but for a constant, under a prior with the core's mean and the
 * covariance P [n][n]. With L L^T = P, A the rows' information and g what they say beyond the mean,
 *
 *   1/2 u^T M^-1 u - 1/2 ln det M,   u = L^T g, M = 1 + L^T A L,
 *
 * linearised at the mean, which rows move by L M^-1 u: to `fit` [n], or NULL. The regressor's noise
 * stays in A, M might be indefinite without. -HUGE_VAL, and nothing written, when P is not positive
 * definite. Not while an update is on its way; takes as long as finishing one. */
double inertial_evidence(struct inertial_core *core, const double *P, double *fit);

#endif
