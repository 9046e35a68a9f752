#include "robot/sensor_hold.h"

#include <math.h>

/* Runs, none included, that the mean is over; what is kept of the longest with each. */
static const float RUNS = 50.0f, KEPT = 0.98f;
/* Readings: who repeats itself so often on average holds, whatever its steps. */
static const float HOLDS_FROM = 0.15f;
/* A measurement may come so much later than ever of late: times that, and readings. */
static const float TIMES = 2.0f, LATE = 2.0f;

float sensor_hold_most(const struct sensor_hold *hold) {
  return TIMES * hold->longest + LATE;
}

/* A run has ended. One of a sensor that was frozen for a while says little of what is ordinary: it
 * counts as the longest that may have been. */
static void learn(struct sensor_hold *hold) {
  const float run = fminf(hold->run, sensor_hold_most(hold));
  hold->ordinary += (run - hold->ordinary) / RUNS;
  hold->longest = fmaxf(KEPT * hold->longest, run);
}

bool sensor_hold_next(struct sensor_hold *hold, bool equal, bool tells) {
  if (equal) {
    hold->run = (uint16_t)(hold->run + (hold->run < UINT16_MAX));
    return (tells || hold->ordinary > HOLDS_FROM) && (float)hold->run <= sensor_hold_most(hold);
  }
  if (tells) {
    learn(hold);
  }
  hold->run = 0;
  return false;
}
