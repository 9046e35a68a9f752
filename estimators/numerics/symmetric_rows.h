/* Whole rows of a symmetric matrix of which the upper triangle is kept. */
#ifndef SYMMETRIC_ROWS_H
#define SYMMETRIC_ROWS_H

#include <stddef.h>

/* Rows behind the last that are spilt over. */
#define SYMMETRIC_ROWS_SPILL ((size_t)8)

/* rows = rows `first` .. `first + count` of P [..][stride], from its upper triangle. [real-time]
 * rows: [count + SYMMETRIC_ROWS_SPILL][stride], beyond `count` spoilt. */
void symmetric_rows(const double *P, size_t stride, size_t first, size_t count, double *rows);

#endif
