/* How fast the feet that stand go by the estimate, when in truth they do not: what is wrong with
 * the motion that is believed of the base. Their mean is the error of its velocity; what they
 * differ by, times what lies between them, that of its rate, but about the line through them:
 *
 *   s_i = v + omega x r_i + Jv_i dq - (omega + Jw_i dq) x (radius of its ball) up
 *
 * by the velocity of the point that touches the ground. */
#ifndef STANCE_SPEED_H
#define STANCE_SPEED_H

#include "math/spatial.h"
#include "robot/robot.h"

#include <stdbool.h>

struct instant;
struct joint_filter;

/* Mean of all feet that stand; zero without. m/s, world axes. [real-time] */
vec3 stance_speed(struct joint_filter *filter, const struct instant *now);

/* A foot, as it is asked whether it stays where it stands; base axes. */
struct stance_foot {
  vec3 r, speed; /* m, m/s: the point that touches the ground */
  vec3 turn;     /* rad/s: of its sole, all zero when it does not stand */
  bool stays;    /* it ought to: it has not just come to stand, nor does it tip */
};

/* Each of the feet, [n_feet]. [real-time] */
void stance_feet(struct joint_filter *filter, const struct instant *now,
                 struct stance_foot foot[ROBOT_MAX_FEET]);

/* How fast the feet that stand slide as they would if a jump of the IMU were wrong, m/s: the
 * slowest of them; 0 when none would be seen to slide; when one rather stands, less than nothing by
 * how fast it would. Of feet that have just come to stand nothing is asked. [real-time]
 *   turn    rad/s, base axes: two of them slide against each other
 *   gained  m/s, base axes: each slides; of feet of which nothing is felt nothing is asked, and one
 *           that carries little and slides may as well be about to leave */
double stance_speed_by_turn(struct joint_filter *filter, const struct instant *now, vec3 turn);
double stance_speed_by_push(struct joint_filter *filter, const struct instant *now, vec3 gained);

#endif
