/* What becomes of joints' chains within a step (joint_chains.h), several side by side in vector
 * registers, for kernels that are compiled for each instruction set (math/dispatch.h). [real-time]
 *
 * With w = s - b, the derivative itself, where s = ddq + b stands in the state:
 *   q += dt dq + dt^2/2 w + dt^3/6 jerk,  dq += dt w + dt^2/2 jerk,
 *   s += dt jerk + (decay - 1) b,  b *= decay.
 * Five numbers tell all of it, and stay in registers; F's come from memory for each product. */
#ifndef CHAIN_MIX_H
#define CHAIN_MIX_H

#include "numerics/register_lanes.h"
#include "process/joint_chains.h"

#include <stdbool.h>

struct chain_mix {
  lanes dt, half, sixth; /* s, dt^2/2, dt^3/6 */
  lanes decay, fade;     /* of the bias, and one less */
};

/* step: of the joints' chain. */
ISA_INLINE struct chain_mix chain_mix_of(const struct chain_passage *step) {
  const lanes zero = {0};
  return (struct chain_mix){zero + step->F[0][1], zero + step->F[0][2], zero + step->F[0][3],
                            zero + step->decay, zero + (step->decay - 1.0)};
}

/* Number `part` of F v, v being q dq s jerk, and the bias if `parts` is CHAIN_PARTS. Of v it reads
 * that number and those behind it. Both are constants where inlined. */
ISA_INLINE lanes chain_part(int parts, const struct chain_mix *by, int part,
                            const lanes v[CHAIN_PARTS]) {
  const bool biased = parts == CHAIN_PARTS;
  lanes w = v[2];
  if (biased) {
    w -= v[CHAIN_BIAS];
  }
  switch (part) {
  case 0:
    return v[0] + by->dt * v[1] + by->half * w + by->sixth * v[3];
  case 1:
    return v[1] + by->dt * w + by->half * v[3];
  case 2:
    w = v[2] + by->dt * v[3];
    if (biased) {
      w += by->fade * v[CHAIN_BIAS];
    }
    return w;
  case 3:
    return v[3];
  default:
    return by->decay * v[CHAIN_BIAS];
  }
}

/* v = F v. */
ISA_INLINE void chain_mix(int parts, const struct chain_mix *by, lanes v[CHAIN_PARTS]) {
  LANES_UNROLL for (int part = 0; part < parts; part++) {
    v[part] = chain_part(parts, by, part, v);
  }
}

#endif
