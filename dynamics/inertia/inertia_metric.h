/* How far two bodies are apart.
 *
 * Pseudo-inertias are the positive definite 4 x 4 matrices, a curved space. Distances on it do not
 * depend on the frame in which the bodies are written, nor on units: half the mass is as far as
 * twice the mass. */
#ifndef INERTIA_METRIC_H
#define INERTIA_METRIC_H

#include "common/status.h"
#include "inertia/inertia.h"

/* The constant pullback of the affine-invariant metric at `reference` as a matrix: dpi^T W dpi is
 * 1/2 tr(J0^-1 dJ J0^-1 dJ) of the difference dJ of two bodies' pseudo-inertias. W is symmetric
 * positive definite. [any] Bounded; some microseconds. STATUS_NOT_CONSISTENT when the reference is
 * not physically consistent, STATUS_NOT_FINITE; W is then untouched. */
enum status inertia_pullback_matrix(const struct inertia *reference,
                                    double W[INERTIA_PARAMETERS][INERTIA_PARAMETERS]);

#endif
