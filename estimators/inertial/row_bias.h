/* What measured rows carry beside the parameters and noise: cables, offsets of the sensors, and all
 * that the nominal model misses. It is learned from the residual at the start, and at rest it
 * follows sensors that creep. [real-time] */
#ifndef ROW_BIAS_H
#define ROW_BIAS_H

#include "inertial/row_block.h"

struct row_bias {
  double value[ROBOT_BASE_ROWS + MODEL_MAX_JOINTS]; /* per row of the whole robot, N m and N */
  double calibrated_s;                              /* s of residuals that are in it */
};

void row_bias_reset(struct row_bias *bias);

/* Makes the mean of the residuals so far the bias. residual: [rows] of the block, beyond the bias
 * so far, N m and N. */
void row_bias_calibrate(struct row_bias *bias, const struct row_block *block,
                        const double *residual);

/* Takes a bias back that no cable and no sensor has, but a load that was there from the start: one
 * row beyond force (N) or moment (N m). False then, and every bias is 0. */
bool row_bias_is_credible(struct row_bias *bias, double force, double moment);

/* Lets the bias follow a residual that creeps, no faster than this. force: N/s; moment: N m/s. */
void row_bias_creep(struct row_bias *bias, const struct row_block *block, const double *residual,
                    double force, double moment);

#endif
