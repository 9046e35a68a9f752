/* The inertial parameters nearest to ones that no body has. */
#ifndef NEAREST_INERTIA_H
#define NEAREST_INERTIA_H

#include "inertia/inertia.h"

/* Makes `pi` physically consistent. [start] [worker] Mass and centre of mass stay; of the spread of
 * the mass about its centre, Sigma = tr(I_C)/2 1 - I_C, what lies below `least_spread`^2 times the
 * mass (m, root mean square along a principal axis) is raised to it, and nothing else changes: the
 * nearest Sigma in the Frobenius norm that is no thinner. Writes to `change` (may be NULL) the
 * largest change of a principal moment, as a share of the largest moment. STATUS_NOT_CONSISTENT,
 * `pi` untouched: no mass. (A log-Cholesky distance has no value for a matrix that is not
 * definite.) */
enum status nearest_inertia(struct inertia *pi, double least_spread, double *change);

#endif
