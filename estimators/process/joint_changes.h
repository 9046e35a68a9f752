/* By how much joints' accelerations change that nothing foretold, and no encoder shows yet.
 *
 * A joint's acceleration is followed some hundredths of a second late; until then its covariance
 * says that it went on as it was. How wrong that is depends on the motion: so every 50 ms each
 * joint's acceleration is compared with what it and its jerk foretold, and the mean size of the
 * difference, noise of the estimate in it, tells by how much such a joint changes. That it does so
 * several times a second is an error that the filter's process does not contain (aftershock.h).
 * Even a joint at rest begins at some time. */
#ifndef JOINT_CHANGES_H
#define JOINT_CHANGES_H

#include "common/arena.h"
#include "common/status.h"
#include "process/joint_process.h"

struct joint_changes {
  size_t n;
  double since;       /* s: of the last comparison */
  double *ddq, *jerk; /* [n] per s^2, per s^3: as they were then */
  double *size;       /* [n] per s^2: mean size of what was not foretold, older ones forgotten */
};

/* [start] */
enum status joint_changes_init(struct joint_changes *changes, size_t n, struct arena *arena);

/* All joints have rested. [real-time] */
void joint_changes_reset(struct joint_changes *changes);

/* Where the time went on unseen: the next comparison is with what comes now. [real-time] */
void joint_changes_resume(struct joint_changes *changes);

/* dt s later. [real-time] x: [layout->numbers] as estimated now. */
void joint_changes_step(struct joint_changes *changes, const struct joint_layout *layout,
                        const double *x, double dt);

/* (per s^2)^2/s: variance that joint j's acceleration gains in a second, unfelt. [real-time] */
double joint_changes_rate(const struct joint_changes *changes, size_t j);

#endif
