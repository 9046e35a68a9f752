#include "math/sincos.h"

#include "math/bounds.h"
#include "math/dispatch.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Cody and Waite: pi/2 in three parts. The first two have 33 bits, so that their products with a
 * quadrant number of 20 bits are exact. */
#define HALF_PI_HIGH   0x1.921fb54400000p+0
#define HALF_PI_MIDDLE 0x1.0b4611a600000p-34
#define HALF_PI_LOW    0x1.3198a2e037073p-69
#define TWO_OVER_PI    0x1.45f306dc9c883p-1
#define REDUCED_LIMIT  1e6 /* rad; beyond it the quadrant number outgrows 20 bits */

/* Adding this to a number below 2^51 leaves its nearest integer in the lowest bits of the sum. */
#define ROUND_TO_INTEGER 0x1.8p52

/* Minimax polynomials in z = r^2 on |r| <= pi/4, found with a Remez exchange in 60 digits:
 * sin r = r + r z S(z), relative error 3.4e-18;  cos r = 1 - z/2 + z^2 C(z), absolute
 * error 4.7e-20. */
ISA_INLINE double sine_tail(double z) {
  return -0x1.5555555555549p-3 +
         z * (0x1.111111110f87ap-7 +
              z * (-0x1.a01a019c11986p-13 +
                   z * (0x1.71de3577b644fp-19 +
                        z * (-0x1.ae5e663a8c4f9p-26 + z * 0x1.5d930108beaccp-33))));
}
ISA_INLINE double cosine_tail(double z) {
  return 0x1.555555555554cp-5 +
         z * (-0x1.6c16c16c1517ep-10 +
              z * (0x1.a01a019cb1bf2p-16 +
                   z * (-0x1.27e4f809f1788p-22 +
                        z * (0x1.1ee9ebe9b20eep-29 + z * -0x1.8fae9cb87f6ddp-37))));
}

ISA_INLINE int64_t bits_of(double x) {
  int64_t bits;
  memcpy(&bits, &x, sizeof(bits));
  return bits;
}
ISA_INLINE double double_of(int64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof(x));
  return x;
}

/* No branch: the loop vectorises. */
ISA_INLINE void reduced(const double *angle, size_t n, double *sin_out, double *cos_out) {
  for (size_t i = 0; i < n; i++) {
    const double rounded = angle[i] * TWO_OVER_PI + ROUND_TO_INTEGER;
    const double quadrants = rounded - ROUND_TO_INTEGER;
    const double r = ((angle[i] - quadrants * HALF_PI_HIGH) - quadrants * HALF_PI_MIDDLE) -
                     quadrants * HALF_PI_LOW;
    const double z = r * r;
    const int64_t s = bits_of(r + r * z * sine_tail(z));
    const int64_t c = bits_of(1.0 - (0.5 * z - z * z * cosine_tail(z)));

    /* an odd quadrant swaps sine and cosine; its second bit gives the signs */
    const int64_t quadrant = bits_of(rounded);
    const int64_t swap = -(quadrant & 1);
    sin_out[i] =
        double_of(((s & ~swap) | (c & swap)) ^ ((int64_t)((uint64_t)(quadrant & 2) << 62)));
    cos_out[i] =
        double_of(((c & ~swap) | (s & swap)) ^ ((int64_t)((uint64_t)((quadrant + 1) & 2) << 62)));
  }
}

FOR_EACH_ISA void sincos_array(const double *angle, size_t n, double *restrict sin_out,
                               double *restrict cos_out) {
  reduced(angle, n, sin_out, cos_out);
  if (all_within(angle, n, REDUCED_LIMIT)) {
    return;
  }
  for (size_t i = 0; i < n; i++) {
    if (!(fabs(angle[i]) <= REDUCED_LIMIT)) { /* a continuous joint after days of turning */
      sin_out[i] = sin(angle[i]);
      cos_out[i] = cos(angle[i]);
    }
  }
}
