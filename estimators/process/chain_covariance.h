/* The covariance of the joints' chains with each other after a step: F P F^T of the upper triangle,
 * for chains of the same F side by side. */
#ifndef CHAIN_COVARIANCE_H
#define CHAIN_COVARIANCE_H

#include "process/joint_chains.h"

/* Writes what becomes of the chains' states in `next`. [real-time] P, next: [..][stride] of the
 * whole state, may not overlap; of both only the upper triangle, what stands below means nothing.
 */
void chain_covariance_carry(const struct joint_chain *chain, const struct chain_passage *step,
                            const double *P, double *next, size_t stride);

#endif
