/* What the estimator of inertial parameters learns from rows.
 *
 * The update is an iterated extended Kalman filter in information form: an iteration costs the same
 * for any number of rows, and one update can be spread over several cycles, an iteration in each.
 *
 * With `memory` the rows since the last re-opening are kept as normal equations in the parameters,
 * in which they are linear, instead of being frozen into the covariance at the linearisation of
 * their day: each update is then the best fit to all of them and to the prior. Without it the
 * filter is the textbook's, and its covariance is too small by a factor of two after a large
 * change.
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
/* Takes the result over. STATUS_NOT_FINITE or STATUS_SINGULAR: rejected, the estimate is as
 * before. */
enum status inertial_core_finish(struct inertial_core *core);

/* Fits what is remembered to a prior that has changed, all at once, which takes about two updates.
 * Statuses as inertial_core_finish. Not while an update is on its way. */
enum status inertial_core_refit(struct inertial_core *core);

/* g [n] += T^T (b - A (pi, bias)) with A [n][n], b [n] of row_memory_fit, linearised where the core
 * is: half the slope along which the fit to the rows goes downhill. */
void inertial_core_add_slope(struct inertial_core *core, const double *A, const double *b,
                             double *g);

/* X = T^T X T with T = d(parameters, biases)/dx, G for each link and one for the biases: a
 * quadratic form of the parameters as one of the state. `columns`: n for all of it, n_pi when there
 * are no biases in X. Stride as many. */
void inertial_core_to_state(const struct inertial_core *core, double *X, size_t columns);

#endif
