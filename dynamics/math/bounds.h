/* The door where NaN stops: are these numbers finite and of a believable size? All: [any]. */
#ifndef BOUNDS_H
#define BOUNDS_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>

/* True when |x[i]| <= limit for all i; false for NaN. x: [n]. */
bool all_within(const double *x, size_t n, double limit);

/* STATUS_OK when all_within, else STATUS_NOT_FINITE or STATUS_OUT_OF_RANGE. */
enum status check_within(const double *x, size_t n, double limit);

/* N, N m: no force on a robot is larger. */
#define FORCE_LIMIT 1e12

#endif
