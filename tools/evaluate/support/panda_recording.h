/* The recording of a real Franka Panda: reading it, giving its samples back the robot's clock, and
 * motion from it: offline by filters without phase, or online by the joint filter.
 *
 * The robot samples at 1 kHz; the recorder polled it and stamped each reading when it arrived. So a
 * sample may come twice, or be missed, and stamps jitter. How far the joints went since the last
 * sample, divided by the recorded velocity, is a whole number of periods: that gives the robot's
 * clock back. Where the arm is too slow to tell, the stamps do. */
#ifndef PANDA_RECORDING_H
#define PANDA_RECORDING_H

#include "joints/joint_filter.h"
#include "support/butterworth.h"

enum { PANDA_JOINTS = 7, PANDA_SLIDERS = 2, PANDA_MOST = 22000 };

#define PANDA_FOLDER "../shared/data/panda_real"

static const double PANDA_PERIOD = 1e-3; /* s */

struct panda_instant {
  double q[PANDA_JOINTS], dq[PANDA_JOINTS], ddq[PANDA_JOINTS], tau[PANDA_JOINTS];
  double slide[PANDA_SLIDERS][PANDA_JOINTS]; /* share of friction that has built up, -1 to 1 */
  double t;                                  /* s */
  bool valid;                                /* there is a motion */
};

struct panda_motion {
  size_t n;
  struct panda_instant at[PANDA_MOST]; /* [n] */
};

struct panda_recording {
  size_t n_samples;
  double stamp[PANDA_MOST]; /* [n_samples] s, the recorder's */
  size_t tick[PANDA_MOST];  /* [n_samples] the robot's clock, ms */
  double q[PANDA_MOST][PANDA_JOINTS], dq[PANDA_MOST][PANDA_JOINTS], tau[PANDA_MOST][PANDA_JOINTS];
  size_t twice, missed; /* samples recorded again, samples of the robot that were not recorded */
  double jitter;        /* s: of the stamps about the robot's clock, root mean square */
};

/* False when the recording is not there. */
bool panda_read(struct panda_recording *r);

/* Before they slide, contacts give: friction builds up over some travel (Dahl), in bearings and
 * gears over milliradians, in seals, grease and cables over more. Causal. travel: rad. */
void panda_slide(struct panda_motion *motion, const double travel[PANDA_SLIDERS]);

/* Positions and torques through the same filter without phase, central differences; one instant
 * per period, the first and last of them not valid. */
void panda_offline(struct panda_recording *r, double cutoff_hz, struct panda_motion *out);

/* Every sample once, at its time on the robot's clock, or as it was stamped. False: no memory. */
bool panda_online(struct panda_recording *r, const struct robot *robot, bool as_stamped,
                  struct panda_motion *out);

#endif
