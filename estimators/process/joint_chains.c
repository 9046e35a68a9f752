#include "process/joint_chains.h"

#include <math.h>

void joint_chains_of(const struct joint_layout *l, struct joint_chain chain[N_CHAINS]) {
  const size_t more = l->biases > 0;
  chain[CHAIN_JOINTS] =
      (struct joint_chain){l->n, 4, 4 + more, {l->q, l->dq, l->ddq, l->jerk, l->bias}, 2};
  chain[CHAIN_ANGULAR] = (struct joint_chain){
      l->base, 3, 3 + more, {l->omega, l->omegadot, l->omegaddot, l->bias_ang}, 1};
  chain[CHAIN_LINEAR] =
      (struct joint_chain){l->base, 2, 2 + more, {l->force, l->forcedot, l->bias_lin}, 0};
}

/* With s = d + b seen in the place of the derivative d: lower derivatives integrate s - b, and s
 * itself follows d and the fading b.
 * @eq Leboutet22 139: every derivative is the integral of the next.
 * @differs Leboutet22 139: jerk is integrated white noise (snap), not white noise itself; smooth
 * motion is followed with less noise (accuracy.md 1.3). */
struct chain_passage chain_passage_of(const struct joint_chain *chain, double dt,
                                      double bias_time) {
  struct chain_passage step = {.decay = 1.0};
  for (size_t a = 0; a < chain->length; a++) {
    double c = 1.0; /* dt^k / k! */
    for (size_t b = a; b < chain->length; b++) {
      step.F[a][b] = c;
      c *= dt / (double)(b - a + 1);
    }
  }
  if (chain->parts > chain->length) {
    const size_t bias = chain->length;
    step.decay = exp(-dt / bias_time);
    for (size_t a = 0; a < chain->seen; a++) {
      step.F[a][bias] = -step.F[a][chain->seen];
    }
    step.F[chain->seen][bias] = step.decay - 1.0;
    step.F[bias][bias] = step.decay;
  }
  return step;
}

/* int_0^dt (s^i / i!) (s^j / j!) ds */
double chain_noise(unsigned i, unsigned j, double dt) {
  double value = dt / (double)(i + j + 1);
  for (unsigned k = 1; k <= i; k++) {
    value *= dt / (double)k;
  }
  for (unsigned k = 1; k <= j; k++) {
    value *= dt / (double)k;
  }
  return value;
}

void chain_drives_of(const struct joint_densities *d, struct chain_drive drive[N_CHAINS]) {
  drive[CHAIN_JOINTS] = (struct chain_drive){.density = d->joint, .bias = d->bias};
  drive[CHAIN_ANGULAR] = (struct chain_drive){.common_density = d->ang, .common_bias = d->bias_ang};
  drive[CHAIN_LINEAR] = (struct chain_drive){.common_density = d->lin, .bias = d->bias_lin};
}

double chain_density(const struct chain_drive *drive, size_t i) {
  return drive->density != NULL ? drive->density[i] : drive->common_density;
}

double chain_bias_noise(const struct chain_drive *drive, size_t i, double decay) {
  const double variance = drive->bias != NULL ? drive->bias[i] : drive->common_bias;
  return (1.0 - decay * decay) * variance;
}
