/* How far off the motion may be for a while after a blow: what is published on top of the filter's
 * own covariance, and never fed back into it.
 *
 * A foot that lands, or a body that begins to move, makes accelerations jump. The filter opens its
 * velocities for a blow (blows.h), and follows accelerations as fast as its encoders tell, some
 * hundredths of a second late: those of the blow itself it does not follow at all, or it would
 * follow noise at every strike. The estimate is better left so and its error considered (Schmidt
 * 1966). So beside the filter go copies of its chains, one for each joint and each axis of the
 * base's rotation, driven by the same density and corrected by the same readings; in them an error
 * the filter does not know of goes on as it does in the filter (shock_chains.h). Skin, limbs' IMUs
 * and feet tell of the acceleration too; a copy is told as much by a reading of it that leaves the
 * variance that the filter has.
 *
 * The base itself jumps by what its IMU feels against its prediction, joints by what they gain in
 * blows, and by some of their own deviations when the body begins to move.
 *
 * Not every change is felt: what joints do that nothing foretold (joint_changes.h) goes on in the
 * copies at all times. And what nobody felt leans: innovations of a joint that stay on one side
 * tell of an acceleration that is not followed yet, as far as they stand out from what they usually
 * are. */
#ifndef AFTERSHOCK_H
#define AFTERSHOCK_H

#include "common/arena.h"
#include "common/status.h"
#include "math/spatial.h"
#include "process/blows.h"
#include "process/joint_changes.h"
#include "process/joint_process.h"
#include "process/shock_chains.h"

#include <stdbool.h>
#include <stdint.h>

struct joint_filter;

struct aftershock {
  struct shock_chains joint, base;
  struct joint_changes changes;
  double *expected;    /* [n] variance of an encoder's innovation; 0: nothing was read */
  double *mean;        /* [n] deviations: of the last readings' innovations */
  double *usual;       /* [n] its usual square, 1 when noise is as told */
  double *lean;        /* [n] square of what lasts of it, over the position's variance */
  struct knock *knock; /* [n] since the last step */
  double missed_rate[3], missed_force[3]; /* aftershock_miss */
  double felt;        /* (rad/s^2)^2: the strongest jump of the base since the last step */
  double base_rings;  /* what lasts of those, (rad/s^2)^2 */
  double begin_rings; /* and of a body's beginning to move, 0 .. 1 */
  bool begins;        /* it has since the last step */
  int64_t t_ns;       /* of the last step; 0: none yet */
};

/* [start] */
enum status aftershock_init(struct aftershock *shock, const struct joint_layout *layout,
                            struct arena *arena);

/* [real-time] */
void aftershock_reset(struct aftershock *shock);

/* An IMU reading that all but contradicts the prediction. [real-time] Squares of what its
 * innovation exceeds the expected by: m/s^2, and rad/s^2, the rate's over the time since the one
 * before. */
void aftershock_feel(struct aftershock *shock, double force, double turn);

/* What the newest IMU reading said beyond the prediction, and was left out for until the next tells
 * a blow from a broken word: base axes, rad/s and m/s^2; zeros when it was taken. [real-time] */
void aftershock_miss(struct aftershock *shock, vec3 rate, vec3 force);

/* Joint j is knocked. [real-time] */
void aftershock_knock(struct aftershock *shock, size_t j, const struct knock *knock);

/* The body has begun to move. [real-time] */
void aftershock_begin(struct aftershock *shock);

/* A reading of joint j's encoder that is believed: innovation and its variance. [real-time] */
void aftershock_read(struct aftershock *shock, size_t j, double innovation, double variance);

/* Carries all on to the newest instant. [real-time] Once a cycle, after the filter. */
void aftershock_step(struct joint_filter *filter);

/* Variance to be added to that of q, dq or ddq (order 0, 1, 2) of joint j; of the base's rate and
 * its derivative (1, 2) about axis i, of its force along it. [real-time] */
double aftershock_of_joint(const struct aftershock *shock, unsigned order, size_t j);
double aftershock_of_base(const struct aftershock *shock, unsigned order, size_t i);
double aftershock_of_force(const struct aftershock *shock, size_t i);

/* What the IMU feels is known: as far as the base turns, or a joint between moves, otherwise, the
 * force at the base's origin is another. [real-time] Its error, base axes, m/s^2, for each rad/s^2
 * of error about the base's axis i, for each rad/s^2 or m/s^2 of error of joint j. */
vec3 aftershock_force_by_base(const struct joint_filter *filter, size_t i);
vec3 aftershock_force_by_joint(const struct joint_filter *filter, size_t j);

/* Adds all of them. [real-time] variance: [layout->size] */
void aftershock_add(const struct joint_filter *filter, double *variance);

#endif
