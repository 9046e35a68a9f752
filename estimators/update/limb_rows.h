/* What an IMU on a limb tells, as rows of a measurement.
 *
 *   gyro           R_I^T omega_L + b_g
 *   accelerometer  R_I^T f_P + b_a,   f_P the specific force at its place P on the link
 *
 * linear about the state, in closed form. With J_j how P moves with joint j and D the derivative by
 * time as seen from outside (joint j's axis z_j, from its origin to P r_j):
 *   J_j = z_j x r_j      D J_j = Dz_j x r_j + z_j x Dr_j
 *   DD J_j = DDz_j x r_j + 2 Dz_j x Dr_j + z_j x DDr_j
 *   df_P/dddq_j = J_j      df_P/ddq_j = 2 D J_j      df_P/dq_j = DD J_j
 * since mixed derivatives of a place commute; the IMU's own axes turn with joint j, which takes
 * z_j x f_P from the last and leaves Dz_j of the gyro. A prismatic joint has J_j = z_j and turns
 * nothing. All is exact; what second order would add is far below the noise once velocities are
 * known. */
#ifndef LIMB_ROWS_H
#define LIMB_ROWS_H

#include "body/kinematics.h"
#include "robot/robot.h"
#include "robot/sensor_frame.h"
#include "update/row_update.h"

/* An IMU on a limb, and the noise of one sample of its triads. */
struct limb_imu {
  size_t link;           /* index into model.link */
  struct pose placement; /* pose of the IMU frame in its link's frame */
  double rate_sd;        /* rad/s */
  double force_sd;       /* m/s^2 */
};

/* Adds up to three rows of a gyro, whose bias is three states from `bias` on, IMU axes. [real-time]
 * kin: updated to the whole motion in x, biases of skin taken out; x: [numbers]. An axis that is
 * NaN says nothing. */
void limb_rows_gyro(struct row_update *rows, const struct kinematics *kin,
                    const struct limb_imu *imu, size_t bias, vec3 reading, const double *x);

/* The same of its accelerometer. [real-time] */
void limb_rows_accelerometer(struct row_update *rows, const struct kinematics *kin,
                             const struct limb_imu *imu, size_t bias, vec3 reading,
                             const double *x);

#endif
