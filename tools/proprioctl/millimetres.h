/* Lengths as they are written. */
#ifndef MILLIMETRES_H
#define MILLIMETRES_H

#include <math.h>

/* m, to the next millimetre: what rounds to none has no sign. */
static inline double to_millimetre(double metres) {
  return 1e-3 * round(1e3 * metres) + 0.0; /* -0 + 0 is 0 */
}

#endif
