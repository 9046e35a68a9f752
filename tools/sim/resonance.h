/* A damped oscillation, sampled: what rings when it is struck, and a narrow band of noise when it
 * is fed with noise. All functions: [any]. */
#ifndef RESONANCE_H
#define RESONANCE_H

#include <math.h>

struct resonance {
  double re, im;           /* now; a blow of 1 lets `im` swing with amplitude 1 */
  double keep_re, keep_im; /* what a period multiplies it with */
  double omega;            /* rad/s */
};

/* At rest: `hz` with this damping ratio, sampled every `period_s`. */
static inline struct resonance resonance_at(double hz, double damping, double period_s) {
  const double omega = 2.0 * M_PI * hz, keep = exp(-damping * omega * period_s);
  return (struct resonance){.keep_re = keep * cos(omega * period_s),
                            .keep_im = keep * sin(omega * period_s),
                            .omega = omega};
}

/* One period later, with this blow. */
static inline void resonance_step(struct resonance *z, double blow_re, double blow_im) {
  const double re = z->keep_re * z->re - z->keep_im * z->im;
  z->im = z->keep_im * z->re + z->keep_re * z->im + blow_im;
  z->re = re + blow_re;
}

/* 1/s: derivative of `im`, but for the damping. */
static inline double resonance_slope(const struct resonance *z) {
  return z->omega * z->re;
}

/* Deviation of the noise on both parts that keeps each at a deviation of 1. */
static inline double resonance_feed(const struct resonance *z) {
  return sqrt(1.0 - z->keep_re * z->keep_re - z->keep_im * z->keep_im);
}

#endif
