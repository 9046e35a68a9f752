/* What the skin alone says of each joint's acceleration: the difference of its two links' readings
 * along its axis.
 *
 * No estimate of accelerations enters it, only angular velocities and directions. It feeds the bank
 * that finds how lively each joint moves, tells which joints the skin observes, and how large a
 * slow error of what it says may be: cells that sit a degree or two askew let gravity into the
 * fused acceleration, and it stays there. */
#ifndef JOINT_SKIN_H
#define JOINT_SKIN_H

#include "body/kinematics.h"
#include "process/joint_process.h"
#include "process/motion_bank.h"
#include "robot/robot.h"
#include "skin/joint_measurement.h"

struct joint_skin {
  double ratio; /* how large a slow error may be, to the deviation of one reading's noise */
  double gain;  /* how far an acceleration may be off, as a part of it */
  const struct robot *robot;
  bool fixed_base;
  struct kinematics kin;   /* of the last settled estimate */
  struct motion *measured; /* [n_links] of the last reading, centripetal term taken out */
  struct motion *noise; /* [n_links] variances of `measured`, or of what the link's best row tells
                            * where too few tell all; of the last that told something */
  bool *has;            /* [n_links] `measured` holds */
  bool *told;           /* [n_links] some cell of it was read */
  bool *observed;       /* [n_joints] the last reading saw this joint's acceleration */
  bool *reached;        /* [n_joints] there is skin below it, and above, where the base counts */
  double *along;        /* [n_joints] variance of the joint's acceleration as its links see it */
};

/* [start] STATUS_OUT_OF_RANGE: ratio or gain negative. */
enum status joint_skin_init(struct joint_skin *skin, const struct robot *robot, bool fixed_base,
                            double ratio, double gain, struct arena *arena);

/* Forgets all. [real-time] */
void joint_skin_reset(struct joint_skin *skin);

/* Learns from the geometry alone how well each joint's acceleration will be seen. [start] block:
 * rows of every link that carries skin, readings not read. */
void joint_skin_survey(struct joint_skin *skin, const struct link_rows *block, size_t n_blocks);

/* Takes one settled reading. [real-time] x: estimate at that instant. Feeds `bank` with the joints'
 * accelerations. fixed_force: as in joint_points.h. */
void joint_skin_step(struct joint_skin *skin, struct motion_bank *bank,
                     const struct joint_layout *layout, const double *x,
                     const struct base_motion *fixed, const struct link_rows *block,
                     size_t n_blocks);

/* What the gain makes rates seem to be off by, rad/s, of a body that moves as at the last settled
 * reading: half of its part of how fast the fastest link with skin turns (joint_points.h).
 * [real-time] */
double joint_skin_rate_error(const struct joint_skin *skin);

/* Variance that the slow error of joint j's acceleration may have. 0: it was never seen.
 * [real-time] */
double joint_skin_prior(const struct joint_skin *skin, size_t j);

#endif
