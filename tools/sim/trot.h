/* A trot: two feet across from each other swing while the other two carry, all four in between.
 *
 * The pattern alone, without feedback: feet that are wide apart and down again soon catch what a
 * stiff robot tips over the line between the two that carry. */
#ifndef TROT_H
#define TROT_H

#include "posture.h"
#include "sim_options.h"
#include "strips.h"

struct trot {
  double start_s;            /* s: the first pair lifts */
  double single_s, double_s; /* s: of a swing, and of all four feet after it */
  vec3 stride;               /* m: a step, by which the body moves on */
  double turn;               /* rad: by which it turns to the left meanwhile */
  double height;             /* m: of a swing foot */
  int step;                  /* under way; -1 before the first */
  vec3 ahead;                /* m, world: of the body, since the start */
  double turned;             /* rad: to the left, of the body, since the start */
  double rise;               /* m: of the body, with the ground under its feet */
  struct strips ground;
  struct posture_target standing;
  vec3 from[4], to[4]; /* m, world: of each foot's last swing, or where it stands */
};

/* From standing. [start] Options that are 0 are chosen from the leg's length, m. */
void trot_init(struct trot *trot, const struct sim_walk_options *options,
               const struct posture_target *standing, double leg_length, double start_s);

/* The target at time t, `dt` after the last. [any] planned: [4] feet that shall carry. */
void trot_step(struct trot *trot, double t, double dt, struct posture_target *target,
               bool planned[4]);

#endif
