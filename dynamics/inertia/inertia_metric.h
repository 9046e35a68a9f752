/* How far two bodies are apart, and ways from one to the other.
 *
 * Pseudo-inertias are the positive definite 4 x 4 matrices, a curved space. Distances on it do not
 * depend on the frame in which the bodies are written, nor on units: half the mass is as far as
 * twice the mass. All functions: [any], bounded; some microseconds. Statuses: STATUS_NOT_CONSISTENT
 * when a body is not physically consistent, STATUS_NOT_FINITE; outputs are then untouched. */
#ifndef INERTIA_METRIC_H
#define INERTIA_METRIC_H

#include "common/status.h"
#include "inertia/inertia.h"

/* The affine-invariant distance: the root of the sum of squared logarithms of the eigenvalues of
 * Ja^-1 Jb. Symmetric, obeys the triangle inequality. */
enum status inertia_distance(const struct inertia *a, const struct inertia *b, double *distance);

/* The constant pullback of that metric at `reference` as a matrix: dpi^T W dpi is 1/2 tr(J0^-1 dJ
 * J0^-1 dJ) of the difference dJ of two bodies' pseudo-inertias. W is symmetric positive
 * definite. */
enum status inertia_pullback_matrix(const struct inertia *reference,
                                    double W[INERTIA_PARAMETERS][INERTIA_PARAMETERS]);

/* The point at t on the geodesic from a (t = 0) to b (t = 1), beyond them for other t. Every point
 * is physically consistent. The mass need not stay between those of a and b. */
enum status inertia_geodesic(const struct inertia *a, const struct inertia *b, double t,
                             struct inertia *out);

#endif
