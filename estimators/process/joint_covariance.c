#include "process/joint_covariance.h"

#include "process/base_covariance.h"
#include "process/base_process.h"
#include "process/chain_covariance.h"

static void add_noise(const struct joint_chain *chain, const struct chain_passage *step,
                      const struct chain_drive *drive, double dt, double *P, size_t stride) {
  for (size_t a = 0; a < chain->length; a++) {
    for (size_t b = a; b < chain->length; b++) {
      const double unit =
          chain_noise((unsigned)(chain->length - 1 - a), (unsigned)(chain->length - 1 - b), dt);
      for (size_t i = 0; i < chain->count; i++) {
        P[(chain->part[a] + i) * stride + chain->part[b] + i] += chain_density(drive, i) * unit;
      }
    }
  }
  for (size_t i = 0; chain->parts > chain->length && i < chain->count; i++) {
    const double noise =
        chain_bias_noise(drive, i, step->decay); /* of b, and of the sum that holds it */
    const size_t s = chain->part[chain->seen] + i, b = chain->part[chain->length] + i;
    P[s * stride + s] += noise;
    P[s * stride + b] += noise;
    P[b * stride + b] += noise;
  }
}

static void add_walk(size_t from, size_t count, double variance, double *P, size_t stride) {
  for (size_t i = from; i < from + count; i++) {
    P[i * (stride + 1)] += variance;
  }
}

static void add_walks(const struct joint_layout *l, double dt, const struct joint_densities *d,
                      double *P) {
  add_walk(l->velocity, l->base, d->velocity * dt, P, l->stride);
  add_walk(l->gyro_bias, l->base, d->gyro_bias * dt, P, l->stride);
  add_walk(l->accelerometer_bias, l->base, d->accelerometer_bias * dt, P, l->stride);
  add_walk(l->foot, 3 * l->n_feet, d->foot * dt, P, l->stride);
  for (size_t i = 0; i < l->n_soles; i++) {
    add_walk(l->sole + 3 * i, 2, d->sole[i] * dt, P, l->stride);
    add_walk(l->sole + 3 * i + 2, 1, d->sole_twist[i] * dt, P, l->stride);
  }
  for (size_t k = 0; k < l->n_limbs; k++) {
    add_walk(l->limb + 6 * k, 3, d->gyro_bias * dt, P, l->stride);
    add_walk(l->limb + 6 * k + 3, 3, d->accelerometer_bias * dt, P, l->stride);
  }
}

void joint_covariance_predict(const struct joint_layout *layout, double dt,
                              const struct joint_densities *densities, const double *x,
                              const double *P, double *next) {
  struct joint_chain chain[N_CHAINS];
  struct chain_passage step[N_CHAINS];
  struct chain_drive drive[N_CHAINS];
  const size_t stride = layout->stride;
  joint_chains_of(layout, chain);
  chain_drives_of(densities, drive);
  for (int which = 0; which < N_CHAINS; which++) {
    step[which] = chain_passage_of(&chain[which], dt, densities->bias_time);
  }
  /* F P F^T: joints by base before joints by joints, some of which it spoils */
  if (layout->base > 0 || layout->n_limbs > 0) {
    struct base_passage base;
    base_passage_of(&base, layout, dt, x, chain, step);
    base_covariance_cross(&chain[CHAIN_JOINTS], &step[CHAIN_JOINTS], &base, P, next, stride);
    base_covariance_own(&base, P, next, stride);
  }
  chain_covariance_carry(&chain[CHAIN_JOINTS], &step[CHAIN_JOINTS], P, next, stride);
  /* Q */
  if (layout->base > 0 || layout->n_limbs > 0) {
    add_walks(layout, dt, densities, next);
  }
  if (layout->base > 0) {
    base_process_noise(layout, dt, densities, x, next);
  }
  for (int which = 0; which < N_CHAINS; which++) {
    add_noise(&chain[which], &step[which], &drive[which], dt, next, stride);
  }
}
