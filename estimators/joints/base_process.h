/* How a floating base moves between two samples, and with it the errors of what is known about it.
 *
 *   R' = R Exp(turn),  turn = omega dt + omegadot dt^2/2
 *   v' = v + Rm (f dt + fdot dt^2/2) + g dt,   p' = p + v dt + (Rm f + g) dt^2/2
 *
 * with Rm the attitude of the step's middle and omega, omegadot, f the filter's own states without
 * their biases: gyro and accelerometer are measurements of those, not inputs. To first order in dt
 * the errors follow
 *
 *   theta' = Exp(-turn) theta + dt domega + dt^2/2 domegadot
 *   dv'    = dv - dt R S(f) theta + R (dt df + dt^2/2 dfdot)
 *   dp'    = dp + dt dv - dt^2/2 R S(f) theta + dt^2/2 R df
 *
 * IMU biases and the places and attitudes of soles walk at random. */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include "joints/joint_process.h"
#include "math/spatial.h"

enum { BASE_MOVING = 9 }; /* attitude, velocity, position: three numbers each, in this order */

/* Attitude, velocity and position after dt; the rest of x is as before the step. [real-time] */
void base_process_mean(const struct joint_layout *layout, double dt, double *x);

/* The attitude that x holds, and puts one in. [any] */
quat base_process_rotation(const struct joint_layout *layout, const double *x);
void base_process_set_rotation(const struct joint_layout *layout, quat q_WB, double *x);

/* The same for sole `i`, R_WF. [any] */
quat base_process_sole(const struct joint_layout *layout, size_t i, const double *x);
void base_process_set_sole(const struct joint_layout *layout, size_t i, quat q_WF, double *x);

/* Takes the rotation error that an update has left in x into attitude and soles. [real-time] */
void base_process_fold(const struct joint_layout *layout, double *x);

/* N: the rows of F by the base's motion. [any] For tests, dense: F [BASE_MOVING][size]. */
void base_process_transition(const struct joint_layout *layout, double dt, const double *x,
                             double *F);

/* N P, row by row, and in the columns of the base's own motion N P N^T: rows [BASE_MOVING][stride].
 * [real-time] x: [numbers] before the step. */
void base_process_rows(const struct joint_layout *layout, double dt, const double *x,
                       const double *P, double *rows, size_t stride);

/* Writes the base's rows and columns of F P F^T + Q into the upper triangle of `next`. [real-time]
 * rows: as base_process_rows left them, with the chains' columns carried on. */
void base_process_join(const struct joint_layout *layout, double dt,
                       const struct joint_densities *densities, const double *P, const double *rows,
                       size_t stride, double *next);

#endif
