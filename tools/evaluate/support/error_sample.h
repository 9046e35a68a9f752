/* Errors of one quantity collected over runs: mean absolute value, median, deviation. */
#ifndef ERROR_SAMPLE_H
#define ERROR_SAMPLE_H

#include <stddef.h>

enum { ERROR_SAMPLES = 1 << 17 };

struct error_sample {
  size_t n;
  float value[ERROR_SAMPLES];
};

void error_add(struct error_sample *sample, double error);

double error_mean_absolute(const struct error_sample *sample);

double error_deviation(const struct error_sample *sample);

/* Sorts the sample. */
double error_median(struct error_sample *sample);

#endif
