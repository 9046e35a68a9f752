/* Steps of acceleration: found in the innovation, followed at once.
 *
 * A process with little noise follows smooth motion quietly and an abrupt stop late. So each update
 * with skin asks, joint by joint and axis by axis of the base, whether its acceleration has just
 * jumped. With s the response of the whitened rows to a unit of that acceleration,
 *   u = s^T Pyy^-1 nu,  v = s^T Pyy^-1 s:   u^2/v is chi-square of one degree when nothing jumped,
 * and u/v is the best guess of the step, of variance 1/v. Above the gate the prior is taken to have
 * had variance p = (u^2/v - 1)/v more along it; what that changes is of rank one and exact:
 *   r = e - K s,   x += r p u/(1 + p v),   P += r r^T p/(1 + p v).
 * All of it comes out of the factor that the update has just computed. */
#ifndef JOINT_JUMP_H
#define JOINT_JUMP_H

#include "update/joint_update.h"

/* Gate on a jump's statistic, chi-square of one degree: 4 deviations (accuracy.md 1.3). */
#define JUMP_GATE 16.0
/* A strike: an acceleration that jumps by more than this, per s^2. */
#define STRIKE    50.0

struct joint_jump {
  const struct joint_layout *layout;
  size_t count;       /* candidates: omegadot, ddq and f, in this order */
  size_t stride;      /* of matrices of this size */
  bool *allowed;      /* [count] may be found */
  double *statistic;  /* [count] u^2/v of the last update, before any jump was followed */
  double *N;          /* [count][stride] N^T = L^-T over the candidates, falling order */
  double *Y;          /* [observed][stride] C_DD^-1 N^T at the candidates' columns */
  double *v;          /* [count] its diagonal */
  double *V, *turned; /* [count][stride] s_i^T Pyy^-1 s_j, falling order; once a jump is followed */
  double *u;          /* [count] falling order */
  double *r;          /* [count][layout stride] r of each jump followed */
  double *t;          /* [observed] */
  double explained;   /* how much of the update's normalised innovation the jumps account for */
  /* of the jumps followed in one update, in their order */
  bool *taken;    /* [count] by candidate, falling order */
  size_t *order;  /* [count] candidate */
  double *weight; /* [count] p/(1 + p v) */
  double *step;   /* [count] per s^2: how far each is believed to have jumped */
};

/* [start] */
enum status joint_jump_init(struct joint_jump *jump, const struct joint_layout *layout,
                            struct arena *arena);

/* Looks for jumps in the innovation that `update` has just taken in its information form, and
 * corrects x [size] and P [size][stride] for them. [real-time] gate: on u^2/v. worst_sd: per s^2, a
 * candidate whose step this update cannot tell better than this is let be. Returns how many jumps
 * were followed. */
size_t joint_jump_step(struct joint_jump *jump, const struct joint_update *update, double gate,
                       double worst_sd, double *x, double *P);

#endif
