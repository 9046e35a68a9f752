/* A function of time at one instant with its first two derivatives, so that a reference motion is
 * written once and differentiated by the rules. All functions: [any]. */
#ifndef JET_H
#define JET_H

#include <math.h>

struct jet {
  double x, dx, ddx; /* value, per second, per second squared */
};

static inline struct jet jet_constant(double x) {
  return (struct jet){x, 0.0, 0.0};
}
static inline struct jet jet_add(struct jet a, struct jet b) {
  return (struct jet){a.x + b.x, a.dx + b.dx, a.ddx + b.ddx};
}
static inline struct jet jet_scale(double s, struct jet a) {
  return (struct jet){s * a.x, s * a.dx, s * a.ddx};
}
static inline struct jet jet_mul(struct jet a, struct jet b) {
  return (struct jet){a.x * b.x, a.dx * b.x + a.x * b.dx,
                      a.ddx * b.x + 2.0 * a.dx * b.dx + a.x * b.ddx};
}
/* sin(omega t + phase) */
static inline struct jet jet_sin(double omega, double t, double phase) {
  const double s = sin(omega * t + phase), c = cos(omega * t + phase);
  return (struct jet){s, omega * c, -omega * omega * s};
}
/* From 0 at t = 0 to 1 at t = length, with velocity and acceleration zero at both ends. */
static inline struct jet jet_smooth_step(double t, double length) {
  if (t <= 0.0) {
    return jet_constant(0.0);
  }
  if (t >= length) {
    return jet_constant(1.0);
  }
  const double u = t / length, v = 1.0 - u;
  return (struct jet){u * u * u * (10.0 + u * (6.0 * u - 15.0)), 30.0 * u * u * v * v / length,
                      60.0 * u * v * (1.0 - 2.0 * u) / (length * length)};
}

#endif
