/* What the robot does in each scenario with a free base: one function each, from the instant to the
 * posture's target and the joints of the upper body. */
#ifndef SCENARIO_MOTIONS_H
#define SCENARIO_MOTIONS_H

#include "scenario.h"

/* Now. */
struct scenario_instant {
  double t, dt;                  /* s from the start; since the last call */
  const struct sim_truth *truth; /* of about now, for the robot's own balance */
};

/* Changes `target`, which holds the standing posture, and run->posture.q of the joints that are not
 * legs', run->planned and run->force_W. [worker] */
typedef void scenario_move(struct scenario_run *run, const struct scenario_instant *now,
                           struct posture_target *target);

scenario_move move_stand, move_squat, move_arms_swing, move_arms_still, move_sines, move_push,
    move_curl, move_lift, move_walk;

#endif
