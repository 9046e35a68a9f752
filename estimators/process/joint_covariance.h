/* The joint filter's covariance after a step: F P F^T + Q, of the upper triangle alone.
 *
 * F mixes few numbers: each joint's chain within itself, and the base's 48 or so states among
 * themselves (base_process.h). So P falls into joints by joints (chain_covariance.h), joints by
 * base, and base by base (base_covariance.h). Each piece is taken from the upper triangle, carried
 * on with the joints side by side in vector registers, and put back; P is read once and written
 * once. */
#ifndef JOINT_COVARIANCE_H
#define JOINT_COVARIANCE_H

#include "process/joint_process.h"

/* next = F P F^T + Q(dt). [real-time] x: [numbers] before the step, read with a floating base. P,
 * next: [size][stride], may not overlap; of both only the upper triangle, what stands below means
 * nothing. dt >= 0 s. */
void joint_covariance_predict(const struct joint_layout *layout, double dt,
                              const struct joint_densities *densities, const double *x,
                              const double *P, double *next);

#endif
