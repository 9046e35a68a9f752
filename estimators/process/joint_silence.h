/* What is still known after a silence of all streams.
 *
 * For some time the motion goes on as it was. After that nobody knows what an acceleration has
 * become: carried on, it leads a leg through the floor within a tenth of a second. So what moves is
 * believed to be no wilder than robots usually are, N(0, V), and goes back to that, each with its
 * own time T, as Ornstein and Uhlenbeck's process does: x' = d x, P' = d^2 P + (1 - d^2) V with
 * d = exp(-t / T). What is slow stays: biases, what links' skin is off by, and attitude, velocity
 * and place but for what may have become of them meanwhile. */
#ifndef JOINT_SILENCE_H
#define JOINT_SILENCE_H

#include "process/joint_process.h"

/* s: a silence that ends with feet elsewhere, forces changed, velocities to be found anew. */
#define SILENCE_S 0.02

/* How much of a step of dt s motion does not go on as it was, s, 0 at least. [any] usual: s between
 * samples of whatever stream. */
double joint_silence_of(double dt, double usual);

/* x [numbers] and P [size][stride], its upper triangle, become those of t s later. [real-time] */
void joint_silence_step(const struct joint_layout *layout, double t, double *x, double *P);

/* The same with variances alone [size], which become no less than those. [real-time] */
void joint_silence_outlook(const struct joint_layout *layout, double t, double *x,
                           double *variance);

#endif
