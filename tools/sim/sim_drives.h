/* What lies between a joint's link and its encoder, which sits at the motor: a gear that gives way
 * under torque, has play and runs unevenly. And the encoder's zero, which somebody has set. */
#ifndef SIM_DRIVES_H
#define SIM_DRIVES_H

#include "sim_options.h"
#include "sim_truth.h"

struct sim_drives {
  const struct model *model;
  struct sim_joint_noise error;
  double period_s;
  bool exists, begun;
  double follow;                                      /* share of a step the motor makes up in a
                                                          period, each of its two lags */
  double torque[MODEL_MAX_JOINTS][2];                 /* N m or N: what winds the gear up */
  double play[MODEL_MAX_JOINTS];                      /* within [-1, 1]: from flank to flank */
  double zero[MODEL_MAX_JOINTS];                      /* rad or m */
  double off[MODEL_MAX_JOINTS], dq[MODEL_MAX_JOINTS]; /* rad or m, rad/s or m/s: encoder minus
                                                          link, now */
};

/* Draws the zeros. [start] */
void sim_drives_init(struct sim_drives *drives, const struct sim_options *options);

/* Once a sensor period: `off` and `dq` of this instant. [any] */
void sim_drives_step(struct sim_drives *drives, const struct sim_truth *truth);

#endif
