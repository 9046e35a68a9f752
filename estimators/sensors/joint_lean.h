/* Whether the joints, all together, leave what was predicted of them.
 *
 * A body that begins to move shows in each encoder as a few readings to one side, each well within
 * its noise: too little to tell of one joint, and within some milliseconds plain of thirty. Each
 * joint keeps the mean m of its last readings' innovations in deviations; the sum of m^2 over its
 * variance is chi-square of n degrees while nothing begins. Encoders that are noisier than they are
 * told to be, or come in steps, lean all the time: what is usual scales the gate. */
#ifndef JOINT_LEAN_H
#define JOINT_LEAN_H

#include "common/arena.h"
#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>

struct joint_lean {
  size_t n;
  double *mean; /* [n] deviations: of the last readings' innovations */
  double gate;  /* of the sum: that chance alone exceeds once in ten million readings */
  double usual; /* mean of the sum over n, of the last readings; 1 when noise is as told */
};

/* [start] */
enum status joint_lean_init(struct joint_lean *lean, size_t n, struct arena *arena);

/* [real-time] */
void joint_lean_reset(struct joint_lean *lean);

/* A reading of joint j: its innovation over its deviation; 0: it is not believed. [real-time] */
void joint_lean_add(struct joint_lean *lean, size_t j, double deviations);

/* All joints have been read: they lean away together, far more than usual. [real-time] */
bool joint_lean_tells(struct joint_lean *lean);

#endif
