/* Rows as least squares sees them: for each joint and each block of time a triangle, weighed
 * against outliers; and the normal equations of any choice of blocks, each joint by its own noise.
 *
 * The noise of a joint is a factor before its triangles, and a block is left out by not adding it:
 * neither looks at a row again. Only outliers' weights do. */
#ifndef WEIGHED_ROWS_H
#define WEIGHED_ROWS_H

#include "identify/fit/triangle.h"
#include "identify/rows/row_set.h"

#include <stdint.h>

enum { FIT_BLOCKS = 6 };

struct weighed_rows {
  const struct row_set *rows;
  size_t n;           /* unknowns */
  size_t first, last; /* instants used: first <= k < last, in FIT_BLOCKS blocks of equal length */
  struct triangle *triangle;         /* [n_joints][FIT_BLOCKS] */
  double noise[MODEL_MAX_JOINTS];    /* N m (N), one standard deviation */
  size_t used[MODEL_MAX_JOINTS];     /* rows of each joint, those near standstill left out */
  double outliers[MODEL_MAX_JOINTS]; /* share of them with less than full weight */
};

/* Normal equations: 1/2 x^T A x - b^T x + constant / 2, nats. */
struct normal_equations {
  double *A, *b; /* [n][n], [n] */
  double constant;
};

/* [start] STATUS_NO_MEMORY; STATUS_TOO_FEW: fewer instants than blocks. */
enum status weighed_rows_init(struct weighed_rows *w, const struct row_set *rows, size_t n,
                              size_t first, size_t last);
void weighed_rows_free(struct weighed_rows *w);

/* Folds all rows in anew: a row whose residual at x is beyond `huber` standard deviations of noise
 * counts with the weight huber noise / |residual|. x NULL: all alike. @eq Leboutet22 18 20 */
void weighed_rows_fold(struct weighed_rows *w, const double *x, double huber);

/* Noise of every joint from what x leaves, `told` unknowns counted off over all joints.
 * @eq Leboutet22 17 */
void weighed_rows_noise(struct weighed_rows *w, const double *x, size_t told, double huber);

/* Adds the blocks whose bit is set in `blocks` to zeroed or filled equations. */
void weighed_rows_equations(struct weighed_rows *w, uint32_t blocks, struct normal_equations *e);

enum { ALL_BLOCKS = (1 << FIT_BLOCKS) - 1 };

#endif
