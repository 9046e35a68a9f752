/* Which feet are where their joints say: not those of a leg of which an encoder is left out, once
 * nobody knows any more where the joint is, nor of one whose step is on trial (encoder_guard.h). */
#ifndef KNOWN_FEET_H
#define KNOWN_FEET_H

#include "body/kinematics.h"
#include "propriod/state.h"
#include "robot/robot.h"

#include <stdbool.h>

/* A foot so far from where it is believed to be, one deviation, m, is not known. */
#define KNOWN_FOOT_SD 0.01

/* [real-time] kin: updated with the pose; q_sd, joint_health: [n_joints] as published. Writes
 * unknown [n_feet]. */
void known_feet(const struct robot *robot, const struct kinematics *kin, const double *q_sd,
                const uint64_t *joint_health, bool *unknown);

#endif
