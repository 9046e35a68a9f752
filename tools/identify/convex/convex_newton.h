/* Newton's linear system, in units in which the matrix' diagonal is one: parameters of a heavy link
 * and friction of a wrist stand beside each other. [start] [worker] */
#ifndef CONVEX_NEWTON_H
#define CONVEX_NEWTON_H

#include <stdbool.h>
#include <stddef.h>

/* Cholesky's factor of the symmetric H [n][n], both halves filled, in place; unit [n] are the units
 * for newton_solve. A ridge, where it is allowed, makes steps shorter where H is singular to
 * rounding. False when H is not positive definite; it is then lost. */
bool newton_factor(double *H, double *unit, size_t n, bool ridges);

/* Solves H s = g in place of g [n]. */
void newton_solve(const double *H, const double *unit, double *g, size_t n);

#endif
