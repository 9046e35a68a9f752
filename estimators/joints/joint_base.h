/* The base's part of an instant: what IMU, limbs' IMUs and feet (joint_feet.h) say at it.
 *
 * IMU readings that surprise are judged before (imu_gates.h). */
#ifndef JOINT_BASE_H
#define JOINT_BASE_H

#include "common/status.h"
#include "math/spatial.h"

#include <stdbool.h>
#include <stdint.h>

struct instant;
struct joint_filter;

/* What the base's accelerometer reads, its axes: mean of half a second, or of less at first. */
struct felt_force {
  vec3 mean;
  double variance; /* (m/s^2)^2, per axis, about it */
  double heard_s;  /* what these are over */
  int64_t t_ns;    /* of the newest reading; 0: none */
};

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

/* Adds the rows of the IMU, three of its gyro and three of its accelerometer less the axes that say
 * nothing. [real-time] One that sits on another link than the base sees the joints between too; its
 * pose is noted, and its accelerometer waits until velocities are known. */
void joint_base_add_imu(struct joint_filter *filter, const struct instant *now, const double *x,
                        const double *P);

/* How noisy the accelerometer's rows are, m/s^2. [real-time] */
double joint_base_force_sd(const struct joint_filter *filter, const struct instant *now,
                           const double *P);

/* Whether neither IMU nor skin has told for some time how a base that has an IMU moves: attitude
 * and velocity are guesses then, as good as their deviations. [any] */
bool joint_base_blind(const struct joint_filter *filter, int64_t t_ns);

/* Whether what the accelerometer reads on average is gravity. [any] */
bool joint_base_feels_gravity(const struct joint_filter *filter);

/* Without a gyro nothing tells what an accelerometer feels of turns at its arm from force, and a
 * strike would turn the base: the variance of what it may feel of them, (m/s^2)^2. [real-time] */
double joint_base_untold_arm(const struct joint_filter *filter, const double *P);

/* Takes the joints of x into the filter's kinematics, the base fixed: their poses, which are enough
 * for feet, and with IMUs beyond joints the whole motion, without what skin is off by.
 * [real-time] */
bool joint_base_kinematics(struct joint_filter *filter, const double *x);

#endif
