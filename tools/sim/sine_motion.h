/* A smooth motion of a whole robot, known exactly: sines of the joints and of the base's tilt and
 * height, swelling and ebbing. No physics: it is for robots that are merely weighed, see
 * weighed_robot. All functions: [any]. */
#ifndef SINE_MOTION_H
#define SINE_MOTION_H

#include "model/model.h"
#include "model/motion.h"
#include "sim_random.h"

struct sine {
  double amplitude, rate, phase; /* rad or m; rad/s; rad */
};

enum { SINE_ROLL, SINE_PITCH, SINE_HEIGHT, SINE_BASE };

struct sine_motion {
  size_t n_joints;
  struct sine joint[MODEL_MAX_JOINTS], base[SINE_BASE]; /* rad; roll and pitch rad, height m */
  double posture[MODEL_MAX_JOINTS];                     /* rad, about which it moves */
  double from, to, turn_s, share_s; /* shares of the full amplitude, since turn_s in share_s */

  /* written by sine_motion_at */
  double q[MODEL_MAX_JOINTS], dq[MODEL_MAX_JOINTS], ddq[MODEL_MAX_JOINTS];
  struct robot_motion motion; /* points into this struct: do not copy */
};

/* At rest in the model's zero posture. */
void sine_motion_init(struct sine_motion *sines, const struct model *model);

/* A motion like those of a robot at work: the torso 0.2 to 0.5 rad at 0.3 to 0.8 Hz, arms and head
 * 0.1 to 0.4 rad at 0.3 to 1 Hz, legs 0.02 to 0.1 rad, the base up to 0.08 rad and 2 cm. */
void sine_motion_choose(struct sine_motion *sines, const struct model *model,
                        struct sim_random *random);

/* From t seconds on, in `in_s` seconds, turns to `share` of the full amplitude (0: rest). The last
 * turn must be over. */
void sine_motion_turn(struct sine_motion *sines, double t, double share, double in_s);

/* Fills q, dq, ddq and motion for t seconds. */
void sine_motion_at(struct sine_motion *sines, double t);

#endif
