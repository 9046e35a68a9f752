/* How noisy the rows of a block are, and what they teach of it: at rest all that moves is noise, in
 * motion what the estimate leaves of them. All [real-time] but where it says otherwise. */
#ifndef INERTIAL_NOISE_H
#define INERTIAL_NOISE_H

#include "inertial/inertial_filter_parts.h"

/* s: a rest's rows are used for this long; then they have said what they can. */
#define INERTIAL_REST_USED 2.0

/* The filter stands still. */
bool inertial_block_rests(const struct inertial_filter *filter);

/* What estimate, biases and gains leave of a block's means so far: [rows] N m and N. [any] */
void inertial_block_residual(const struct inertial_filter *filter, const struct row_block *block,
                             double *residual);

/* What was told of the block's noise, what friction and gains leave uncertain, and what was learned
 * at rest. */
void inertial_noise_set(struct inertial_filter *filter);

/* A block at rest teaches what is noise. False for half a second in which too little is known to
 * tell noise from a change: such blocks teach, and are not used. */
bool inertial_noise_learn(struct inertial_filter *filter);

/* A block's rows, with what they err by for good: a gain by a share of the torque as measured, with
 * loads not known yet, but for what of the residual is noise. Valid until the next call. */
struct measured_rows inertial_measured_rows(struct inertial_filter *filter,
                                            const struct row_block *block);

/* The block as white rows; at rest with the regressor's mean over the rest, in motion as noisy as
 * rows have shown to be. */
struct inertial_rows inertial_noise_rows(struct inertial_filter *filter);

/* The same rows as they are remembered: the model errs in them as in many others, and what noise in
 * the regressor does to them is known. */
void inertial_noise_remember(struct inertial_filter *filter);

/* What the estimate leaves of the rows teaches how noisy they are in motion, as far as it is the
 * rows' and not the estimate's that is wrong. */
void inertial_noise_learn_scatter(struct inertial_filter *filter);

/* A force sensor that creeps while the robot stands must not become mass. */
void inertial_noise_follow_creep(struct inertial_filter *filter);

#endif
