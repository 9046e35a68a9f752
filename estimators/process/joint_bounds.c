#include "process/joint_bounds.h"

#include <math.h>

/* Beyond its limits a joint may be by this part of its range, or of its speed, and by what so many
 * deviations allow. */
static const double SLACK = 0.02, FASTER = 0.2, DEVIATIONS = 3.0;
/* Largest deviations: rad or m, per s; attitude but for the heading, rad; m/s. */
static const double POSITION_SD = 0.1, RATE_SD = 10.0, TILT_SD = 0.2, VELOCITY_SD = 1.0;

bool joint_bounds_allow(const struct joint_layout *l, const struct joint *joint, size_t j,
                        const double *x, const double *variance) {
  const double q = x[l->q + j], dq = fabs(x[l->dq + j]);
  const double slack =
      SLACK * (joint->q_max - joint->q_min) + DEVIATIONS * sqrt(variance[l->q + j]);
  const double fastest = (1.0 + FASTER) * joint->dq_max + DEVIATIONS * sqrt(variance[l->dq + j]);
  return !(q < joint->q_min - slack) && !(q > joint->q_max + slack) && !(dq > fastest);
}

static bool all_below(const double *variance, size_t count, double sd) {
  bool below = true;
  for (size_t i = 0; i < count; i++) {
    below = below && variance[i] < sd * sd;
  }
  return below;
}

bool joint_bounds_known(const struct joint_layout *l, const double *variance, bool based) {
  return all_below(variance + l->q, l->n, POSITION_SD) &&
         all_below(variance + l->dq, l->n, RATE_SD) &&
         (!based || (all_below(variance + l->attitude, 2, TILT_SD) &&
                     all_below(variance + l->velocity, 3, VELOCITY_SD)));
}
