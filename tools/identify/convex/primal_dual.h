/* The way to the optimum, with multipliers beside the unknowns.
 *
 * Every cone's matrix F has a multiplier Z > 0; at weight mu of the barrier F Z = mu 1 and the
 * slope of the cost is that of sum tr(Z F). Both move together: Nesterov and Todd's scaling T makes
 * them one and the same diagonal, T F T^T = T^-T Z T^-1 = D, and Mehrotra's predictor says how far
 * mu may fall and what the step bends. A barrier alone needs three to four times as many steps.
 *
 * It ends near the path; the gap's proof is the barrier's own (convex_fit.h). [start] [worker] */
#ifndef PRIMAL_DUAL_H
#define PRIMAL_DUAL_H

#include "identify/convex/convex_fit.h"

/* Brings x [n], inside of every cone, from the weight mu near the point of the path at the weight
 * `last`. H: [n][n] scratch; vectors: [4 n] scratch. *steps grows by the steps taken. STATUS_OK;
 * STATUS_NO_CONVERGENCE, STATUS_SINGULAR, STATUS_NO_MEMORY: x is then still inside all cones. */
enum status primal_dual_follow(const struct convex_fit *fit, double mu, double last, double *x,
                               double *H, double *vectors, int *steps);

#endif
