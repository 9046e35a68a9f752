#include "update/ground_memory.h"

#include "numerics/small_matrix.h"

#include <math.h>

/* How uneven it is is learned by so large a share from whoever comes to stand. */
static const double UNEVEN_LEARNS = 0.5;
/* What is left, at each landing, of what those before have told of a plane. */
static const double PLANE_KEEPS = 0.95;
/* A base of which so many times less is known than of the ground says nothing of a plane. */
static const double KNOWN_BASE = 3.0;
/* Ground rises by no more where a robot begins, m, and is no steeper, rad. */
#define PLANE_HIGH  0.05
#define PLANE_STEEP 0.2
/* Chi-square of three; on level ground it reaches 5; where legs are wrong 12, and more once in 132
 * walks. */
static const double OTHER_PLANE = 14.0;

double ground_memory_sd(const struct ground_memory *memory, double told) {
  return fmax(told, sqrt(memory->uneven));
}

double ground_memory_surprise(const struct ground_memory *m) {
  static const double likely[3] = {PLANE_HIGH, PLANE_STEEP, PLANE_STEEP};
  double W[9], e[3];
  for (size_t i = 0; i < 3; i++) {
    e[i] = m->toward[i];
    for (size_t k = 0; k < 3; k++) {
      W[3 * i + k] = m->weight[i][k] + (i == k ? 1.0 / (likely[i] * likely[i]) : 0.0);
    }
  }
  if (!small_cholesky_lower(3, W)) {
    return 0.0;
  }
  small_cholesky_whiten(3, W, e);
  return e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
}

/* A foot that was off by so much, m, where `variance` was to be expected. */
static void hear_plane(struct ground_memory *m, double off, double variance, vec3 from_base) {
  const double by[3] = {1.0, from_base.x, from_base.y};
  for (size_t i = 0; i < 3; i++) {
    m->toward[i] = PLANE_KEEPS * m->toward[i] + by[i] * off / variance;
    for (size_t k = 0; k < 3; k++) {
      m->weight[i][k] = PLANE_KEEPS * PLANE_KEEPS * m->weight[i][k] + by[i] * by[k] / variance;
    }
  }
}

void ground_memory_hear(struct ground_memory *m, const struct ground_heard *heard, double told,
                        const vec3 from_base[ROBOT_MAX_FEET]) {
  const double sd = ground_memory_sd(m, told), square = sd * sd;
  double mean = 0.0;
  for (size_t i = 0; i < heard->feet; i++) {
    const double off = heard->off[i], expected = heard->expected[i];
    mean += (off * off - expected + 1.0) / (double)heard->feet; /* 1: its own variance */
    if (expected < KNOWN_BASE) {
      hear_plane(m, off * sd, expected * square, from_base[i]);
    }
  }
  if (heard->feet > 0) {
    m->uneven += UNEVEN_LEARNS * (fmax(mean, 0.0) * square - m->uneven);
    m->other = m->other || ground_memory_surprise(m) > OTHER_PLANE;
  }
}
