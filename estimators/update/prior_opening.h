/* What opens the prior of an instant beyond what time does: knocks and blows that its readings tell
 * of, and a force that comes to be felt again. */
#ifndef PRIOR_OPENING_H
#define PRIOR_OPENING_H

#include "update/instants.h"

/* Whether a joint is knocked at this instant. [any] */
bool prior_is_kicked(const struct joint_layout *layout, const struct instant *now);

/* Opens P [size][stride], its upper triangle; again with each replay. [real-time] before: the
 * instant before; dt: s between the IMU's readings, in which its blow came; x: the prior. */
void prior_open(const struct joint_layout *layout, const struct instant *before,
                const struct instant *now, double dt, const double *x, double *P);

#endif
