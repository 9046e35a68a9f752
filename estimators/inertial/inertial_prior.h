/* What the estimator of inertial parameters believes before rows have told it anything: the prior,
 * its drift, and that something may have changed.
 *
 * A load that was there from the start is in what the start measures, with biases. Two priors of
 * the start are kept: with the load, from which rows are learned, and without, which takes most of
 * them for biases. How likely a load is follows from how well both foretold the rows, as long as
 * these are remembered (inertial_evidence); with drift in them, none would foretell as well as a
 * load in the end. What is told lies between the two, with deviations that reach to the load.
 *
 * [real-time] unless said otherwise: no allocation, bounded. */
#ifndef INERTIAL_PRIOR_H
#define INERTIAL_PRIOR_H

#include "inertial/inertial_core.h"

/* Begins again from a prior mean, [n_links]. [any] Statuses as init. */
enum status inertial_core_reset(struct inertial_core *core, const struct inertia *prior);

/* Takes an estimate, [n_links], with its covariance [n_pi][n_pi] in the state's coordinates, as the
 * new prior; biases begin again. [any] STATUS_NOT_CONSISTENT, STATUS_NOT_FINITE, STATUS_SINGULAR
 * (the covariance is not positive definite): nothing changed. */
enum status inertial_core_recall(struct inertial_core *core, const struct inertia *estimate,
                                 const double *covariance);

/* Takes over what a core of the same links, form and number of biases knows. [real-time]
 * STATUS_BAD_ARGUMENT: it is of others. */
enum status inertial_core_adopt(struct inertial_core *core, const struct inertial_core *previous);

/* Lets the parameters drift for dt seconds. Not while an update is on its way. */
void inertial_core_predict(struct inertial_core *core, double dt);

/* The estimate becomes the prior of what is to come, and remembered rows are forgotten. Where a
 * load was supposed it is that of both fits, with the load and without, as likely as they are. Not
 * while an update is on its way. */
void inertial_core_conclude(struct inertial_core *core);

/* Concludes, and opens the covariance: something has changed by about this much, on every link. */
void inertial_core_reopen(struct inertial_core *core, const struct inertial_spread *change);

/* Supposes a load of about this much on every link, there from the start, whose rows are `start`.
 * What they measured is remembered: load, gains, and biases, which may have moved by their
 * deviation since. */
void inertial_core_suppose(struct inertial_core *core, const struct measured_rows *start,
                           const struct inertial_spread *load);

/* One link's spread, whose covariance is B B^T. A linear estimate may be no body: then the prior's
 * place serves. */
void inertial_core_spread(const struct inertial_core *core, size_t link,
                          const struct inertial_spread *spread,
                          double B[INERTIA_PARAMETERS][INERTIA_PARAMETERS]);

/* The same of a change, which may be larger than the link itself: one in the logarithm of its
 * mass. */
void inertial_core_change(const struct inertial_core *core, size_t link,
                          const struct inertial_spread *change,
                          double B[INERTIA_PARAMETERS][INERTIA_PARAMETERS]);

/* The estimate as it is becomes the prior, and there are no rows yet. */
void inertial_core_begin_anew(struct inertial_core *core);

#endif
