/* Whether the torques of the legs are believed about which feet carry the robot.
 *
 * Where no foot has a sensor, what a leg's torques hold (foot_wrench.h) tells whether its foot
 * carries. That is known without the IMU, so that feet that stand can speak against it; of a robot
 * with more than two feet, whose centre of pressure leaves open which of them carry, nothing else
 * tells it; nor that something else carries the robot, whose legs then bear less than it weighs.
 *
 * It is asked where the torques tell each foot's load by themselves, which those of a stretched leg
 * do not, and once all feet together have borne the weight on average: as they do when efforts are
 * what the joints hold and not what was commanded, or a drive's current with a gain that nobody has
 * set. That needs no motion: a base that begins while the robot trots does not know its own for
 * some strides, and least if it takes the wrong feet to stand. Or once they have borne nothing, as
 * from the start those of a robot on a crane: efforts that are none of these would have them stand
 * on what they weigh themselves. From then on they are believed until they bear more than carries
 * the robot by its motion. */
#ifndef CARRYING_LEGS_H
#define CARRYING_LEGS_H

#include "centroidal/foot_wrench.h"

struct carrying_legs {
  double apart;    /* what they bear beside what they ought to, of the weight, smoothed */
  double judged_s; /* over so long, s, at most its memory */
  double asked_s;  /* since they were first asked, s, told or not; at most as long */
  bool believed;
};

/* Nothing is believed. [any] */
void carrying_legs_reset(struct carrying_legs *legs);

/* What each foot bears, when the legs tell it. [real-time]
 *   feet    [n_feet] of the newest torques
 *   up_B    unit, base axes
 *   f_z     N: what carries the robot by its motion, upwards; NaN: that is not known now
 *   weight  N
 *   dt      s since the last time
 *   bears   [n_feet] N, upwards; written when true is returned */
bool carrying_legs_tell(struct carrying_legs *legs, const struct foot_wrenches *feet, size_t n_feet,
                        vec3 up_B, double f_z, double weight, double dt, double *bears);

/* Whether they are believed, or have been asked for as long as that takes. [any] */
bool carrying_legs_heard(const struct carrying_legs *legs);

#endif
