#include "process/joint_changes.h"

#include <math.h>

/* Comparisons are so far apart, s, and remembered for so long. */
static const double APART_S = 0.05, REMEMBERED_S = 2.0;
/* So often, per s, a joint changes by what it does, and by so much, per s^2, out of any rest. */
static const double TIMES = 2.0, BEGINS_BY = 0.4;

enum status joint_changes_init(struct joint_changes *changes, size_t n, struct arena *arena) {
  *changes = (struct joint_changes){.n = n};
  changes->ddq = ARENA_ARRAY(arena, double, n);
  changes->jerk = ARENA_ARRAY(arena, double, n);
  changes->size = ARENA_ARRAY(arena, double, n);
  return !arena_is_counting(arena) && arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

void joint_changes_resume(struct joint_changes *c) {
  c->since = HUGE_VAL;
}

void joint_changes_reset(struct joint_changes *c) {
  for (size_t j = 0; j < c->n; j++) {
    c->size[j] = 0.0;
  }
  joint_changes_resume(c);
}

void joint_changes_step(struct joint_changes *c, const struct joint_layout *l, const double *x,
                        double dt) {
  c->since += dt;
  if (c->since < APART_S) {
    return;
  }
  const bool compares = isfinite(c->since);
  for (size_t j = 0; j < c->n; j++) {
    const double bias = l->biases > 0 ? x[l->bias + j] : 0.0, ddq = x[l->ddq + j] - bias;
    if (compares) { /* sizes, not squares, which one blow or fault alone would be for seconds */
      const double unforetold = fabs(ddq - c->ddq[j] - c->jerk[j] * c->since);
      c->size[j] += (unforetold - c->size[j]) * fmin(c->since / REMEMBERED_S, 1.0);
    }
    c->ddq[j] = ddq;
    c->jerk[j] = x[l->jerk + j];
  }
  c->since = 0.0;
}

double joint_changes_rate(const struct joint_changes *c, size_t j) {
  return TIMES * (c->size[j] * c->size[j] + BEGINS_BY * BEGINS_BY);
}
