/* What tells of a floating base, as rows of a measurement: its IMU, and the feet that stand.
 *
 *   gyro           R_i^T (omega + b_g)
 *   accelerometer  R_i^T (f + omegadot x r + omega x (omega x r) + b_a)
 *   a foot         0 = x_f - (p + R s(q)): its sole is where it came to stand
 *   a sole         0 = log(R_f^T R R_s(q)): it is turned as it came to stand
 *   landing        x_f z = the ground's height, R_f's z = the world's, within what ground is uneven
 *   no feet        v = 0 within `stay`; at rest omega = 0 too
 *   orientation    of an IMU that gives one
 *
 * R_i and r are the IMU's orientation and place in the base, s the sole's place in the base.
 * Each is a group of row_update.h, linear about the state; what second order would add is far below
 * the noise (for an IMU r P_omega, for a foot s P_theta and s P_q). */
#ifndef BASE_ROWS_H
#define BASE_ROWS_H

#include "body/kinematics.h"
#include "robot/robot.h"
#include "update/row_update.h"

/* One IMU reading, base link's IMU frame; an axis that is NaN says nothing. */
struct base_reading {
  vec3 rate, force;         /* rad/s, m/s^2 */
  double rate_sd, force_sd; /* of one sample */
};

/* The rows of the gyro and of the accelerometer, in this order. [real-time] Returns how many of
 * them are the gyro's; the others follow. x: [numbers] */
size_t base_rows_imu(struct row_update *rows, const struct pose *imu,
                     const struct base_reading *reading, const double *x);

/* Three rows of a foot that stands. [real-time] kin: of the joint positions in x; rolled: m, world,
 * how far its ball's centre has come since it landed; J: scratch, [6][6 + n], its Jacobian
 * afterwards; sd: m, along the world's axes. */
void base_rows_foot(struct row_update *rows, const struct kinematics *kin,
                    const struct model_frame *foot, size_t index, vec3 rolled, vec3 sd, double *J,
                    const double *x);

/* Three rows of its sole; sd: rad, about its axes. [real-time] After base_rows_foot of the same
 * foot, whose J it reads. */
void base_rows_sole(struct row_update *rows, const struct kinematics *kin,
                    const struct model_frame *foot, size_t index, vec3 sd, const double *J,
                    const double *x);

/* One row: the foot stands at this height, m. [real-time] */
void base_rows_height(struct row_update *rows, size_t index, double height, double sd,
                      const double *x);

/* Two rows: its sole lies level, within sd, rad. [real-time] */
void base_rows_level(struct row_update *rows, size_t index, double sd, const double *x);

/* Three rows: the base stays about where it is; sd: m/s. [real-time] */
void base_rows_stay(struct row_update *rows, double sd, const double *x);

/* Three rows: the base does not turn; sd: rad/s. [real-time] */
void base_rows_still(struct row_update *rows, double sd, const double *x);

/* Three rows: the base is turned like this; sd: rad. [real-time] */
void base_rows_orientation(struct row_update *rows, quat q_WB, double sd, const double *x);

#endif
