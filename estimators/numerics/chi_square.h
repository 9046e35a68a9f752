/* Bounds of the chi-square distribution, for gates and consistency tests. */
#ifndef CHI_SQUARE_H
#define CHI_SQUARE_H

#include <stddef.h>

/* Normal quantiles for the upper tails in use. */
#define NORMAL_TAIL_1E3 3.0902 /* 99.9 % below */
#define NORMAL_TAIL_1E6 4.7534 /* 99.9999 % below */

/* The value that a chi-square variable with `degrees` of freedom exceeds as rarely as a normal one
 * exceeds `quantile`. [any] Wilson and Hilferty's approximation: within 4 % for one degree of
 * freedom, 1 % from six on. */
double chi_square_bound(size_t degrees, double quantile);

#endif
