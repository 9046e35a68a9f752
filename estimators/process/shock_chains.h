/* Copies of the filter's chains of integrators that also carry an error the filter does not know of
 * (aftershock.h): side by side, one for each joint or axis.
 *
 * P is the covariance of a Kalman filter of each chain by itself, K its gain. An error that its
 * process does not contain, of second moment U, goes on in it as
 *
 *   U = (1 - K h) F U F^T (1 - K h)^T,
 *
 * and P and U never meet: what is unknown does not make the filter look closer. */
#ifndef SHOCK_CHAINS_H
#define SHOCK_CHAINS_H

#include "common/arena.h"
#include "process/joint_chains.h"

#include <stdbool.h>

struct shock_chains {
  size_t count, length;           /* chains; derivatives of each, from the lowest */
  double *P, *U;                  /* [length][length][count] */
  double *r;                      /* [count] variance of a reading; HUGE_VAL: there is none */
  double *density;                /* [count] of the step at hand */
  double *gain, *known, *unknown; /* [length][count] of that reading, and columns of P and U */
};

/* Chains of 2 to 4 derivatives, the longest those of a joint. [start] On a failed arena its arrays
 * are NULL. */
void shock_chains_init(struct shock_chains *chains, size_t count, size_t length,
                       struct arena *arena);

/* Nothing is known but orders of magnitude, and nothing unknown. [real-time] */
void shock_chains_reset(struct shock_chains *chains);

/* Time passes: dt > 0 s. [real-time] */
void shock_chains_predict(struct shock_chains *chains, const struct chain_drive *drive, double dt);

/* Each is read: derivative m, with the variance in `r`. [real-time] */
void shock_chains_correct(struct shock_chains *chains, size_t m);

/* All variances are numbers that variances can be. [real-time] */
bool shock_chains_sound(const struct shock_chains *chains);

/* [count] elements (i, k) of P or U. [real-time] */
static inline double *shock_chains_at(const struct shock_chains *chains, double *matrix, size_t i,
                                      size_t k) {
  return matrix + (i * chains->length + k) * chains->count;
}

#endif
