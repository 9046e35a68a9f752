/* How well a prior foretold the rows that are remembered: what tells a load that was there from the
 * start from biases and from errors of the model. A wide prior can foretell anything, and each
 * single thing less; only rows that the narrow one cannot explain speak for it.
 *
 * [real-time]: no allocation, bounded; about as long as finishing an update. */
#ifndef INERTIAL_EVIDENCE_H
#define INERTIAL_EVIDENCE_H

#include "inertial/inertial_core.h"

/* The logarithm of the rows' density under a prior with the core's mean and the covariance P
 * [n][n], nats, but for a constant: the same for every P. With L L^T = P, A the information of the
 * rows and g what they say beyond the mean,
 *
 *   1/2 u^T M^-1 u - 1/2 ln det M,   u = L^T g, M = 1 + L^T A L,
 *
 * linearised at the mean, which rows move by L M^-1 u: to `fit` [n], or NULL. The regressor's noise
 * stays in A: without it M may be indefinite. -HUGE_VAL, and nothing written, when P is not
 * positive definite. Not while an update is on its way. */
double inertial_evidence(struct inertial_core *core, const double *P, double *fit);

#endif
