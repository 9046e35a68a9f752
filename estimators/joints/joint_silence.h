/* What is still known after a silence of all streams.
 *
 * For some time the motion goes on as it was. After that nobody knows what an acceleration has
 * become: carried on, it leads a leg through the floor within a tenth of a second. So what moves
 * goes back to what robots usually do, each with its own time, as Ornstein and Uhlenbeck's process
 * does: x' = d x, and its variance d^2 P + (1 - d^2) V, with d = exp(-t / T). What is slow stays:
 * biases, what links' skin is off by, and attitude, velocity and place less what they may have
 * done meanwhile. */
#ifndef JOINT_SILENCE_H
#define JOINT_SILENCE_H

#include "joints/joint_process.h"

/* s: how long motion goes on as it was. */
#define SILENCE_S 0.02

/* How long of a step of dt s is more than that, s; 0 at least. [any] */
double joint_silence_of(double dt);

/* x [numbers] SILENCE_S into a silence; after t s more. [real-time] */
void joint_silence_mean(const struct joint_layout *layout, double t, double *x);

/* The same of P [size][stride], the upper triangle; x: [numbers] before, as above. [real-time] */
void joint_silence_covariance(const struct joint_layout *layout, double t, const double *x,
                              double *P);

/* The same of variances alone [size], no less than they are. [real-time] */
void joint_silence_variance(const struct joint_layout *layout, double t, double *variance);

#endif
