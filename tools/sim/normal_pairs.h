/* Standard normal numbers from uniform ones, several per instruction. */
#ifndef NORMAL_PAIRS_H
#define NORMAL_PAIRS_H

#include <stddef.h>

/* By Box and Muller: sqrt(-2 log(1 - u)) times cosine and sine of 2 pi v, one behind the other,
 * within 1e-15 + 2 ulp of the exact value. [any] u: [n] in [0, 1), v: [n]; both are used up.
 * out: [2 n]. */
void normal_pairs(double *u, double *v, size_t n, double *out);

#endif
