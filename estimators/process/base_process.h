/* How a floating base moves between two samples, and with it the errors of what is known about it.
 *
 *   R' = R Exp(turn),  turn = omega dt + omegadot dt^2/2 + omegaddot dt^3/6
 *   v' = v + Rm (f dt + fdot dt^2/2) + g dt
 *   p' = p + v dt + (Rm f + g) dt^2/2 + Rm fdot dt^3/6
 *
 * with Rm the attitude of the step's middle and omega, omegadot, f the filter's own states without
 * their biases: gyro and accelerometer are measurements of those, not inputs. To first order in dt
 * the errors follow
 *
 *   theta' = Exp(-turn) theta + dt domega + dt^2/2 domegadot + dt^3/6 domegaddot
 *   dv'    = dv - dt R S(f) theta + R (dt df + dt^2/2 dfdot)
 *   dp'    = dp + dt dv - dt^2/2 R S(f) theta + R (dt^2/2 df + dt^3/6 dfdot)
 *
 * The white noise that drives omega and f goes on into attitude, velocity and position: what a
 * reading says of the force at the end of a long step it says of the velocity too. IMU biases and
 * the places and attitudes of soles walk at random. */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include "math/spatial.h"
#include "process/joint_process.h"

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

/* One number of the rows of F by the base's motion. */
struct base_term {
  size_t to, from; /* states */
  double by;       /* not zero */
};
enum { BASE_TERMS_MAX = 16 * 9 };

/* Those rows, number by number. [real-time] x: [numbers] before the step. Returns how many. */
size_t base_process_terms(const struct joint_layout *layout, double dt, const double *x,
                          struct base_term term[BASE_TERMS_MAX]);

/* The same dense, for tests: F [BASE_MOVING][size]. [any] */
void base_process_transition(const struct joint_layout *layout, double dt, const double *x,
                             double *F);

/* Adds what the noise on the last derivatives of omega and f does to attitude, velocity and
 * position, the next integrals of the same chains, to the upper triangle of P. [real-time] x:
 * [numbers] before the step. */
void base_process_noise(const struct joint_layout *layout, double dt,
                        const struct joint_densities *densities, const double *x, double *P);

#endif
