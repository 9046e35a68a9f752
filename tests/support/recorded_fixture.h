/* Cycles made up for tests of recordings: every number belongs to its cycle, streams come and
 * go. */
#ifndef RECORDED_FIXTURE_H
#define RECORDED_FIXTURE_H

#include "recording/recording.h"

enum { FIXTURE_JOINTS = 7, FIXTURE_CELLS = 70, FIXTURE_WRENCHES = 2, FIXTURE_LIMBS = 2 };

/* A cycle with arrays of its own, kept from one to the next as the daemon does. */
struct made_cycle {
  struct recorded_cycle cycle;
  double q[FIXTURE_JOINTS], dq[FIXTURE_JOINTS], tau[FIXTURE_JOINTS];
  float acceleration[3 * FIXTURE_CELLS], proximity[FIXTURE_CELLS], force[FIXTURE_CELLS];
  uint8_t flags[FIXTURE_CELLS];
  struct force wrench[FIXTURE_WRENCHES];
  struct imu_triads limb[FIXTURE_LIMBS];
  uint64_t chosen[(FIXTURE_CELLS + 63) / 64];
  struct estimates result;
};

/* What the cycles are of. */
struct recording_header made_header(void);

/* Before the first cycle. */
void made_begin(struct made_cycle *made);

/* Cycle k = 1, 2, ... of a robot at 1 kHz; call with each k in turn. Optional arrays change every
 * 300 cycles. */
void made_step(struct made_cycle *made, uint64_t k);

/* Ends the test unless both are the same, to the bit. */
void assert_same_cycle(const struct recorded_cycle *a, const struct recorded_cycle *b);

#endif
