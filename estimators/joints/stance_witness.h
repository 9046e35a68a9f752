/* Soles that stand, as witnesses of a triad of the IMU that is on trial (imu_judge.h).
 *
 * Since the trial began the triad's readings have told of a turn or a way beyond what was expected,
 *
 *   gyro           told = integral of excess, by which each sole turns
 *   accelerometer  told = double integral of R_WB excess, by which each sole goes
 *
 * and the estimate has followed. If the readings are right the soles still stand; if not, the
 * estimate has all of them go where they told. So a trial is decided by how far soles have gone,
 * however the readings came and went, and no sooner than that is further than soles that stand seem
 * to go for other reasons: legs are a little longer, and their joints' velocities a little other
 * after a blow than is believed. A sole that turns and hardly moves tips over its edge: that is no
 * sign of a gyro that is wrong, which turns it about the base. Of points, which bounce and roll,
 * see stance_speed.h.
 *
 * What is beside the trial: where feet stood before, and how they were turned, so that the base can
 * be put back onto them. */
#ifndef STANCE_WITNESS_H
#define STANCE_WITNESS_H

#include "joints/stance_speed.h"
#include "process/joint_process.h"
#include "sensors/imu_judge.h"

/* Of one triad, about its trial. */
struct stance_testimony {
  int64_t first_ns, seen_ns;  /* the trial that it is about, 0: none; newest instant */
  vec3 gained;                /* rad, base axes, or m/s, world axes: integral of the excess */
  vec3 told;                  /* rad, base axes, or m, world axes: how far soles
                                 have gone when it is wrong */
  vec3 gone[ROBOT_MAX_FEET];  /* how far each has by the estimate */
  vec3 moved[ROBOT_MAX_FEET]; /* m, base axes: and how far a sole that turns has moved */
  bool stays[ROBOT_MAX_FEET]; /* it has stood ever since */
  enum stance_says {
    STANCE_WAITS,   /* nothing that would be seen was told yet */
    STANCE_SILENT,  /* none has stood ever since */
    STANCE_FOR,     /* a foot has stayed that would have gone */
    STANCE_AGAINST, /* so far, all have gone */
  } says;
};

struct stance_witness {
  struct stance_testimony of[IMU_TRIADS];
  double foot[3 * ROBOT_MAX_FEET]; /* before the trial: m, world, */
  quat sole[ROBOT_MAX_SOLES];      /* R_WF */
};

/* Notes where the feet of x stand, while nothing is on trial. [real-time] x: [numbers] */
void stance_note(struct stance_witness *witness, const struct joint_layout *layout,
                 const double *x);

/* Hears the feet of one instant about a triad that is on trial. [real-time] foot: [n]. True when
 * they speak against it. */
bool stance_hear(struct stance_witness *witness, enum imu_triad triad,
                 const struct triad_judge *judge, const struct stance_foot *foot, size_t n,
                 const mat3 *R_WB, int64_t t_ns);

#endif
