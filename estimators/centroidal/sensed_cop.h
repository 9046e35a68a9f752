/* The centre of pressure as the feet's sensors feel it, weighed with the one by the motion.
 *
 * What they feel is of the instant at which they measured, and tells there by how much the motion's
 * point is off. Since then that error has become another: the more so the longer ago, and in a trot
 * within milliseconds. How much of it is left is learned from how alike it is at two measurements
 * that follow each other (a first-order Gauss-Markov process along each of the world's axes). */
#ifndef SENSED_COP_H
#define SENSED_COP_H

#include "math/spatial.h"
#include "sensors/sensor_scatter.h"

#include <stdint.h>

/* Along one axis. */
struct sensed_axis {
  struct sensor_scatter scatter;
  double sd;                     /* m: of what is felt, by its scatter or as it is said to be */
  double apart, square, product; /* m: felt less the motion's, at the last measurement; m^2: means
                                    of its square, and with the one before it */
};

/* All zeros: nothing has been felt. */
struct sensed_cop {
  struct sensed_axis axis[2]; /* the world's x and y */
  int64_t t_ns;               /* of the last measurement */
  double since_s;             /* s: between the last two */
};

/* What was felt at t_ns, and the motion's point then; nothing when it is known already. [real-time]
 * told: m, one deviation of what is felt. */
void sensed_cop_take(struct sensed_cop *sensed, int64_t t_ns, vec3 felt_W, vec3 motion_W,
                     double told);

/* Corrects the motion's point of now by `apart_W`, m, felt less the motion's at the last
 * measurement. [real-time] cop_W, sd: in and out, m. Where both contradict each other either may be
 * right: the deviation covers both. */
void sensed_cop_weigh(const struct sensed_cop *sensed, int64_t now_ns, vec3 apart_W, vec3 *cop_W,
                      vec3 *sd);

#endif
