/* Measures of how far two bodies are apart, and ways from one to the other: what inertia_metric.h
 * is held against. STATUS_NOT_CONSISTENT when a body is not physically consistent,
 * STATUS_NOT_FINITE; outputs are then untouched. */
#ifndef INERTIA_DISTANCES_H
#define INERTIA_DISTANCES_H

#include "common/status.h"
#include "inertia/inertia.h"

/* The affine-invariant distance: the root of the sum of squared logarithms of the eigenvalues of
 * Ja^-1 Jb. Symmetric, obeys the triangle inequality. */
enum status inertia_distance(const struct inertia *a, const struct inertia *b, double *distance);

/* The point at t on the geodesic from a (t = 0) to b (t = 1), beyond them for other t. Every point
 * is physically consistent. The mass need not stay between those of a and b. */
enum status inertia_geodesic(const struct inertia *a, const struct inertia *b, double t,
                             struct inertia *out);

/* The constant pullback of that metric at `reference`: 1/2 tr(J0^-1 dJ J0^-1 dJ) of the difference
 * dJ of the bodies' pseudo-inertias. Quadratic in the parameters; a and b may be any bodies. */
enum status inertia_pullback_squared(const struct inertia *reference, const struct inertia *a,
                                     const struct inertia *b, double *squared);

/* The entropic (log-det) divergence of a from b: tr(Jb^-1 Ja) - log det(Jb^-1 Ja) - 4. Zero when
 * equal, convex in a, not symmetric; half the squared distance when they are close. */
enum status inertia_divergence(const struct inertia *a, const struct inertia *b,
                               double *divergence);

/* One step of the exponential low-pass along geodesics: `keep` of the way stays, in [0, 1]. */
enum status inertia_geodesic_low_pass(const struct inertia *previous,
                                      const struct inertia *measured, double keep,
                                      struct inertia *out);

#endif
