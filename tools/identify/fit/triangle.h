/* Least squares of any number of rows in a triangle: R^T R = sum w [Y z]^T [Y z].
 *
 * Rows stream in by blocks and are folded in by Householder's reflections, so that neither memory
 * nor the solve grows with the log, and nothing is squared before the end. [start] [worker] */
#ifndef TRIANGLE_H
#define TRIANGLE_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>

enum { TRIANGLE_BLOCK = 128 /* rows folded in at a time */ };

struct triangle {
  size_t n;       /* unknowns; the triangle has one column more, z */
  size_t rows;    /* folded in so far */
  size_t waiting; /* rows in the block that are not folded in yet */
  double *block;  /* [n + 1 columns][n + 1 + TRIANGLE_BLOCK rows]: R above, waiting rows below */
  double *gram;   /* [n + 1][n + 1] R^T R, of the rows that are folded in, where `squared` */
  bool squared;
  double *tau, *work;
};

/* STATUS_NO_MEMORY leaves it empty. */
enum status triangle_init(struct triangle *triangle, size_t n);
void triangle_free(struct triangle *triangle);
void triangle_clear(struct triangle *triangle);

/* Takes the row Y x = z, [n], `weight` times (the root of its squared weight). */
void triangle_row(struct triangle *triangle, const double *Y, double z, double weight);

/* Adds share R^T R to the normal equations A (n_all x n_all) and b, of whose unknowns these are
 * column[0 .. n-1], and share z^T z to *constant. Squares R once, however often it is asked. */
void triangle_add_to(struct triangle *triangle, double share, const size_t *column, size_t n_all,
                     double *A, double *b, double *constant);

#endif
