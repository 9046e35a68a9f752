/* What measured rows carry beside the parameters and noise: cables, offsets of the sensors, and all
 * that the nominal model misses. The mean of the first second says where they are, the core carries
 * them on with their covariance (inertial_core.h); here stands what forces were then, and how far
 * sensors have crept at rest since. [real-time] */
#ifndef ROW_BIAS_H
#define ROW_BIAS_H

#include "inertial/row_block.h"

struct row_bias {
  double crept[ROBOT_BASE_ROWS + MODEL_MAX_JOINTS]; /* per row of the whole robot, N m and N */
  double start_s;                                   /* s of the start that have passed */
  double force[INERTIAL_MAX_ROWS];                  /* N m and N, by slot: what was measured then */
};

void row_bias_reset(struct row_bias *bias);

/* Lets rows follow a residual that creeps, no faster than this. force: N/s; moment: N m/s. */
void row_bias_creep(struct row_bias *bias, const struct row_block *block, const double *residual,
                    double force, double moment);

#endif
