/* Measured rows, remembered as normal equations: A x = b with A = sum Y^T R^-1 Y and b = sum Y^T
 * R^-1 z, x the parameters and after them the rows' biases.
 *
 * Rows are linear in both, so nothing is lost, however many there were. Beside them stands what
 * noise in the regressor has added to A and b on average, so that it can be taken away again, and
 * both fade when the parameters drift; biases do not drift. [real-time] unless said otherwise. */
#ifndef ROW_MEMORY_H
#define ROW_MEMORY_H

#include "common/arena.h"

#include <stdbool.h>
#include <stddef.h>

#define INERTIAL_MAX_ROWS   64
#define INERTIAL_MAX_BIASES (3 * INERTIAL_MAX_ROWS) /* of rows, their drives' friction and gains */

/* Rows as they were measured, and what they carry beside parameters and noise: a bias each, what
 * friction errs by, and what a gain that is off makes of the torque. */
struct measured_rows {
  size_t n;               /* rows, at most INERTIAL_MAX_ROWS */
  const double *Y, *z;    /* [n][parameters], [n] N or N m */
  const double *force;    /* [n] N or N m: a gain that is off by x is off by x times this */
  const double *friction; /* [n] N m: one deviation of what friction errs by for good */
  /* places of each behind the parameters; beyond all: there is none */
  size_t bias[INERTIAL_MAX_ROWS], stick[INERTIAL_MAX_ROWS], gain[INERTIAL_MAX_ROWS];
  double noise[INERTIAL_MAX_ROWS]; /* N or N m: of a start's rows, one deviation */
};

/* One set of measured rows, already averaged. */
struct inertial_rows {
  size_t n;           /* rows, at most INERTIAL_MAX_ROWS */
  const double *Y;    /* [n][parameters + biases] regressor */
  const double *z;    /* [n] N or N m */
  const double *R;    /* [n] variances, positive */
  const double *YtWY; /* [parameters]^2 noise of the regressor: E[dY^T R^-1 dY], or NULL */
  const double *YtWz; /* [parameters] E[dY^T R^-1 dz], or NULL */
  double doubt;       /* relative deviation of those two: what they were learned from was short */
};

struct row_memory {
  size_t n, n_pi; /* parameters and biases; parameters */
  double *A, *b;  /* [n][n], [n] */
  double *N, *nz; /* [n][n], [n] the regressor's noise in them: fading carries it to the biases */
  double doubt;   /* relative deviation of N and nz */
  double *scaled; /* [INERTIAL_MAX_ROWS][n] R^-1/2 Y */
  double *K;      /* [n][n_pi] of fading: the share of the information that a drift costs */
  double *work, *work2;
};

/* The r-th of rows with what it carries beside: `row` [n_pi + n_bias]. [any] */
void row_memory_beside(const struct measured_rows *rows, size_t r, size_t n_pi, size_t n_bias,
                       double *row);

/* [start] The arena may run out. */
void row_memory_init(struct row_memory *memory, size_t n_pi, size_t n_bias, struct arena *arena);

void row_memory_clear(struct row_memory *memory);
void row_memory_copy(struct row_memory *to, const struct row_memory *from);

/* Adds rows, their information weighed by `weight`. */
void row_memory_add(struct row_memory *memory, const struct inertial_rows *rows, double weight);

/* Fades by a drift of the parameters with covariance S S^T, S [n_pi][n_pi]: A becomes
 * (A^-1 + S S^T)^-1 = (1 - K) A, whatever its rank. What the rows say beyond the estimate x [n],
 * b - A x, fades alike, and so does the noise's part of it: parameters that the rows agree on stay
 * where they are, whatever share of the noise is taken away later. The noise itself is a quadratic
 * form and becomes (1 - K/2) N (1 - K/2)^T. */
void row_memory_fade(struct row_memory *memory, const double *S, const double *x);

/* Which share of the regressor's noise can be taken away, as far as every direction keeps more than
 * noise: `*share`, its index, moves by one place a call from that of the last time; 0 at first. */
void row_memory_choose_share(struct row_memory *memory, size_t *share);

/* The equations to solve, A [n][n] and b [n]: less that share of the noise, and the rest of it
 * draws to x0 [n], what was believed before, instead of to nothing. */
void row_memory_fit(const struct row_memory *memory, size_t share, const double *x0, double *A,
                    double *b);

/* By how much more b scatters about A x than A less the regressor's noise says, X [n_pi][n_pi]:
 * the noise taken out of A has moved b all the same, and so does an error of the noise itself, and
 * what was not taken away draws to x0. X = share N + doubt^2 v v^T + (1 - share)^2 w w^T, v = N x -
 * nz, w = N (x - x0). */
void row_memory_scatter(struct row_memory *memory, size_t share, const double *x, const double *x0,
                        double *X);

#endif
