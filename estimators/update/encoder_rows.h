/* Encoders between two looks of the skin.
 *
 * One reading of an encoder says little of what is known already: a noise of 1 mrad about a
 * position known to 0.2 mrad. The estimate takes each at once; the covariance, where nearly all of
 * an update's work is, takes those of some cycles together: with the next skin, for which they cost
 * nothing, or after WAIT_NS. Until then they are pending, and what is read meanwhile has the
 * gain that it would have if they had been taken: with w^2 = 1 + how many are pending,
 *
 *   K = P H^T W (W H P H^T W + 1)^-1 W^-1,  P' = P - P H^T W (W H P H^T W + 1)^-1 W H P.
 *
 * What a reading tells of a position is the part `told` of its variance, P_qq / sd^2 when it was
 * read. That stays the same while the variance grows: so many readings are pending as would tell it
 * now. Where readings say much, at the start, of good encoders and of a joint that was knocked,
 * each is taken at once. */
#ifndef ENCODER_ROWS_H
#define ENCODER_ROWS_H

#include "update/instants.h"
#include "update/row_update.h"

/* Whether the covariance may go without this instant's readings, `now->pending` being those before
 * it. [real-time] sd: [n] rad or m; P: prior, upper triangle. */
bool encoder_rows_may_wait(const struct joint_layout *layout, const struct instant *now,
                           const double *sd, const double *P);

/* Lets them wait: the estimate has taken them, P has not. [real-time] */
void encoder_rows_wait(const struct joint_layout *layout, struct instant *now, const double *sd,
                       const double *P);

/* The covariance of state `i` with position `j`, as it will be once P has taken what is pending of
 * that joint's own encoder; with i = layout->q + j the position's variance. [real-time] */
double encoder_rows_covariance(const struct joint_layout *layout, size_t i, size_t j,
                               const struct encoders_pending *pending, const double *P);

/* Adds a row for each encoder that is used or has readings pending. [real-time] x, P: prior. */
void encoder_rows_add(struct row_update *rows, const struct instant *now, const double *sd,
                      const double *x, const double *P);

/* Adds what is known of joint j when nothing has told of it for some time, two rows at most: joints
 * have limits, and come to rest again and again. Else it would go on for ever as it went when its
 * encoder froze. [real-time] period_s: of the samples at which this is said; x: prior. */
void encoder_rows_unheard(struct row_update *rows, const struct joint *joint, size_t j,
                          double period_s, const double *x);

/* Adds what is pending alone. [real-time] P: prior. */
void encoder_rows_add_pending(struct row_update *rows, const struct encoders_pending *pending,
                              const double *P);

/* Sum of the squared innovations, each over its own variance; chi-square of `*count` degrees of
 * freedom, but for what encoders have in common. [real-time] x, P: prior. */
double encoder_rows_nis(const struct joint_layout *layout, const struct instant *now,
                        const double *sd, const double *x, const double *P, size_t *count);

#endif
