/* Covariances of the joint filter's states for tests, made in memory. */
#ifndef LAYOUT_COVARIANCE_H
#define LAYOUT_COVARIANCE_H

#include "process/joint_process.h"
#include "support/suite.h"

/* Zeros of such a layout, [size][stride]. Freed with the process. */
double *layout_square(const struct joint_layout *layout);

/* A A^T for a random A, of both triangles. Freed with the process. */
double *layout_covariance(struct random *random, const struct joint_layout *layout);

#endif
