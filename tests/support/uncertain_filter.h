/* A joint filter that knows one thing, its covariance: made from random numbers, all correlated. It
 * is at rest, its IMU at the base's origin. */
#ifndef UNCERTAIN_FILTER_H
#define UNCERTAIN_FILTER_H

#include "joints/joint_filter_core.h"
#include "support/suite.h"

#include <stdlib.h>

struct uncertain_filter {
  struct joint_filter filter;
  struct robot robot;
  struct instant newest, *at[1];
  double *dense; /* [size][size] the covariance with both triangles; P's lower one holds NaN */
};

static inline struct uncertain_filter *uncertain_filter(size_t n_joints, bool fixed_base,
                                                        bool biases, struct random *rng) {
  struct uncertain_filter *u = calloc(1, sizeof(*u));
  u->filter.layout = joint_layout_of(n_joints, fixed_base, biases, 2);
  u->filter.robot = &u->robot;
  u->filter.base_imu = true;
  u->filter.imu = POSE_IDENTITY;
  const size_t size = u->filter.layout.size, stride = u->filter.layout.stride;
  double *factor = malloc(size * size * sizeof(double));
  u->dense = calloc(size * size, sizeof(double));
  u->newest.x = calloc(u->filter.layout.numbers, sizeof(double));
  u->newest.P = malloc(size * stride * sizeof(double));
  for (size_t i = 0; i < size * size; i++) {
    factor[i] = random_normal(rng);
  }
  for (size_t i = 0; i < size; i++) {
    for (size_t k = 0; k < size; k++) {
      for (size_t l = 0; l < size; l++) {
        u->dense[i * size + k] += factor[i * size + l] * factor[k * size + l];
      }
      u->newest.P[i * stride + k] = k >= i ? u->dense[i * size + k] : (double)NAN;
    }
  }
  free(factor);
  struct aftershock *shock = &u->filter.aftershock;
  struct arena arena = {0};
  aftershock_init(shock, &u->filter.layout, &arena);
  arena = arena_over(aligned_alloc(ARENA_ALIGN, arena.used), arena.used);
  aftershock_init(shock, &u->filter.layout, &arena);
  aftershock_reset(shock);
  u->at[0] = &u->newest;
  u->filter.instants = (struct instants){.count = 1, .capacity = 1, .at = u->at};
  u->filter.running = u->filter.base_started = true;
  return u;
}

#endif
