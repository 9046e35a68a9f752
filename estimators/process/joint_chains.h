/* The chains of integrators that the joint filter's motion consists of: which states each has, what
 * becomes of them within a step, and what drives them.
 *
 * Joints: q dq ddq jerk, the base: omega omegadot omegaddot, and specific force with its
 * derivative. Each may carry a slow bias of the one derivative that skin sees (joint_process.h). */
#ifndef JOINT_CHAINS_H
#define JOINT_CHAINS_H

#include "process/joint_process.h"

enum { CHAIN_PARTS = 5, CHAIN_BIAS = CHAIN_PARTS - 1 }; /* of the longest, its bias the last */
enum { CHAIN_JOINTS, CHAIN_ANGULAR, CHAIN_LINEAR, N_CHAINS }; /* the two of the base: 3 axes each */

/* One kind of chain: `count` parallel integrators of `length` derivatives, and perhaps a bias of
 * the one that skin sees. */
struct joint_chain {
  size_t count;
  size_t length;            /* derivatives, from the lowest */
  size_t parts;             /* length, and one more with a bias */
  size_t part[CHAIN_PARTS]; /* where each begins in the state; the bias last */
  size_t seen;              /* which derivative carries the bias */
};

/* [any] */
void joint_chains_of(const struct joint_layout *layout, struct joint_chain chain[N_CHAINS]);

/* What becomes of a chain within dt: x = F x, upper triangular, its diagonal one but for the bias's
 * decay. */
struct chain_passage {
  double F[CHAIN_PARTS][CHAIN_PARTS];
  double decay; /* of the bias */
};

/* dt: s. bias_time: s, correlation time of the bias. [any] */
struct chain_passage chain_passage_of(const struct joint_chain *chain, double dt, double bias_time);

/* What drives a chain: the density on its last derivative and the variance of its bias. */
struct chain_drive {
  const double *density, *bias; /* [count], or NULL: the numbers below for all */
  double common_density, common_bias;
};

/* [any] */
void chain_drives_of(const struct joint_densities *densities, struct chain_drive drive[N_CHAINS]);

/* Density that drives the `i`-th of a chain. [any] */
double chain_density(const struct chain_drive *drive, size_t i);

/* Variance that its bias gains in one step. [any] */
double chain_bias_noise(const struct chain_drive *drive, size_t i, double decay);

/* The covariance that unit white noise leaves in an integrator chain after dt: between the numbers
 * `i` and `j` steps before the last one of the chain. [any] */
double chain_noise(unsigned i, unsigned j, double dt);

#endif
