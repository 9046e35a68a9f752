/* What a body that is fastened to a link adds to the efforts of an arm's log: the torques that
 * carry and accelerate it along the log's own motion. */
#ifndef ARM_LOAD_H
#define ARM_LOAD_H

#include "robot/robot.h"

enum { ARM_LOAD_JOINTS = 8 };

/* Positions (rad) and efforts of one log, [n] samples at t (s), rising. */
struct arm_motion {
  size_t n;
  const double *t;
  double (*q)[ARM_LOAD_JOINTS], (*effort)[ARM_LOAD_JOINTS];
};

/* Adds the torques of `load`, about the origin of `link`, divided by `gain` [joints] where it is
 * given, to the efforts. Rates and accelerations are those of parabolas through neighbouring
 * samples. False when the robot cannot move like this. */
bool arm_load_add(const struct robot *robot, size_t link, const struct inertia *load,
                  const double *gain, const struct arm_motion *log);

#endif
