/* Errors of one quantity collected over runs: mean absolute value, median, deviation. */
#ifndef ERROR_SAMPLE_H
#define ERROR_SAMPLE_H

#include <math.h>
#include <stdlib.h>

enum { ERROR_SAMPLES = 1 << 17 };

struct error_sample {
  size_t n;
  float value[ERROR_SAMPLES];
};

static inline void error_add(struct error_sample *sample, double error) {
  if (sample->n < ERROR_SAMPLES) {
    sample->value[sample->n++] = (float)error;
  }
}

static inline double error_mean_absolute(const struct error_sample *sample) {
  double sum = 0.0;
  for (size_t i = 0; i < sample->n; i++) {
    sum += fabs((double)sample->value[i]);
  }
  return sum / (double)sample->n;
}

static inline double error_deviation(const struct error_sample *sample) {
  double sum = 0.0, squares = 0.0;
  for (size_t i = 0; i < sample->n; i++) {
    const double e = (double)sample->value[i];
    sum += e;
    squares += e * e;
  }
  const double n = (double)sample->n, mean = sum / n;
  return sqrt(fmax(squares / n - mean * mean, 0.0));
}

static inline int error_order(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* Sorts the sample. */
static inline double error_median(struct error_sample *sample) {
  qsort(sample->value, sample->n, sizeof(sample->value[0]), error_order);
  return sample->n > 0 ? (double)sample->value[sample->n / 2] : (double)NAN;
}

#endif
