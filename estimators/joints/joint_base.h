/* The base's part of an instant: what IMU and feet say at it, and how attitude and position begin.
 *
 * Feet that stand are never refused, nor is an encoder for what they say: what surprises counts
 * less (Huber). IMU readings that surprise are judged before (joint_gates.h). */
#ifndef JOINT_BASE_H
#define JOINT_BASE_H

#include "common/status.h"
#include "math/spatial.h"

#include <stdbool.h>
#include <stdint.h>

struct instant;
struct joint_filter;

/* What becomes of an instant's encoders: they are left to the skin's update, wait as rows of the
 * filter's row_update (row_update.h), or are taken with the rest. */
enum encoder_share { ENCODERS_LEFT, ENCODERS_WAIT, ENCODERS_TAKEN };

/* Takes IMU and feet of an instant, and its encoders, into its prior x, P. [real-time] Notes
 * innovations. STATUS_SINGULAR: x and P are untouched. */
enum status joint_base_update(struct joint_filter *filter, const struct instant *now,
                              enum encoder_share encoders, double *x, double *P);

/* Opens the accelerations of joints that a limb's IMU says were struck, before its reading is
 * taken: kicks of `now`. [real-time] `now`: predicted; dt: s since the sample before. */
void joint_base_open_limbs(struct joint_filter *filter, struct instant *now, double dt);

/* Whether neither IMU nor skin has told for some time how a base that has an IMU moves: attitude
 * and velocity are guesses then, as good as their deviations. [any] */
bool joint_base_blind(const struct joint_filter *filter, int64_t t_ns);

/* Without a gyro nothing tells what an accelerometer feels of turns at its arm from force, and a
 * strike would turn the base: the variance of what it may feel of them, (m/s^2)^2. [real-time] */
double joint_base_untold_arm(const struct joint_filter *filter, const double *P);

/* R_WB of a base at rest that feels this specific force, m/s^2, base coordinates: f_B = R^T (0 0
 * g); yaw zero. [any] */
mat3 attitude_of(vec3 force_B);

/* Begins attitude and position as soon as the base's specific force is known, and anew when they
 * are lost: one of `resets`. [real-time] */
void joint_base_start(struct joint_filter *filter);

#endif
