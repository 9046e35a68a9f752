/* How the body moves between two samples, as the filter believes: chains of integrators driven by
 * white noise, exact for any step.
 *
 * The state is kept in the order in which the measurement depends on it: first what enters it
 * nonlinearly (q, dq, omega), then what enters linearly (omegadot, ddq, f), then what does not
 * enter (jerk and the base's last derivatives). A Cholesky factor in this order separates the three
 * kinds of sigma points (joint_update.h). */
#ifndef JOINT_PROCESS_H
#define JOINT_PROCESS_H

#include "robot/robot.h"

#include <stdbool.h>
#include <stddef.h>

/* Where each part of the state begins. n joints; base parts have three numbers each, or none when
 * the base is fixed. Base coordinates; f is the specific force at the base link's origin.
 *
 * Slow biases of what the skin says about each joint's acceleration, and about the base's angular
 * and linear one, are states too, without a price: skin sees a joint's acceleration only as the sum
 * `ddq + b`, however far out on the limb it sits. So that sum stands in the state in the place of
 * ddq, and b among what is not observed; only the integration takes it out again.
 *
 * Behind them stands what the skin does not see at all: where a floating base is, and what its IMU
 * and its feet are off by (base_process.h). */
struct joint_layout {
  size_t n;                  /* joints */
  size_t base;               /* 3, or 0 with a fixed base */
  size_t q;                  /* rad or m */
  size_t dq;                 /* per s */
  size_t omega;              /* rad/s */
  size_t omegadot;           /* rad/s^2; with `bias_ang` added */
  size_t ddq;                /* per s^2; with `bias` added */
  size_t force;              /* m/s^2 */
  size_t jerk;               /* per s^3: d ddq / dt */
  size_t omegaddot;          /* rad/s^3 */
  size_t forcedot;           /* m/s^3 */
  size_t biases;             /* n, or 0 without bias states */
  size_t bias;               /* per s^2 */
  size_t bias_ang;           /* rad/s^2 */
  size_t bias_lin;           /* m/s^2 */
  size_t attitude;           /* rad: rotation error, base coordinates, R_true = R Exp(theta) */
  size_t velocity;           /* m/s: of the base link's origin, world */
  size_t position;           /* m: likewise */
  size_t gyro_bias;          /* rad/s: base coordinates, of an IMU on another link its own */
  size_t accelerometer_bias; /* m/s^2: likewise */
  size_t foot;               /* m: where each foot stands, world; 3 n_feet numbers */
  size_t sole; /* rad: rotation error of each sole that stands, sole axes; 3 n_soles */
  size_t limb; /* of each IMU on a limb: rad/s, bias of its gyro, then m/s^2, of its
                       accelerometer, IMU axes; 6 n_limbs, with a fixed base too */
  size_t n_limbs;
  size_t n_feet;    /* 0 with a fixed base */
  size_t n_soles;   /* n_feet of a robot on two soles; 0 on points */
  size_t nonlinear; /* numbers that enter the measurement nonlinearly: q dq omega */
  size_t observed;  /* numbers that enter it at all */
  size_t size;      /* all: 4 n + 10 base + 3 (n_feet + n_soles) + 6 n_limbs, and n + 2 base for
                       biases */
  size_t rotation;  /* behind them in x, not in P: quaternion R_WB (x y z w), the attitude of which
                       `attitude` is the error and, but within an update, zero */
  size_t numbers;   /* of x: size, and 4 with a floating base */
  size_t stride;    /* distance between rows of matrices of this size */
};

/* [start] `n_feet` is taken for 0 with a fixed base. */
struct joint_layout joint_layout_of(size_t n_joints, bool fixed_base, bool with_biases,
                                    size_t n_feet);

/* The same with IMUs on `n_limbs` limbs. [start] */
struct joint_layout joint_layout_with_limbs(struct joint_layout layout, size_t n_limbs);

/* Spectral densities of the white noise that drives each chain. */
struct joint_densities {
  const double *joint; /* [n] (rad/s^4)^2 s: on the derivative of jerk */
  double ang;          /* (rad/s^4)^2 s: on the derivative of omegaddot, each axis */
  double lin;          /* (m/s^4)^2 s: on the derivative of forcedot, each axis */
  /* biases are Gauss-Markov; read only when the layout has them */
  const double *bias;     /* [n] (per s^2)^2: variance when nothing is known */
  double bias_ang;        /* (rad/s^2)^2 */
  const double *bias_lin; /* [3] (m/s^2)^2 along the base's axes */
  double bias_time;       /* s: correlation time */
  /* random walks; read only with a floating base */
  double velocity;                    /* (m/s)^2/s */
  double gyro_bias;                   /* (rad/s)^2/s */
  double accelerometer_bias;          /* (m/s^2)^2/s */
  double foot;                        /* m^2/s */
  double sole[ROBOT_MAX_SOLES];       /* rad^2/s: about axes along each sole */
  double sole_twist[ROBOT_MAX_SOLES]; /* rad^2/s: about the normal of each */
};

/* x after dt. [real-time] x: [numbers], dt >= 0 s. Of `densities` only the biases' time is read. */
void joint_process_mean(const struct joint_layout *layout, double dt,
                        const struct joint_densities *densities, double *x);

/* The variances after dt, without the rest. [real-time] P: upper triangle. variance: [size]; those
 * of ddq, omegadot and f are of the accelerations themselves, biases taken out; those of the base
 * are P's, as they grow little while a cycle waits. */
void joint_process_variance(const struct joint_layout *layout, double dt,
                            const struct joint_densities *densities, const double *P,
                            double *variance);

/* Takes the biases out of ddq, omegadot and f, in place. [real-time] */
void joint_process_unbias(const struct joint_layout *layout, double *x);

/* One number of P, of which the upper triangle is kept. [real-time] */
static inline double joint_process_upper(const struct joint_layout *layout, const double *P,
                                         size_t i, size_t k) {
  return P[(i < k ? i : k) * layout->stride + (i < k ? k : i)];
}

/* Nothing is known any more of the three states from `first` on, but that they lie within sd.
 * [real-time] P: [size][stride] symmetric. */
void joint_process_forget(const struct joint_layout *layout, size_t first, double sd, double *P);

/* Largest deviation of the three states from `first` on. [real-time] P: its diagonal. */
double joint_process_worst_sd(const struct joint_layout *layout, const double *P, size_t first);

#endif
