/* A state that rows are not to move: the gyro's bias, by those of skin.
 *
 * What skin is off by (mounting, gain) stays the same for seconds, and where limbs turn it passes
 * for a rate of the base: by ever so little, but sample after sample. The gyro's bias has ages to
 * believe it, nothing else has. So skin's update considers that bias without learning it (Schmidt
 * 1966): of the optimal one, all but the bias' own mean and covariance is taken. P stays positive
 * definite, as its block becomes larger by what the rows would have told of it. */
#ifndef CONSIDERED_H
#define CONSIDERED_H

#include "joints/joint_process.h"

struct considered {
  double x[3];    /* rad/s */
  double P[3][3]; /* (rad/s)^2, upper triangle */
};

/* As x and P have it; zero where the layout has no base. [real-time] */
struct considered considered_of(const struct joint_layout *layout, const double *x,
                                const double *P);

/* Puts it back into x and P. [real-time] P: [size][stride], upper triangle */
void considered_keep(const struct joint_layout *layout, const struct considered *bias, double *x,
                     double *P);

#endif
