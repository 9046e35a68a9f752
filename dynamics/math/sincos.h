/* Sine and cosine of many angles at once, several per instruction. */
#ifndef SINCOS_H
#define SINCOS_H

#include <stddef.h>

/* Pad arrays to a multiple of this, so that no angle is left over for a slow remainder. */
#define SINCOS_WIDTH ((size_t)8)

/* sin and cos of `angle`, each within 1e-16 + 1 ulp of the exact value for any finite angle. [any]
 * angle: [n] rad; sin_out, cos_out: [n], may not overlap with angle. NaN or Inf gives NaN. */
void sincos_array(const double *angle, size_t n, double *sin_out, double *cos_out);

#endif
