/* States that rows teach less than they seem to tell.
 *
 * What skin is off by (mounting, gain) stays the same for seconds, and where limbs turn it passes
 * for a rate of the base: by ever so little, but sample after sample. A point that a robot walks on
 * gives way by tenths of a millimetre, in each stance the same way, a leg bends and a sole rolls
 * for tenths of a second, and a floor leans by tenths of a degree wherever it is trodden on. White
 * noise has no such memory, and biases have ages to believe it, nothing else has. So of the optimal
 * update of a bias only a share g_i is taken, of all other states the whole (partial update, Brink
 * 2017; Schmidt 1966 with shares of zero). With D = P- less P+ of the optimal one,
 *
 *   x_i = x_i- + g_i (x_i+ - x_i-)    P_ij = P_ij+ + (1 - g_i) (1 - g_j) D_ij
 *
 * is what that gain does to the mean and, exactly, to the covariance: it stays positive definite.
 */
#ifndef CONSIDERED_H
#define CONSIDERED_H

#include "process/joint_process.h"

/* Biases of gyro, rad/s, and accelerometer, m/s^2, which follow each other. */
enum { CONSIDERED_GYRO = 3, CONSIDERED_IMU = 6 };

struct considered {
  size_t count;             /* of the biases, from the gyro's on */
  double x[CONSIDERED_IMU]; /* before the update, as P: upper triangle */
  double P[CONSIDERED_IMU][CONSIDERED_IMU];
};

/* As x and P have it; nothing where the layout has no base. [real-time] */
struct considered considered_of(const struct joint_layout *layout, size_t count, const double *x,
                                const double *P);

/* Puts back what is not to be learned. [real-time] share: [count], 0 .. 1; P: [size][stride], upper
 * triangle */
void considered_keep(const struct joint_layout *layout, const struct considered *bias,
                     const double *share, double *x, double *P);

#endif
