/* What a cycle of a configured robot takes on this machine: its estimators run for a moment over
 * readings of a robot that stands still, every sensor speaking. */
#ifndef TRIAL_H
#define TRIAL_H

#include "generation.h"

struct trial {
  double mean_s;  /* of processor time */
  double worst_s; /* exceeded by one cycle in a hundred */
};

/* Runs the pipeline of `generation`, which is then not new any more. STATUS_NO_MEMORY; statuses of
 * kinematics_init() and kinematics_update_position(). */
enum status trial_run(struct generation *generation, struct trial *trial);

#endif
