/* The covariance of the base's states after a step, with the joints' and with each other:
 * F P F^T of the upper triangle. */
#ifndef BASE_COVARIANCE_H
#define BASE_COVARIANCE_H

#include "process/base_passage.h"

/* Writes joints by base in `next`, and spoils what is joints by joints. [real-time] P, next:
 * [..][stride] of the whole state, may not overlap; of both only the upper triangle, what stands
 * below means nothing. */
void base_covariance_cross(const struct joint_chain *joints, const struct chain_passage *step,
                           const struct base_passage *base, const double *P, double *next,
                           size_t stride);

/* Writes base by base, and nothing else of the upper triangle. [real-time] */
void base_covariance_own(const struct base_passage *base, const double *P, double *next,
                         size_t stride);

#endif
