/* How the body moves between two samples, as the filter believes: chains of integrators driven by
 * white noise, exact for any step.
 *
 * The state is kept in the order in which the measurement depends on it: first what enters it
 * nonlinearly (q, dq, omega), then what enters linearly (omegadot, ddq, f), then what does not
 * enter (jerk and the base's last derivatives). A Cholesky factor in this order separates the three
 * kinds of sigma points (joint_update.h). */
#ifndef JOINT_PROCESS_H
#define JOINT_PROCESS_H

#include <stddef.h>

/* Where each part of the state begins. n joints; base parts have three numbers each, or none when
 * the base is fixed. Base coordinates; f is the specific force at the base link's origin. */
struct joint_layout {
  size_t n;         /* joints */
  size_t base;      /* 3, or 0 with a fixed base */
  size_t q;         /* rad or m */
  size_t dq;        /* per s */
  size_t omega;     /* rad/s */
  size_t omegadot;  /* rad/s^2 */
  size_t ddq;       /* per s^2 */
  size_t force;     /* m/s^2 */
  size_t jerk;      /* per s^3: d ddq / dt */
  size_t omegaddot; /* rad/s^3 */
  size_t forcedot;  /* m/s^3 */
  size_t nonlinear; /* numbers that enter the measurement nonlinearly: q dq omega */
  size_t observed;  /* numbers that enter it at all */
  size_t size;      /* all: 4 n + 5 base */
  size_t stride;    /* distance between rows of matrices of this size */
};

/* [start] */
struct joint_layout joint_layout_of(size_t n_joints, int fixed_base);

/* Spectral densities of the white noise that drives each chain. */
struct joint_densities {
  const double *joint; /* [n] (rad/s^4)^2 s: on the derivative of jerk */
  double ang;          /* (rad/s^4)^2 s: on the derivative of omegaddot, each axis */
  double lin;          /* (m/s^4)^2 s: on the derivative of forcedot, each axis */
};

/* x = F(dt) x. [real-time] x: [size], dt > 0 s. */
void joint_process_mean(const struct joint_layout *layout, double dt, double *x);

/* next = F P F^T + Q(dt). [real-time] P, next: [size][stride] symmetric, may not overlap. */
void joint_process_covariance(const struct joint_layout *layout, double dt,
                              const struct joint_densities *densities, const double *P,
                              double *next);

/* The variances after dt: the diagonal of the above, without the rest. [real-time] variance:
 * [size].
 */
void joint_process_variance(const struct joint_layout *layout, double dt,
                            const struct joint_densities *densities, const double *P,
                            double *variance);

/* The covariance that unit white noise leaves in an integrator chain after dt: between the numbers
 * `i` and `j` steps before the last one of the chain. [any] */
double chain_noise(unsigned i, unsigned j, double dt);

#endif
