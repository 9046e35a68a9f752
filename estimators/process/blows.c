#include "process/blows.h"

#include <math.h>
#include <string.h>

/* So long after its first reading a blow is over and encoders have shown the velocities after it;
 * much later they tell of the motion, not of the blow. */
static const int64_t OVER_NS = 12000000, TOO_LATE_NS = 50000000;
/* What is left of the blows before when another is over. */
static const double MEMORY = 0.95;
/* Before any: joints gain a radian for each metre, known as from a push of 0.1 m/s. */
static const double FIRST_GAIN = 1.0, FIRST_GIVEN = 0.1;
/* Part of a blow's acceleration that lasts when it is over: bodies ring, and feet stay down. */
static const double STAYS = 0.3;

struct blow blow_joined(struct blow a, struct blow b) {
  if (!(a.square > 0.0) || !(b.square > 0.0)) {
    return a.square > 0.0 ? a : b;
  }
  const double longest = fmax(a.lasts, b.lasts), of_a = a.lasts / longest, of_b = b.lasts / longest;
  return (struct blow){.square = a.square * of_a * of_a + b.square * of_b * of_b, .lasts = longest};
}

enum status blows_init(struct blows *blows, size_t n_joints, struct arena *arena) {
  *blows = (struct blows){.n = n_joints};
  blows->gained = ARENA_ARRAY(arena, double, n_joints);
  blows->dq = ARENA_ARRAY(arena, double, n_joints);
  blows->ddq = ARENA_ARRAY(arena, double, n_joints);
  return !arena_is_counting(arena) && arena->failed ? STATUS_NO_MEMORY : STATUS_OK;
}

void blows_reset(struct blows *blows) {
  blows->given = FIRST_GIVEN;
  for (size_t j = 0; j < blows->n; j++) {
    blows->gained[j] = FIRST_GAIN * FIRST_GIVEN;
  }
  blows->begun_ns = 0;
}

void blows_adopt(struct blows *blows, const struct blows *previous) {
  blows->given = previous->given;
  memcpy(blows->gained, previous->gained, blows->n * sizeof(*blows->gained));
  blows->begun_ns = 0;
}

/* By the velocities now: what of them the acceleration before explains is no gain. */
static void learn(struct blows *b, const double *dq, double passed) {
  b->given = MEMORY * b->given + sqrt(b->strength);
  for (size_t j = 0; j < b->n; j++) {
    const double change = dq[j] - b->dq[j], left = change - b->ddq[j] * passed;
    const double gain = fmin(fabs(change), fabs(left));
    b->gained[j] = MEMORY * b->gained[j] + gain;
  }
}

static void begin(struct blows *b, const struct joint_layout *l, int64_t t_ns, const double *x) {
  b->begun_ns = t_ns;
  b->strength = 0.0;
  memcpy(b->dq, x + l->dq, b->n * sizeof(*b->dq));
  for (size_t j = 0; j < b->n; j++) {
    b->ddq[j] = x[l->ddq + j] - (l->biases > 0 ? x[l->bias + j] : 0.0);
  }
}

void blows_step(struct blows *b, const struct joint_layout *l, int64_t t_ns, struct blow blow,
                const double *x) {
  const int64_t passed_ns = t_ns - b->begun_ns;
  if (b->begun_ns != 0 && passed_ns > OVER_NS) {
    if (passed_ns < TOO_LATE_NS) {
      learn(b, x + l->dq, 1e-9 * (double)passed_ns);
    }
    b->begun_ns = 0;
  }
  if (!(blow.square > 0.0)) {
    return;
  }
  if (b->begun_ns == 0) {
    begin(b, l, t_ns, x);
  }
  b->strength += blow.square * blow.lasts * blow.lasts;
}

struct knock blows_knock(const struct blows *b, size_t j, struct blow blow) {
  const double g = b->gained[j] / b->given, pulse = g * g * blow.square;
  const double dq = pulse * blow.lasts * blow.lasts;
  return (struct knock){.q = 0.25 * dq * blow.lasts * blow.lasts,
                        .dq = dq,
                        .ddq = STAYS * STAYS * pulse,
                        .pulse = pulse};
}
