/* A sensor that is read more often than it measures: a bus that polls it in turn, a driver that
 * writes every cycle what it has. In between its last measurement stands there once more, under a
 * new stamp; taken for one it says that the robot has not moved since.
 *
 * A reading that repeats the one before to the bit is no measurement when one would have been
 * another, or when the sensor repeats itself more often than by chance; unless that goes on for
 * longer than ordinarily, which the changes that end it tell. Then it is measured to be the same:
 * by a sensor of few bits at rest, or by one that is frozen. */
#ifndef SENSOR_HOLD_H
#define SENSOR_HOLD_H

#include <stdbool.h>
#include <stdint.h>

/* All zeros: nothing is known yet. */
struct sensor_hold {
  uint16_t run;            /* readings in a row that repeated the one before */
  float ordinary, longest; /* readings: such a run of late, none included: mean and most */
};

/* Readings in a row that it may repeat the one before, as it ordinarily does. [real-time] */
float sensor_hold_most(const struct sensor_hold *hold);

/* The next reading comes. [real-time] equal: to the bit to the one before. tells: had it been
 * measured an equal one would be another; a change is of several steps of the sensor's. Returns
 * true when it is the last measurement once more. */
bool sensor_hold_next(struct sensor_hold *hold, bool equal, bool tells);

#endif
