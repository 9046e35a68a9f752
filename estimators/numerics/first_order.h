/* A first-order low-pass, sampled. */
#ifndef FIRST_ORDER_H
#define FIRST_ORDER_H

#include <math.h>

/* Share of what is new after `dt` (s) with the corner at `corner_hz` (Hz): 1 - exp(-2 pi f dt), so
 * that x += share (u - x); 1 without a corner (0 Hz). [any] */
static inline double first_order_share(double corner_hz, double dt) {
  return corner_hz > 0.0 ? 1.0 - exp(-2.0 * M_PI * corner_hz * dt) : 1.0;
}

/* Share of u - x, x from before the step, by which a low-pass lags behind what came evenly over
 * `dt`: (1 - exp(-2 pi f dt)) / (2 pi f dt); x sampled lags by less the longer dt is. [any] */
static inline double first_order_lag(double corner_hz, double dt) {
  return corner_hz > 0.0 ? first_order_share(corner_hz, dt) / (2.0 * M_PI * corner_hz * dt) : 0.0;
}

#endif
