#include "recording/quantum.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  SAMPLES = 512,
  PROBES = 4, /* the smallest change may be so many steps */
  CANDIDATES = 64,
  MOST_EXCEPTIONS = 16 /* one sample in so many may be no product */
};
static const double most_count = 2147483000.0;

static double number_at(const unsigned char *numbers, size_t i, size_t width) {
  if (width == sizeof(float)) {
    float f;
    memcpy(&f, numbers + i * sizeof(f), sizeof(f));
    return (double)f;
  }
  double d;
  memcpy(&d, numbers + i * sizeof(d), sizeof(d));
  return d;
}

/* The product as its driver would have written it. */
static double product(double count, double step, size_t width) {
  const double d = count * step;
  return width == sizeof(float) ? (double)(float)d : d;
}

static bool is_product(double number, double step, size_t width) {
  const double count = rint(number / step);
  return fabs(count) < most_count && product(count, step, width) == number;
}

/* -- finding the step ------------------------------------------------------------------------- */

/* The smallest change of any element from one row to the next; 0: nothing changes. */
static double smallest_change(const unsigned char *numbers, size_t rows, size_t elements,
                              size_t width) {
  double smallest = DBL_MAX;
  for (size_t i = elements; i < rows * elements; i++) {
    const double change =
        fabs(number_at(numbers, i, width) - number_at(numbers, i - elements, width));
    if (change > 0.0 && change < smallest) {
      smallest = change;
    }
  }
  return smallest < DBL_MAX ? smallest : 0.0;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Numbers of the column, without sign, in order of size. */
static size_t sample(const unsigned char *numbers, size_t n, size_t width,
                     double samples[SAMPLES]) {
  size_t taken = 0;
  const size_t every = n / SAMPLES + 1;
  for (size_t i = 0; i < n && taken < SAMPLES; i += every) {
    const double number = fabs(number_at(numbers, i, width));
    if (number > 0.0 && isfinite(number)) {
      samples[taken++] = number;
    }
  }
  qsort(samples, taken, sizeof(double), by_size);
  return taken;
}

/* Where the step must lie if most samples are products: each narrows it by its rounding, the
 * larger the more. False: too many lie elsewhere. */
static bool narrow(const double *samples, size_t n, size_t width, double guess, double *low,
                   double *high) {
  const double half_ulp = width == sizeof(float) ? 0.5 * (double)FLT_EPSILON : 0.5 * DBL_EPSILON;
  double step = guess;
  size_t exceptions = 0;
  *low = guess * (1.0 - 1e-3);
  *high = guess * (1.0 + 1e-3);
  for (size_t i = 0; i < n; i++) {
    const double count = rint(samples[i] / step), error = samples[i] * half_ulp;
    if (count < 1.0) {
      continue;
    }
    const double from = (samples[i] - error) / count, to = (samples[i] + error) / count;
    if (from > *high || to < *low) {
      if (MOST_EXCEPTIONS * ++exceptions > n) {
        return false;
      }
      continue;
    }
    *low = fmax(*low, from);
    *high = fmin(*high, to);
    step = 0.5 * (*low + *high);
  }
  return true;
}

/* How many samples are products; 0 as soon as too many are none. */
static size_t products(const double *samples, size_t n, size_t width, double step) {
  size_t count = 0;
  for (size_t i = 0; i < n && step > 0.0; i++) {
    count += is_product(samples[i], step, width);
    if (MOST_EXCEPTIONS * (i + 1 - count) > n) {
      return 0;
    }
  }
  return count;
}

/* Takes a candidate that explains more samples than the best so far. */
static void consider(const double *samples, size_t n, size_t width, double step, double *best,
                     size_t *explained) {
  const size_t count = products(samples, n, width, step);
  if (count > *explained) {
    *best = step;
    *explained = count;
  }
}

/* Steps that people choose first: few decimals, a turn through a power of two; then the interval.
 * 0: too many samples are products of none. */
static double choose(const double *samples, size_t n, size_t width, double low, double high) {
  const double middle = 0.5 * (low + high);
  double best = 0.0;
  size_t explained = 0;
  for (int digits = 1; digits <= DBL_DIG; digits++) {
    char text[40];
    snprintf(text, sizeof(text), "%.*g", digits, middle);
    consider(samples, n, width, strtod(text, NULL), &best, &explained);
  }
  const double turn = 2.0 * M_PI / exp2(rint(log2(2.0 * M_PI / middle)));
  consider(samples, n, width, turn, &best, &explained);
  for (int i = 0; i <= CANDIDATES && explained < n; i++) {
    consider(samples, n, width, low + (high - low) * i / CANDIDATES, &best, &explained);
  }
  return best;
}

double quantum_find(const unsigned char *numbers, size_t rows, size_t elements, size_t width) {
  double samples[SAMPLES], low, high;
  const double change = smallest_change(numbers, rows, elements, width);
  const size_t n = sample(numbers, rows * elements, width, samples);
  if (change <= 0.0 || n < SAMPLES / 16 || samples[n - 1] / change > most_count) {
    return 0.0;
  }
  for (int probe = 1; probe <= PROBES; probe++) {
    const double step = narrow(samples, n, width, change / probe, &low, &high)
                            ? choose(samples, n, width, low, high)
                            : 0.0;
    if (step > 0.0) {
      return step;
    }
  }
  return 0.0;
}

/* -- there and back --------------------------------------------------------------------------- */

bool quantum_split(const unsigned char *numbers, size_t n, size_t width, double step,
                   int32_t *counts, unsigned char *exceptions, size_t most, size_t *n_exceptions) {
  *n_exceptions = 0;
  for (size_t i = 0; i < n; i++) {
    const double number = number_at(numbers, i, width);
    if (is_product(number, step, width)) {
      counts[i] = (int32_t)rint(number / step) - (signbit(number) ? 1 : 0);
    } else if (*n_exceptions < most) {
      counts[i] = QUANTUM_EXCEPTION;
      memcpy(exceptions + (*n_exceptions)++ * width, numbers + i * width, width);
    } else {
      return false;
    }
  }
  return true;
}

bool quantum_join(const int32_t *counts, size_t n, size_t width, double step,
                  const unsigned char *exceptions, size_t n_exceptions, unsigned char *numbers) {
  size_t taken = 0;
  for (size_t i = 0; i < n; i++) {
    unsigned char *place = numbers + i * width;
    if (counts[i] == QUANTUM_EXCEPTION) {
      if (taken == n_exceptions) {
        return false;
      }
      memcpy(place, exceptions + taken++ * width, width);
      continue;
    }
    const double d = counts[i] >= 0 ? counts[i] * step : -(-(counts[i] + 1) * step);
    const float f = (float)d;
    memcpy(place, width == sizeof(float) ? (const void *)&f : (const void *)&d, width);
  }
  return taken == n_exceptions;
}
