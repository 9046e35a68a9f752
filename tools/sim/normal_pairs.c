#include "normal_pairs.h"

#include "math/dispatch.h"
#include "math/sincos.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Pairs that are made at a time. */
enum { TOGETHER = 256 };

/* ln 2 in two parts, the first of 32 bits: its product with an exponent is exact. */
#define LN2_HIGH 0x1.62e42fee00000p-1
#define LN2_LOW  0x1.a39ef35793c76p-33

/* Half the bits of 1 / sqrt 2: what is left of a number's lies in [1 / sqrt 2, sqrt 2). */
#define ROOT_HALF_BITS    0x3fe6a09e667f3bcdll
#define EXPONENT_BITS     52
/* Adding this to the bits of an integer below 2^51 makes a number of them that is larger by it. */
#define INTEGER_TO_DOUBLE 0x1.8p52

/* Minimax polynomial of (log((1 + s) / (1 - s)) - 2 s) / s in z = s^2, relative error 2^-58: that
 * of fdlibm's e_log.c. */
ISA_INLINE double log_tail(double z) {
  return z * (0x1.5555555555593p-1 +
              z * (0x1.999999997fa04p-2 +
                   z * (0x1.2492494229359p-2 +
                        z * (0x1.c71c51d8e78afp-3 +
                             z * (0x1.7466496cb03dep-3 +
                                  z * (0x1.39a09d078c69fp-3 + z * 0x1.2f112df3e5244p-3))))));
}

/* log x for x in (0, 1], no branch: the loop vectorises. */
ISA_INLINE double log_of(double x) {
  int64_t bits, exponent;
  double k, m;
  memcpy(&bits, &x, sizeof(bits));
  /* x = 2^k m; the shift of a negative number is done as of one that is not */
  exponent =
      (int64_t)(((uint64_t)(bits - ROOT_HALF_BITS) + (2048ull << EXPONENT_BITS)) >> EXPONENT_BITS);
  bits -= (int64_t)((uint64_t)(exponent - 2048) << EXPONENT_BITS);
  memcpy(&m, &bits, sizeof(m));
  exponent += 0x4338000000000000ll - 2048;
  memcpy(&k, &exponent, sizeof(k));
  k -= INTEGER_TO_DOUBLE;
  const double f = m - 1.0, s = f / (2.0 + f), half = 0.5 * f * f;
  return k * LN2_HIGH - ((half - (s * (half + log_tail(s * s)) + k * LN2_LOW)) - f);
}

/* Radii and angles. */
FOR_EACH_ISA static void polar(double *restrict u, double *restrict v, size_t n) {
  for (size_t i = 0; i < n; i++) {
    u[i] = sqrt(-2.0 * log_of(1.0 - u[i]));
    v[i] = 2.0 * M_PI * v[i];
  }
}

FOR_EACH_ISA static void multiply(const double *restrict radius, const double *restrict cosine,
                                  const double *restrict sine, size_t n, double *restrict out) {
  for (size_t i = 0; i < n; i++) {
    out[2 * i] = radius[i] * cosine[i];
    out[2 * i + 1] = radius[i] * sine[i];
  }
}

void normal_pairs(double *u, double *v, size_t n, double *out) {
  double sine[TOGETHER], cosine[TOGETHER];
  for (size_t at = 0; at < n; at += TOGETHER) {
    const size_t count = n - at < TOGETHER ? n - at : TOGETHER;
    polar(u + at, v + at, count);
    sincos_array(v + at, count, sine, cosine);
    multiply(u + at, cosine, sine, count, out + 2 * at);
  }
}
