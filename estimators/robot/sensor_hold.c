#include "robot/sensor_hold.h"

#include <math.h>

/* Runs, none included, that the mean is over; what is kept of the longest with each. */
static const float RUNS = 50.0f, KEPT = 0.98f;
/* Readings: who repeats itself so often on average holds, whatever its steps. */
static const float HOLDS_FROM = 0.15f;
/* A measurement may come so much later than ever of late, readings. */
static const float LATE = 1.5f;

/* A run has ended. One of a sensor that was frozen for a while says little of what is ordinary: it
 * counts as one of twice that, and some. */
static void learn(struct sensor_hold *hold) {
  const float run = fminf(hold->run, 2.0f * hold->longest + 2.0f);
  hold->ordinary += (run - hold->ordinary) / RUNS;
  hold->longest = fmaxf(KEPT * hold->longest, run);
}

bool sensor_hold_next(struct sensor_hold *hold, bool equal, bool tells) {
  if (equal) {
    hold->run = (uint16_t)(hold->run + (hold->run < UINT16_MAX));
    return (tells || hold->ordinary > HOLDS_FROM) && (float)hold->run < hold->longest + LATE;
  }
  if (tells) {
    learn(hold);
  }
  hold->run = 0;
  return false;
}
