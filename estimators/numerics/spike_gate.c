#include "numerics/spike_gate.h"

#include <math.h>

/* Cosine between two changes that agree, and the largest ratio of their sizes for a doubt to
 * end. */
static const double AGREE_COS = 0.5, AGREE_SIZE = 2.0;
/* A step this many times larger than those of late is doubted; how long they are remembered, s. */
static const double UNUSUAL = 3.0, UNREST_S = 0.03;

bool changes_agree(vec3 a, vec3 b, double ratio) {
  const double size = vec3_norm(a), other = vec3_norm(b);
  return vec3_dot(a, b) > AGREE_COS * size * other && size < ratio * other && other < ratio * size;
}

/* The reading before was doubted: does this one agree with it? */
static vec3 settle_doubt(struct spike_gate *gate, vec3 v) {
  const vec3 before = vec3_sub(gate->doubted, gate->used);
  gate->doubts = false;
  if (!changes_agree(vec3_sub(v, gate->used), before, AGREE_SIZE)) {
    gate->refused++;
    return VEC3_ZERO;
  }
  gate->used = gate->doubted;
  gate->unrest = fmax(gate->unrest, vec3_norm(before));
  return before;
}

vec3 spike_gate_step(struct spike_gate *gate, vec3 v, double limit, double dt, vec3 *owed) {
  *owed = gate->doubts ? settle_doubt(gate, v) : VEC3_ZERO;
  gate->unrest *= exp(-dt / UNREST_S);
  const double step = gate->started ? vec3_norm(vec3_sub(v, gate->used)) : 0.0;
  if (step > fmax(limit, UNUSUAL * gate->unrest)) {
    gate->doubts = true;
    gate->doubted = v;
    return gate->used;
  }
  gate->started = true;
  gate->unrest = fmax(gate->unrest, step);
  gate->used = v;
  return v;
}
