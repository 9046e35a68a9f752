/* Seeded random numbers, one independent sequence per purpose, so that turning one imperfection on
 * does not change the others. All functions: [any]. */
#ifndef SIM_RANDOM_H
#define SIM_RANDOM_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

struct sim_random {
  uint64_t state;
  double spare; /* the second of a pair of normal numbers */
  bool has_spare;
};

/* splitmix64: every state is good, and neighbouring seeds are unrelated. */
static inline uint64_t sim_random_next(struct sim_random *random) {
  uint64_t z = (random->state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/* The sequence of one purpose: a small number of the caller's choice. */
static inline struct sim_random sim_random_from(uint64_t seed, uint64_t purpose) {
  struct sim_random random = {.state = seed};
  random.state = sim_random_next(&random) ^ (purpose * 0xD1342543DE82EF95u);
  sim_random_next(&random);
  return random;
}

static inline double sim_uniform(struct sim_random *random, double low, double high) {
  return low + (high - low) * ((double)(sim_random_next(random) >> 11) * 0x1p-53);
}

/* Standard normal (Box and Muller make two at a time). */
static inline double sim_normal(struct sim_random *random) {
  if (random->has_spare) {
    random->has_spare = false;
    return random->spare;
  }
  const double radius = sqrt(-2.0 * log(1.0 - sim_uniform(random, 0.0, 1.0)));
  const double angle = 2.0 * M_PI * sim_uniform(random, 0.0, 1.0);
  random->spare = radius * sin(angle);
  random->has_spare = true;
  return radius * cos(angle);
}

#endif
