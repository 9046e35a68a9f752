/* The door where NaN stops: are these numbers finite and of a believable size? All: [any]. */
#ifndef BOUNDS_H
#define BOUNDS_H

#include "model.h"
#include "spatial.h"
#include "status.h"

#include <stdbool.h>
#include <stddef.h>

/* True when |x[i]| <= limit for all i; false for NaN. x: [n]. */
bool all_within(const double *x, size_t n, double limit);

/* STATUS_OK when all_within, else STATUS_NOT_FINITE or STATUS_OUT_OF_RANGE. */
enum status check_within(const double *x, size_t n, double limit);

/* kg, kg m, kg m^2: no inertial parameter of a robot is larger. */
#define INERTIA_LIMIT 1e9

/* N, N m: no force on a robot is larger. */
#define FORCE_LIMIT 1e12

/* inertia: [n]. Consistency is not asked for: estimators pass any ten numbers, also zeros. */
static inline enum status check_inertias(const struct inertia *inertia, size_t n) {
  _Static_assert(sizeof(struct inertia) == 10 * sizeof(double), "ten numbers in a row");
  return check_within(&inertia[0].m, 10 * n, INERTIA_LIMIT);
}

#endif
