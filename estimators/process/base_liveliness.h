/* How lively the base turns and is pushed: the densities of white noise that drive its angular
 * velocity and its specific force, so high that the IMU's innovations are as large as expected.
 *
 * A robot that stands turns and accelerates as smoothly as its chains of integrators say; one that
 * walks shakes, and a slow IMU sees of it what looks like white noise. With a density for the one
 * the other's readings are all but impossible. The normalised innovation, averaged over some
 * hundredths of a second, says by how much the density is off; where the sensor's noise is most of
 * what is expected a change of density changes little, and it goes on until it does. */
#ifndef BASE_LIVELINESS_H
#define BASE_LIVELINESS_H

#include "common/status.h"

struct base_liveliness {
  double least;   /* density at rest: never lower; in the unit of joint_densities ang or lin */
  double density; /* in use, same unit */
  double nis;     /* normalised innovation squared per axis, averaged */
};

/* [start] STATUS_OUT_OF_RANGE: `least` not positive. */
enum status base_liveliness_init(struct base_liveliness *liveliness, double least);

/* As at rest. [real-time] */
void base_liveliness_reset(struct base_liveliness *liveliness);

/* Takes the normalised innovation squared per axis of one reading, left out or not, `dt` s after
 * the one before. [real-time] */
void base_liveliness_step(struct base_liveliness *liveliness, double nis, double dt);

#endif
