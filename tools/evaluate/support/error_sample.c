#include "support/error_sample.h"

#include <math.h>
#include <stdlib.h>

void error_add(struct error_sample *sample, double error) {
  if (sample->n < ERROR_SAMPLES) {
    sample->value[sample->n++] = (float)error;
  }
}

double error_mean_absolute(const struct error_sample *sample) {
  double sum = 0.0;
  for (size_t i = 0; i < sample->n; i++) {
    sum += fabs((double)sample->value[i]);
  }
  return sum / (double)sample->n;
}

double error_deviation(const struct error_sample *sample) {
  double sum = 0.0, squares = 0.0;
  for (size_t i = 0; i < sample->n; i++) {
    const double e = (double)sample->value[i];
    sum += e;
    squares += e * e;
  }
  const double n = (double)sample->n, mean = sum / n;
  return sqrt(fmax(squares / n - mean * mean, 0.0));
}

static int error_order(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

double error_median(struct error_sample *sample) {
  qsort(sample->value, sample->n, sizeof(sample->value[0]), error_order);
  return sample->n > 0 ? (double)sample->value[sample->n / 2] : (double)NAN;
}
