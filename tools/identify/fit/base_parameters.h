/* Which combinations of the unknowns torques can tell at all.
 *
 * The regressor's columns over random motions have a rank below their number. The columns that
 * come first in a pivoted factorisation are independent; every other is a combination of them,
 *
 *   Y x = Y1 (x1 + K x2)
 *
 * so that x1 + K x2 are the base parameters: what every motion tells, and all that any can.
 * @eq Leboutet22 5 11 */
#ifndef BASE_PARAMETERS_H
#define BASE_PARAMETERS_H

#include "identify/rows/unknowns.h"

struct base_parameters {
  size_t n, n_base; /* unknowns, and of them base parameters */
  size_t *order;    /* [n] places in x: first the independent ones, ascending, then the others */
  double *K;        /* [n_base][n - n_base] */
};

/* [start] From random motions within the model's limits; the same for the same model. `up` as in
 * row_set_make. STATUS_NO_MEMORY. */
enum status base_parameters_find(const struct unknowns *unknowns, vec3 up,
                                 struct base_parameters *base);
void base_parameters_free(struct base_parameters *base);

/* Value of base parameter i at x: x1_i + sum K x2. */
double base_parameter(const struct base_parameters *base, size_t i, const double *x);

/* "link_2 Ixx - 1 link_2 Iyy + 0.0506 link_3 m ...": `out` is written, cut to `size`. */
void base_parameter_expression(const struct base_parameters *base, const struct unknowns *unknowns,
                               size_t i, char *out, size_t size);

#endif
