/* Which joints of a robot share a covariance.
 *
 * What one costs grows with the cube of its joints. A robot of few has one for all. Of a larger one
 * joints that nothing but their encoders sees stand apart, which changes nothing; and as long as
 * too many are left, so do whole limbs with skin, which is nearly as good (carried_limb.h): all
 * that hangs from a link that carries several joints and skin of its own, hands before arms. */
#ifndef JOINT_PARTS_H
#define JOINT_PARTS_H

#include "robot/robot.h"

enum joint_form {
  JOINTS_AUTO,  /* limbs as long as more joints than wanted are left */
  JOINTS_EXACT, /* no limbs */
  JOINTS_LIMBS  /* all limbs that can be */
};
extern const char *const joint_forms[]; /* their words, ended by NULL */

enum {
  CARRIED_MAX = 8,    /* limbs of their own */
  CARRIED_JOINTS = 20 /* of one of them */
};

struct joint_parts {
  bool seen[MODEL_MAX_JOINTS];     /* [n_joints] not apart for being seen by their encoders alone */
  bool together[MODEL_MAX_JOINTS]; /* [n_joints] of those, not of a limb */
  size_t n_limbs;
  size_t carrier[CARRIED_MAX];              /* link that carries it */
  bool limb[CARRIED_MAX][MODEL_MAX_JOINTS]; /* [n_joints] its joints */
};

/* most: joints that may stand together. [any] */
void joint_parts_of(const struct robot *robot, size_t most, enum joint_form form,
                    struct joint_parts *parts);

/* How many of `which` are true, [n_joints]. [any] */
size_t joint_parts_count(const struct robot *robot, const bool *which);

#endif
