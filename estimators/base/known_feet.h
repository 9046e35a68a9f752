/* Which feet are where their joints say: not those of a leg of which an encoder is left out, once
 * nobody knows any more where the joint is, unless it stands and so tells that; nor of one
 * whose step is on trial (encoder_guard.h). */
#ifndef KNOWN_FEET_H
#define KNOWN_FEET_H

#include "body/kinematics.h"
#include "propriod/state.h"
#include "robot/robot.h"

#include <stdbool.h>

/* A foot so far from where it is believed to be, one deviation, m, is not known. */
#define KNOWN_FOOT_SD 0.01

/* [real-time] kin: updated with the pose; q_sd, joint_health: [n_joints] as published;
 * rests: [n_feet] it stands, and does not slip: that tells of its joints. Writes unknown
 * [n_feet]. */
void known_feet(const struct robot *robot, const struct kinematics *kin, const double *q_sd,
                const uint64_t *joint_health, const bool *rests, bool *unknown);

#endif
