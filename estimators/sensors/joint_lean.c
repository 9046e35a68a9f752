#include "sensors/joint_lean.h"

#include <math.h>
#include <string.h>

/* Readings that a mean is over; its variance is 1 / (2 READINGS - 1) of one reading's. */
static const double READINGS = 4.0;
static const double USUAL_READINGS = 500.0;
/* Further off than this is a matter of one joint, not of the body. */
static const double FARTHEST = 5.0;
/* Deviations of the normal distribution: once in ten million. */
static const double SELDOM = 5.2;

enum status joint_lean_init(struct joint_lean *lean, size_t n, struct arena *arena) {
  const double spread = 2.0 / (9.0 * (double)n);
  *lean = (struct joint_lean){.n = n, .mean = ARENA_ARRAY(arena, double, n)};
  lean->gate = (double)n * pow(1.0 - spread + SELDOM * sqrt(spread), 3.0); /* Wilson, Hilferty */
  return !arena_is_counting(arena) && arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

void joint_lean_reset(struct joint_lean *lean) {
  memset(lean->mean, 0, lean->n * sizeof(*lean->mean));
  lean->usual = 1.0;
}

void joint_lean_add(struct joint_lean *lean, size_t j, double deviations) {
  const double bounded = fmin(fmax(deviations, -FARTHEST), FARTHEST);
  lean->mean[j] += (bounded - lean->mean[j]) / READINGS;
}

bool joint_lean_tells(struct joint_lean *lean) {
  double sum = 0.0;
  for (size_t j = 0; j < lean->n; j++) {
    sum += lean->mean[j] * lean->mean[j];
  }
  sum *= 2.0 * READINGS - 1.0;
  lean->usual += (sum / (double)lean->n - lean->usual) / USUAL_READINGS;
  return sum > fmax(lean->usual, 1.0) * lean->gate;
}
