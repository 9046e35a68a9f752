/* Noise parameters from recorded signals: how noisy a sensor is, and how lively a joint moves.
 *
 * White noise is what one sample does not share with its neighbours: it is estimated from second
 * differences, which slow motion and drift hardly touch. The liveliness, the density of the white
 * snap that drives a joint in the filter's process, is the one that makes the recorded encoder
 * readings most likely.
 */
#ifndef NOISE_FIT_H
#define NOISE_FIT_H

#include "common/status.h"

#include <stddef.h>

#define NOISE_FIT_MIN_SAMPLES 100

/* A signal's white noise, fed sample by sample. */
struct noise_fit {
  double last, before; /* the two samples before, as far as the run goes back */
  size_t run;          /* samples since the last gap */
  double sum;          /* of squared second differences */
  size_t differences;  /* how many */
  size_t n;            /* samples so far */
};

/* [any] Samples that are not finite begin a new run. */
void noise_fit_add(struct noise_fit *fit, double sample);

/* One standard deviation of the white part, in the signal's unit. [any] TOO_FEW: fewer second
 * differences than NOISE_FIT_MIN_SAMPLES in a row have. */
enum status noise_fit_deviation(const struct noise_fit *fit, double *deviation);

/* Log-likelihood of encoder readings q [n], sampled every dt seconds with white noise `noise`, when
 * the joint is driven by white snap of density `density` ((rad/s^4)^2 s). [worker] Readings that
 * are NaN are steps without a measurement. */
double snap_log_likelihood(const double *q, size_t n, double dt, double noise, double density);

/* The density that makes the readings most likely, between the two limits. [worker] TOO_FEW;
 * NOT_FINITE: no likelihood is a number; OUT_OF_RANGE: dt, noise or limits that are not positive.
 */
enum status snap_density_fit(const double *q, size_t n, double dt, double noise, double low,
                             double high, double *density);

#endif
