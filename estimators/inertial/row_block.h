/* Rows of some cycles, averaged: the block that an inertial filter uses at once.
 *
 * Averaging costs no information, since rows are linear in the parameters, and noise that is
 * correlated from cycle to cycle counts as what it is. A block whose rows change begins anew.
 * [real-time] unless said otherwise. */
#ifndef ROW_BLOCK_H
#define ROW_BLOCK_H

#include "inertial/inertial_measurement.h"

struct row_block {
  size_t n;                           /* parameters */
  size_t rows, count;                 /* in the block; cycles so far, 1 once averaged */
  size_t row[INERTIAL_MAX_ROWS];      /* of the whole robot, see inertial_measurement */
  double *Y;                          /* [rows][n] sum, then mean */
  double z[INERTIAL_MAX_ROWS];        /* N m, N: the same, less the bias */
  double friction[INERTIAL_MAX_ROWS]; /* N m: the same; lasts, so averaging does not lessen it */
  double force[INERTIAL_MAX_ROWS];    /* N m, N: the same, what was measured */
  double rate[INERTIAL_MAX_ROWS];     /* rad/s or m/s: the same, of the row's joint */
  double time, fastest;               /* s so far; rad/s */
};

/* [start] For n parameters; the arena may run out. */
void row_block_init(struct row_block *block, size_t n, struct arena *arena);

void row_block_empty(struct row_block *block);

/* Adds the rows of a cycle of dt seconds, in which no joint was faster than `rate` (rad/s), less
 * their bias: [row of the robot] N m, N. */
void row_block_add(struct row_block *block, const struct inertial_measurement *measurement,
                   const double *bias, double rate, double dt);

/* Turns sums into means; once, and not when empty. */
void row_block_average(struct row_block *block);

#endif
